"""Numbers that measure: told by what stands before them, or by their shape."""

from __future__ import annotations

import re

# What is weighed, counted or dosed by the number after it.
_MEASURED_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:wt|weight|ht|height|bmi|bsa|bp|sbp|dbp|map|hr|rr|pulse|temp|tmax|o2|sats?|spo2|na|cl|hco3|co2|osm|"
    r"bun|cr|creat(?:inine)?|egfr|gfr|glucose|glu|bs|fs|fsbs|bgl|hgb|hb|hct|pcv|plt|plts|platelets|wbc|wcc|anc|crp|esr|inr|"
    r"ptt|aptt|bnp|trop|troponin|tnt|ck|ldh|alt|ast|alp|ggt|bili|lipase|amylase|psa|cea|afp|hcg|tsh|ft4|hba1c|a1c|ldl|hdl|"
    r"ldl-c|chol|tg|cd4|ferritin|b12|folate|pco2|po2|lactate|ef|lvef|rvsp|edv|esv|dlp|ctdi|mas|kvp|peep|fio2|pip|vt|"
    r"tourniquet|fht|fhr|efw|afi|edss|iq|fsiq|ppd|mets|ebl|uop|tv|i/o|rate|flow|setting|amt|hu)"
    r"[ \t]{0,2}(?:of|is|was|[:=~<>≈])?[ \t]{0,2}$",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d{1,4}(?:[.,]\d{1,3})?(?:[ ](?:lbs?|kg|cm))?|lbs?|osm", re.IGNORECASE)
# `31w2d` of a pregnancy, `550x18` of a ventilator, `G3P1`
_OBSTETRIC = re.compile(r"\d{1,2}w\d?d?|\d{1,2}\+\d|\d{2,4}x\d{0,3}|G\d{1,2}P\d{1,4}(?:A\d)?", re.IGNORECASE)
_GENE_BEFORE = re.compile(r"(?<![A-Za-z])[cg]\.$")


def is_amount(text: str, start: int, piece: str) -> bool:
    """`Na 118`, `wt 211`, `31w2d`, `c.5946delT`."""
    if _OBSTETRIC.fullmatch(piece):
        return True
    before = text[max(0, start - 16) : start]
    return bool(_AMOUNT.fullmatch(piece) and (_MEASURED_BEFORE.search(before) or _GENE_BEFORE.search(before)))

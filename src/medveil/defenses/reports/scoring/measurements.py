"""Numbers that measure or count, and so identify nobody: told by what stands around them, or by their shape."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, kind_of
from medveil.person.identifiers import Category
from medveil.person.normalised import fold
from medveil.person.span import Span

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

UNIT_AFTER = re.compile(
    r"[ \t]?-?[ \t]?(?:mm|cm|cms|m|mg|mcg|µg|g|kg|ml|mL|cc|l|L|%|percent|fr|Fr|French|kV|kVp|mAs|mA|Hz|bpm|mmHg|"
    r"degrees?|°|x|×|hours?|hrs?|days?|weeks?|wks?|months?|years?|yrs?|minutes?|mins?|seconds?|times|views?|ribs?|"
    r"images?|slices?|liters?|packs?|ppd|units?|IU|U|u|lbs?|inch(?:es)?|fold|HU|vertebra\w*|lobes?|nodules?)(?![A-Za-z])"
    r"|/[µmdu]?[lLg]\b"
)
_COUNTED = re.compile(
    r"(?<![A-Za-z])(?:image|images|series|slice|slices|page|frame|views?|stage|grade|type|figure|fig\.|level|ribs?|lead|"
    r"segment|stations?|day|pod|dol|hd)"
    r"[ \t#]*(?:\d+[ \t]*(?:of|/|-|,|and)[ \t]*)?$",
    re.IGNORECASE,
)
LEVEL = re.compile(r"[CTLS]\d{1,2}(?:[-/][CTLS]?\d{1,2})?|[A-Z]?\d{2,3}\.\d{1,3}")
_WARD_BEFORE = re.compile(
    r"\b(?:ward|unit|wing|bay|bed|rm|room|floor|firm|team|suite|station|pavilion)[ \t]*[:#]?[ \t]*$", re.IGNORECASE
)


def is_amount(text: str, start: int, piece: str) -> bool:
    """`Na 118`, `wt 211`, `31w2d`, `c.5946delT`."""
    if _OBSTETRIC.fullmatch(piece):
        return True
    before = text[max(0, start - 16) : start]
    return bool(_AMOUNT.fullmatch(piece) and (_MEASURED_BEFORE.search(before) or _GENE_BEFORE.search(before)))


def measures(text: str, found: Span, piece: str, *, least: int = 3) -> bool:
    """A measurement, a level of the spine, a diagnosis code, a number of an image, or no number at all."""
    digits = sum(map(str.isdigit, piece))
    if is_amount(text, found.start, piece):
        return True
    if found.category is Category.OTHER_ID and _WARD_BEFORE.search(text[max(0, found.start - 16) : found.start]):
        return not digits and not _is_ward(piece)
    if digits < (least if found.category is not Category.OTHER_ID else 1) and not re.search(r"[A-Za-z]{3}", piece):
        return True
    if not digits:
        return found.category is not Category.DATE
    before, after = text[max(0, found.start - 24) : found.start], text[found.end : found.end + 2]
    decimal = bool(re.match(r"\.\d", after)) or (before[-1:] == "." and before[-2:-1].isdigit())
    if digits <= 4 and (decimal or UNIT_AFTER.match(text, found.end) or _COUNTED.search(before)):
        return True
    return bool(LEVEL.fullmatch(piece))


def _is_ward(piece: str) -> bool:
    """`ward Nightingale`, `bed B`; not the ICU."""
    return piece[0].isupper() and not any(kind_of(fold(word)) & Kind.SHORT for word in piece.split())

"""The slots of templates that identify nobody: words of medicine, numbers, and what a publisher crossed out."""

from __future__ import annotations

from recipes.tagger.corpus.lists import lines

GAPS = (
    "___",
    "XXXX",
    "____",
    "[**Hospital 12**]",
    "[**Last Name (un) 334**]",
    "[NAME]",
    "[DOCTOR]",
    "<redacted>",
    "*****",
    "xxx",
)
TONGUES = {"de": "german", "fr": "french", "es": "spanish"}
TERMS: dict[str, tuple[str, ...]] = {
    "dx": lines("diagnoses"),
    "symptom": lines("symptoms"),
    "anatomy": lines("anatomy"),
    "device": lines("devices"),
    "finding": lines("findings"),
    "exam": lines("exams"),
    "section": lines("sections"),
    "specialty": lines("specialties"),
    "unit": lines("units"),
    "rel": lines("relations"),
    "dept": lines("departments"),
    "plan": lines("plans"),
    "job": lines("jobs"),
    "procedure": lines("procedures"),
    "radiology": lines("radiology"),
    "clinical": lines("clinical"),
    "st": lines("states"),
    "stop": (".", ".", "", ","),
    "hon": lines("honours"),
    "society": tuple("ATS ERS ESC AHA ACC ACR EULAR NICE WHO GOLD GINA NCCN ESMO BTS SIGN IDSA AASLD KDIGO".split()),
    "narrative": lines("narrative"),
    "values_said": lines("values_said"),
    **{
        f"{short}_{kind}": lines(f"{tongue}_{kind}{ending}")
        for short, tongue in TONGUES.items()
        for kind, ending in (("finding", "s"), ("clinical", ""), ("word", "s"))
    },
    "lab": ("{cm}", "{old_number}", "{bignum}", "{num}", "{small}.{num}", "0.{num}"),
    "old_number": ("9{small}", "10{small}", "11{small}", "{num}", "100", "90"),
    "icd": (
        "786.{num}",
        "{num}.{small2}",
        "V76.{small2}",
        "491.21",
        "J{small2}.{small}",
        "I50.{small}",
        "R0{small}.{small}",
        "V72.83",
        "{small2}{small}.{small}",
        "Z{num}.{small2}",
    ),
    "nth": ("10th", "6th", "4th", "11th", "12th", "8th", "2nd", "first", "3rd", "ninth"),
    "dose": (
        "{num} mg [po|PO|IV] [daily|bid|BID|tid|q6h|qhs|prn]",
        "{small}.5 mg daily",
        "{num} mg",
        "{num} mcg/hr",
        "{small} units",
        "{bignum} mg [x1|daily]",
    ),
    "bp": ("1{num}/{num}", "{num}/{num}", "[110|120|135|142|158]/[60|70|78|85|92]"),
    "level": ("T{small}", "L{small}", "C{small}", "T1{small}", "L4", "L5-S1"),
    "rib": ("6th", "7th", "fifth", "eighth", "4th", "9th and 10th", "second"),
    "temp": ("98.{small}", "10{small}.{small}", "99.{small}", "37.{small}", "38.{small}", "36.{small}"),
    "size": ("{mm} x {mm} mm", "{cm} x {cm} cm", "{cm} cm", "{mm}mm", "{cm} x {cm} x {cm} cm", "{mm} x {mm} x {mm} mm"),
}

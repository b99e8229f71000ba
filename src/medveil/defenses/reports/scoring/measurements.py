"""Numbers that measure or count, and so identify nobody: told by what stands around them, or by their shape."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, has, kind_of
from medveil.person.identifiers import Category
from medveil.person.normalised import fold
from medveil.person.span import Span

# What is weighed, counted or dosed by the number after it.
_MEASURED_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:wt|weight|ht|height|bmi|bsa|bp|sbp|dbp|map|hr|rr|pulse|temp|tmax|o2|sats?|spo2|na|cl|hco3|co2|osm|"
    r"bun|cr|creat(?:inine)?|egfr|gfr|glucose|glu|bs|fs|fsbs|bgl|hgb|hb|hct|pcv|plt|plts|platelets|wbc|wcc|anc|crp|esr|inr|"
    r"ptt|aptt|bnp|trop|troponin|tnt|ck|ldh|alt|ast|alp|ggt|bili|lipase|amylase|psa|cea|afp|hcg|tsh|ft4|hba1c|a1c|ldl|hdl|"
    r"ldl-c|chol|tg|cd4|ferritin|b12|folate|pco2|po2|ph|lactate|ef|lvef|rvsp|edv|esv|dlp|ctdi|mas|kvp|peep|fio2|pip|vt|"
    r"tourniquet|fht|fhr|efw|afi|edss|iq|fsiq|ppd|mets|ebl|uop|tv|i/o|rate|flow|setting|amt|hu|size|niv|bipap|cpap|"
    r"iop|va|vision|visus|reads|ch\.|score|grade|stage|apgars?|dose|stairs|station|tooth|zahn|dent)"
    r"[ \t]{0,2}(?:of|is|was|[:=~<>≈])?[ \t]{0,2}$",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d{1,4}(?:[.,/]\d{1,3})?(?:[ ](?:lbs?|kg|cm))?|lbs?|osm", re.IGNORECASE)
# `31w2d` of a pregnancy, `550x18` of a ventilator, `G3P1`
_OBSTETRIC = re.compile(r"\d{1,2}w\d?d?|\d{1,2}\+\d|\d{2,4}x\d{0,3}|G\d{1,2}P\d{1,4}(?:A\d)?", re.IGNORECASE)
_GENE_BEFORE = re.compile(r"(?<![A-Za-z])[cg]\.$")

UNIT_AFTER = re.compile(
    r"[ \t]?-?[ \t]?(?:mm|cm|cms|m|[µu]m|ppm|met(?:er|re)s?|mg|mcg|µg|g|kg|kilos?|ml|mL|cc|l|L|%|percent|fr|Fr|French|"
    r"kV|kVp|mAs|mA|Hz|bpm|mmHg|Gy|mCi|MBq|millicuries|degrees?|°|x|×|hours?|hrs?|days?|weeks?|wks?|months?|mos?|years?|yrs?|"
    r"minutes?|mins?|seconds?|times|views?|ribs?|images?|slices?|liters?|litres?|packs?|ppd|units?|IU|U|u|lbs?|inch(?:es)?|fold|"
    r"HU|vertebra\w*|lobes?|nodules?|levels?|ed\b|edition|cores?|nodes?|beds|teaspoons?|tablets?|puffs?|drops?|"
    r"millimet\w+|centimet\w+|zentimeter|milligram\w*|miligramos|grams?|gramm|kcal|IE|UI|E|amps?|cups?|centiles?|[mµunp]mol|millimol\w*|"
    r"mEq|[np]g|kPa|lpm|c c|m l|m g|b d|t d s|[Pp]rozent|por ciento|pour cent|horas|heures|minutos|clichés|Zylinder|"
    r"mil[ií]metros|Monate|Wochen|Tage|Jahre|Stunden|mois|semaines|jours|ans|meses|semanas|días|años)"
    r"(?![A-Za-z])|/[µmdu]?[lLg]\b|/(?:kg|min|h|day|hpf)\b"
)
_COUNTED = re.compile(
    r"(?<![A-Za-z])(?:image|images|series|slice|slices|page|frame|views?|stage|grade|type|figure|fig\.|level|ribs?|lead|"
    r"segment|stations?|day|pod|dol|hd)"
    r"[ \t#]*(?:\d+[ \t]*(?:of|/|-|,|and)[ \t]*)?$",
    re.IGNORECASE,
)
LEVEL = re.compile(r"(?:[CTLS]|Th|D)\d{1,2}(?:[-/][CTLS]?\d{1,2})?|[A-Z]?\d{2,3}\.\d{1,3}")
_WARD_BEFORE = re.compile(
    r"\b(?:ward|unit|wing|bay|bed|rm|room|floor|firm|team|suite|station|pavilion)[ \t]*[:#]?[ \t]*$", re.IGNORECASE
)
# `142→128→131`, `17.2 -> 8.4`, `from 2.9 to 4.1`
_CHAIN_BEFORE = re.compile(r"\d[ ]?(?:→|->|>>|=>)[ ]?$|\bfrom[ ]\d{1,4}[.,]\d{1,2}[ ]to[ ]$")
_CHAIN_AFTER = re.compile(r"[ ]?(?:→|->|>>|=>)[ ]?\d|[ ]to[ ]\d{1,4}[.,]\d(?!\d*\.)")
_CELL_BEFORE, _CELL_AFTER = re.compile(r"\d[;|][ ]?$"), re.compile(r"[ ]?[;|][ ]?\d")  # 37.1;88;118/72;16
_DECIMAL = re.compile(r"\d{1,3}[.,]\d{1,2}")
_NAMED_BEFORE = re.compile(r"(?:\b[A-Z][A-Za-z]{0,4}|[a-zµ%°])[ ][<>=~]?$")  # PI 1.02, mean 4.8
_THOUSANDS = re.compile(r"(?<![\d.,/-])[1-9]\d{0,2}[ ]\d{3}(?![\d-]|[ ]\d)")  # CPK 2 340
_EDITION = re.compile(
    r"(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Easter|Christmas|Xmas)\w*[ ])[A-Z][\w.-]+[ ](?:19|20)\d\d"
)
_STANDARD_BEFORE = re.compile(
    r"\b(?:ISO|CPT|ICD(?:-?1[01])?|SNOMED|LOINC|HCPCS|DIN|CE|EN)[ :#~=|-]{0,3}(?:\d{1,5}:|\d{5}(?:[ ]?[,;+][ ]?))?$"
)
# `1-0-1`, `150-0-200`
_REGIMEN = re.compile(
    r"(?:[0-4](?:[.,]5|½)?(?:-[0-4](?:[.,]5|½)?){2,3}|\d{1,3}-0-\d{1,3}(?:-\d{1,3})?|0-\d{1,3}-\d{1,3})(?![\d-])"
)
_SIGN_BEFORE = re.compile(r"(?<![\w.)])[-+−±]$")  # -4.25
# `8/10 to 2/10`: two of so many, for days do not run backwards; `in 6/52`, `recall 12/12`: weeks and months
_TWO_OF_SO_MANY = re.compile(r"(\d{1,3})/(\d{1,3})[ ]?(?:to|→|->|–|then|bis|à|a)[ ]?(\d{1,3})/(\d{1,3})(?![\d/])")
# `17/17`, `0/4`, `TOF 1/4 → 3/4`: all or none of so many, and fewer of them before than after
_ALL_OR_NONE = re.compile(r"(?:0/\d{1,3}|(\d{1,3})/\1)(?![\d/])")
_FROM_TO = re.compile(r"(\d{1,3})/(\d{1,3})[ ]?(?:→|->|=>)[ ]?(\d{1,3})/\2(?![\d/])")
_SPAN_OF_TIME = re.compile(r"\b(?:in|every|recall|rv|review|f/?u|past|over|x|×|last|opd|clinic)[ ]?$", re.IGNORECASE)
_OF_YEAR = re.compile(r"\d{1,2}/(?:7|12|52)(?![\d/])|\d{1,2}/\d{1,2}(?=h\b)")
_COMPONENTS = re.compile(r"(?:[A-Z]{1,2}[\dTx]){2,}[a-z]?")  # E3V4M6, A2L3B2
_POSITION_AFTER = re.compile(r"(?:[ ]?(?:position|o['’]clock))?[,;]?[ ]\d{1,2}(?:[.,]\d)?[ ]?(?:cm|mm)\b|[ ]000\b")
# `suture 12 o'clock`, `undermining from two to five o'clock`: a place on the body, by a clock's face
_CLOCK_FACE = re.compile(r"(?:\d{1,2}|[a-z]+)[ ]o['’]clock", re.IGNORECASE)
_FACE_BEFORE = re.compile(
    r"\b(?:suture|stitch|margin|undermining|tunnell?ing|sinus|breast|areola|nipple|lesion|mass|nodule|lump|fissure|tear|anus|"
    r"anal|cervix|iris|cornea|retina|disc)\w*[^.;\n]{0,24}$",
    re.IGNORECASE,
)
# `M54`, `F/68`: of what sex and age, below ninety; not after what has numbers of its own
_SEX_AND_AGE = re.compile(r"(?<![^\W_])[MF]/?[1-8]?\d(?![\w/.-])")
_NUMBERED_BEFORE = re.compile(
    r"(?:\b(?:bed|bay|room|rm|ward|unit|no|ref|lot|id|mrn|code|flat|apt|block|blk)\b[.:]?|[#:-])[ ]?$", re.I
)
_PAIR_OF_DECIMALS = re.compile(r"(?:(\d)|(\d\d))[.,]\d{1,2}/(?(1)\d|\d\d)[.,]\d{1,2}")  # 7.18/7.26
_ACROSS = re.compile(r"(?<![\w.])\d{1,3}(?:[.,]\d)?[x×]\d{1,3}(?![\w.])")  # a nail of 11x200
_NORMAL_RANGE = re.compile(r"(?<=[lLg%][|])\d+(?:\.\d+)?-\d+(?:\.\d+)?(?![^|])")  # |/uL|150000-400000|
_HOURS_AFTER = re.compile(r"[ ]h(?![\w:])")
_CLOCK_BEFORE = re.compile(  # at an hour, or on a day
    r"\b(?:at|à|a|um|gegen|ab|vers|dès|las|by|from|until|till|bis|since|rdv|rv|termin|cita|demain|morgen|heute|"
    r"\w*(?:di|dimanche|tag|woch|day)|lunes|martes|miércoles|jueves|viernes|sábado|domingo)[ ]$",
    re.IGNORECASE,
)
_OF_SO_MANY = re.compile(r"\d{1,3}/\d{1,3}")
_LYMPH_NODES_BEFORE = re.compile(r"\bp?N\d[a-c]?[ ]?\($")
_PART_OF = re.compile(
    r"(?:half|third|fourth|quarter|fifth|first|second)s?(?=[ ](?:of[ ](?:the|a|left|right)|days?|weeks?)\b)"
)
_SAID_OF_MANY = frozenset({"24/7", "2/2", "50/50"})
_WORD_BEFORE = re.compile(r"([^\W\d_]+)(?:-\d{1,2})?[ :=]{1,3}(?:(?:of|was|is)[ ])?$")


def is_amount(text: str, start: int, piece: str) -> bool:
    """`Na 118`, `wt 211`, `31w2d`, `c.5946delT`."""
    if _OBSTETRIC.fullmatch(piece):
        return True
    before = text[max(0, start - 16) : start]
    return bool(_AMOUNT.fullmatch(piece) and (_MEASURED_BEFORE.search(before) or _GENE_BEFORE.search(before)))


def is_value(text: str, start: int, end: int) -> bool:
    """Of a shape, or in a place, that values have: a chain, a row of a table, a regimen, components, a position."""
    piece, before = text[start:end], text[max(0, start - 24) : start]
    if _is_scored(text, start, end):
        return True
    if len(piece) == 3 and piece.isalpha() and piece.islower():  # in the sun, sat up, wed last month
        return True
    if _PART_OF.match(text, start) or (before[-1:] == "-" and piece.isalpha()):  # the middle third of the clavicle
        return True
    if piece in _SAID_OF_MANY or _REGIMEN.match(text, start) or _COMPONENTS.fullmatch(piece):
        return True
    if _is_sex_and_age(text, start, end) or (_CLOCK_FACE.fullmatch(piece) and _FACE_BEFORE.search(text, 0, start)):
        return True
    if not piece[:1].isdigit():
        return bool(_EDITION.fullmatch(piece))
    if _CHAIN_BEFORE.search(before) or _CHAIN_AFTER.match(text, end) or _is_share(text, start, end, before):
        return True
    if (
        _PAIR_OF_DECIMALS.fullmatch(piece)
        or _NORMAL_RANGE.fullmatch(text, start, end)
        or _lies_in(_ACROSS, text, start, end)
    ):
        return True
    if end - start < 3 and _HOURS_AFTER.match(text, end) and re.search(r"[a-z][ ]$", before):  # for so long
        return not _CLOCK_BEFORE.search(before)
    short = end - start < 4 or piece.count("/") == 1 or _DECIMAL.fullmatch(piece)
    if short and (_CELL_BEFORE.search(before) or before.endswith("\n")) and _CELL_AFTER.match(text, end):
        return True
    if _DECIMAL.fullmatch(piece) and (_NAMED_BEFORE.search(before) or _SIGN_BEFORE.search(before)):
        return True
    thousands = _THOUSANDS.search(text, max(0, start - 4), end + 4)
    if thousands and thousands.start() <= start and end <= thousands.end() and UNIT_AFTER.match(text, thousands.end()):
        return True
    return bool(_STANDARD_BEFORE.search(before)) or bool(
        _POSITION_AFTER.match(text, end) or _LYMPH_NODES_BEFORE.search(before)
    )


def _lies_in(shape: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return any(one.start() <= start and end <= one.end() for one in shape.finditer(text, max(0, start - 8), end + 8))


def _is_sex_and_age(text: str, start: int, end: int) -> bool:
    for one in _SEX_AND_AGE.finditer(text, max(0, start - 4), end + 4):
        if one.start() <= start and end <= one.end():
            return not _NUMBERED_BEFORE.search(text, max(0, one.start() - 8), one.start())
    return False


def _is_share(text: str, start: int, end: int, before: str) -> bool:
    """A fraction beside another of the same denominator, or of a week or a year."""
    if text.find("/", start, end) < 0:
        return False
    if _ALL_OR_NONE.fullmatch(text, start, end) or _lies_in(_FROM_TO, text, start, end):
        return True
    for pair in _TWO_OF_SO_MANY.finditer(text, max(0, start - 12), end + 12):
        if pair.start() <= start and end <= pair.end():
            return pair[2] == pair[4] and int(pair[1]) > int(pair[3])
    told = _SPAN_OF_TIME.search(before) or text.endswith("/52", start, end) or text.startswith("h", end)
    return bool(told and _OF_YEAR.fullmatch(text, start, end))


def _is_scored(text: str, start: int, end: int) -> bool:
    """`Barthel 6/20`, `EMS 11/20`: a number of so many, after what bears a name or goes by capitals."""
    if not _OF_SO_MANY.fullmatch(text, start, end):
        return False
    before = _WORD_BEFORE.search(text, max(0, start - 24), start)
    if before is None:
        return False
    named = has(fold(before[1]), Kind.SCALE | Kind.EPONYM)
    return named or (before[1].isupper() and len(before[1]) > 1)


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

"""Names that are nobody's: Kerley B lines, a Swan-Ganz catheter, Hodgkin's disease."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, has
from medveil.defenses.reports.rules.page import Page

# What follows the name of a sign, a disease, an operation or a device.
_NOUNS = (
    "sign|signs|disease|diseases|syndrome|syndromes|fracture|fractures|node|nodes|nodules?|line|lines|hump|catheter|catheters|tube|"
    "tubes|procedure|procedures|operation|repair|shunt|criteria|score|scale|classification|grade|lymphoma|lymphomas|"
    "sarcoma|sarcomas|tumou?rs?|carcinoma|hernia|hernias|ring|rings|diverticulum|ulcer|deformity|angle|index|ratio|"
    "space|ligament|foramen|fissure|lobe|cell|cells|body|bodies|lesion|lesions|complex|focus|malformation|phenomenon|"
    "contracture|palsy|paralysis|dementia|chorea|anomaly|effect|esophagus|oesophagus|port|ports|reservoir|stent|graft|"
    "valve|drain|drains|rod|rods|wire|wires|screw|screws|plate|filter|balloon|bag|tip|suction|needle|mask|collar|"
    "pump|monitor|monitoring|introducer|sheath|trach|prosthesis|implant|device|guidelines?|society|recommendations?|"
    "protocol|technique|method|maneuver|manoeuvre|position|projection|view|views|thyroiditis|arteritis|purpura|"
    "nephropathy|anemia|anaemia|ataxia|reflex|test|stain|equation|law|triad|tetrad|tetralogy|pentad|cyst|cysts|gland|"
    "duct|ducts|spots?|bronchus|plaques?|nevus|osteodystrophy|triangle|pouch|arch|point|band|bands|fundoplication|"
    "wrap|gastrectomy|gastrojejunostomy|esophagectomy|hysterectomy|anastomosis|limb|resection|myotomy|classifications|"
    "units?|scan|wave|waves|pressure|encephalopathy|granulomatosis|cirrhosis|fibrosis|pneumonia|pneumonitis|vasculitis|"
    "cardiomyopathy|atrophy|dystrophy|contraction|bundle|block|gas|coma|exudate|nail|pin|"
    "brace|cast|splint|traction|elevator|retractor|forceps|clamp|clips?|cannula|obturator|thrombectomy|endograft|"
    "lymphadenopathy|lymphadenitis|crisis|goiter|ophthalmopathy|attack|opacity|pleurisy|in[ \t]remission|on[ "
    "\t]steroids|"
    "type|stage|a|b|c|i|ii|iii|iv"
)
_NOUN_AFTER = re.compile(
    rf"(?:['’]s?)?(?:[ \t\r\n]{{1,3}}|-)(?:(?:type|like|tunneled|dialysis|central|venous|pleural|multiple)[ "
    rf"\t])?(?:{_NOUNS})(?![A-Za-z/])",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(
    r"(?:\bnon|\bagent|\bmodified|\bper|\bof|\bsee|\ba|\ban|\bthe|\bsurgical|\bprior|\bprevious|\bleft|\bright|\bl|\br|"
    r"\bij|\bsubclavian|\bcurrent|\bremaining|\bjugular|\btunneled|\bstatus[ \t\r\n]post|\bs/p|\bd/?c|"
    r"\bpull|\bknown|\bno)"
    r"[ \t\r\n\-]+$",
    re.IGNORECASE,
)


# Scores, grades and tests that go by a name, told by the number beside them: `Wagner 2`.
_SCORED = re.compile(
    r"(?:['’]s)?(?:[ ](?:score[ ]|class[ ]|grade[ ]|type[ ]|level[ ]|was[ ]|of[ ]|is[ ])?|[:=][ ]?|[ ]?=[ ]?)"
    r"(?:\d{1,2}[a-c]?(?![\d/:-]|\.\d\d)|0\.\d{1,2}|\d{3}(?![\d/:-])|[IV]{1,3}[ab]?(?![\w.])|[A-D]\d)"
)
_EDITION = re.compile(r"[ ](?:19|20)\d\d(?!\d)")  # McDonald 2017; but somebody moved to Boston 2019


def is_eponym(page: Page, index: int) -> bool:
    """Whether this word, in this place, names a thing and not a person."""
    word = page.words[index]
    if _is_scale(page, index):
        return True
    if not word.kind & Kind.EPONYM:
        return (word.listed or word.kind == Kind.UNKNOWN) and bool(_THING_AFTER.match(page.text, word.end))
    if "-" in word.folded and not word.name_only:
        return True
    if page.before(word.start, 1) == "(" and page.text[word.end : word.end + 1] == ")":
        return True
    return bool(_NOUN_AFTER.match(page.text, word.end)) or bool(_NOUN_BEFORE.search(page.before(word.start, 14)))


def _is_scale(page: Page, index: int) -> bool:
    words, word = page.words, page.words[index]
    if has(word.folded, Kind.SCALE):
        edition = not word.kind & Kind.CITY and _EDITION.match(page.text, word.end)
        if edition or _SCORED.match(page.text, word.end):
            return True
    before = words[index - 1].folded if index else ""
    after = words[index + 1].folded if index + 1 < len(words) else ""
    return any(has(pair, Kind.PAIR) for pair in (word.folded, f"{before}-{word.folded}", f"{word.folded}-{after}"))


# After a name that no list knows as an eponym: only what is never said of a person.
_THING_AFTER = re.compile(
    r"(?:['’]s)?[ \t]{1,2}(?:sign|disease|syndrome|fracture|catheter|tube|procedure|shunt|criteria|classification|"
    r"lymphoma|sarcoma|tumou?r|hernia|deformity|lines?|bands?|canal|index|rules?|scores?|scale|"
    r"screws?|plates?|nails?|rods?|wires?|test|splints?|frame|scissors|retractors?|forceps|"
    r"clamps?|blade|needles?|brace|collar|elevators?|stockings?|dressings?|chromosome|murmur|stain|neg|pos|negative|positive|absent|view|diet|exercises?|"
    r"maneuver|lift|table|stand|drain|stent|filter|prosthesis|valve|anastomosis|fundoplication)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)

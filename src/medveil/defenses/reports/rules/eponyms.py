"""Names that are nobody's: Kerley B lines, a Swan-Ganz catheter, Hodgkin's disease."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import Kind
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
    r"\bij|\bsubclavian|\bcurrent|\bremaining|\bjugular|\btunneled|\bstatus[ \t\r\n]post|\bs/p|\bknown|\bno)"
    r"[ \t\r\n\-]+$",
    re.IGNORECASE,
)


def is_eponym(page: Page, index: int) -> bool:
    """Whether this word, in this place, names a thing and not a person."""
    word = page.words[index]
    if not word.kind & Kind.EPONYM:
        return word.listed and bool(_THING_AFTER.match(page.text, word.end))
    if "-" in word.folded and not word.name_only:
        return True
    if page.before(word.start, 1) == "(" and page.text[word.end : word.end + 1] == ")":
        return True
    return bool(_NOUN_AFTER.match(page.text, word.end)) or bool(_NOUN_BEFORE.search(page.before(word.start, 14)))


# After a name that no list knows as an eponym: only what is never said of a person.
_THING_AFTER = re.compile(
    r"(?:['’]s)?[ \t]{1,2}(?:sign|disease|syndrome|fracture|catheter|tube|procedure|shunt|criteria|classification|"
    r"lymphoma|sarcoma|tumou?r|hernia|deformity|lines?|bands?|canal|index|rules?|scores?|scale|"
    r"screws?|plates?|nails?|rods?|wires?|test|view|diet|exercises?|maneuver|lift|table|stand|drain|stent|filter|prosthesis|valve|anastomosis|fundoplication)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)

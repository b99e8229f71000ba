"""Which findings a radiology report states, by rules: a word for it, and nothing near by that denies it.

The rules are few and read plain English as radiologists write it. They let an attacker compare a report with
what a film shows, and are not made to label data: what is only possible counts as present, a removed device as absent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WORDS = {
    "cardiomegaly": (
        r"cardiomegaly|(?:heart|cardiac)[^.;]{0,40}\b(?:enlarged|enlargement|large|prominent)|"
        r"enlarged (?:heart|cardiac)"
    ),
    "wide mediastinum": (
        r"(?:mediastin\w+|aort\w+)[^.;]{0,30}\b(?:wid\w+|enlarg\w+|tortuo\w+|ectasi\w+|ectatic|unfold\w+|"
        r"dilat\w+)|(?:tortuo\w+|ectatic|unfolded|dilated|widened|enlarged) (?:\w+ )?(?:aorta|"
        r"mediastin\w+)"
    ),
    "aortic calcification": (
        r"(?:aort\w+|atheroscler\w+)[^.;]{0,30}calcif\w+|calcif\w+[^.;]{0,20}aort\w+|atheroscler\w+"
    ),
    "edema": r"o?edema|vascular congestion|congestive|failure|kerley|engorge\w+|cephali[sz]ation",
    "effusion": (
        r"effusions?|(?:blunt\w+)[^.;]{0,30}(?:angle|sulc\w+)|(?:angle|sulc\w+)[^.;]{0,30}blunt\w+|"
        r"pleural fluid"
    ),
    "pneumothorax": r"pneumothora\w+|ptx",
    "pleural thickening": r"pleural[^.;]{0,20}(?:thicken\w+|plaques?|scar\w+)|fibrothorax|plaques?",
    "atelectasis": r"atelecta\w+|collapse\w*|volume loss|hypoventilat\w+",
    "consolidation": r"consolidat\w+|air ?bronchogram\w*",
    "pneumonia": r"pneumonias?|pneumonic|infiltrat\w+|infectious|bronchopneumonia",
    "opacity": r"opaci\w+|airspace disease|densit(?:y|ies)|haz[ye]\w*|shadow\w*|markings",
    "interstitial": r"interstiti\w+|reticul\w+|fibro\w+|honeycomb\w+|bronchiect\w+",
    "nodule": r"nodul\w+|mass(?:es)?|lesions?|metasta\w+|tumou?rs?|neoplas\w+|malignan\w+",
    "granuloma": r"granulom\w+|calcified (?:\w+ ){0,2}(?:node|nodes|nodule|nodules|lymph|hilar)|histoplasm\w+",
    "emphysema": (
        r"emphysem\w+|copd|hyperinflat\w+|hyperexpan\w+|hyperlucen\w+|flatten\w+|bull(?:a|ae|ous)|"
        r"obstructive"
    ),
    "low volumes": (
        r"low lung volumes?|(?:shallow|poor|low|suboptimal|decreased)[^.;]{0,12}inspirat\w+|hypoinflat\w+|"
        r"underinflat\w+"
    ),
    "scar": r"scar\w*",
    "hilar": r"hil(?:um|ar|a)\b[^.;]{0,30}(?:enlarg\w+|promin\w+|full\w*)|lymphadenopath\w+|adenopath\w+",
    "elevated diaphragm": (
        r"(?:diaphragm\w*|hemidiaphragm\w*)[^.;]{0,30}(?:elevat\w+|eventrat\w+)|(?:elevat\w+|"
        r"eventrat\w+)[^.;]{0,30}diaphragm\w*"
    ),
    "hernia": r"hernias?",
    "spine": r"(?:degenerat\w+|osteophyt\w+|spondyl\w+|arthrit\w+|spurring)|kyphosis|kyphotic",
    "scoliosis": r"scolio\w+|curvature|levocurv\w+|dextrocurv\w+",
    "fracture": r"fractur\w+|compression deform\w+|dislocat\w+",
    "osteopenia": r"osteopen\w+|osteopor\w+|deminerali\w+",
    "pacemaker": r"pacemakers?|pacer|pacing|defibrillator|\bicd\b|\baicd\b|\bppm\b",
    "line": (
        r"picc|(?:central|venous|jugular|subclavian|hickman|dialysis)[^.;]{0,20}(?:line|catheter)s?|"
        r"catheters?|port(?:-a-cath|acath)?\b|mediport|\bcv[cl]\b"
    ),
    "tube": (
        r"endotracheal|tracheostomy|\bett\b|nasogastric|orogastric|enteric tube|dobhoff|\b[no]gt\b|"
        r"feeding tube"
    ),
    "chest tube": r"chest tubes?|thoracostomy|pleural drain|pigtail|\bicc\b",
    "sternotomy": r"sternotomy|sternal wires?|cabg|bypass|median wires?",
    "clips": (
        r"clips?|sutures?|staples?|surgical (?:changes|material|hardware)|postsurgical|postoperative|"
        r"mastectomy|lobectomy|pneumonectomy"
    ),
    "hardware": r"hardware|prosthes\w+|prosthetic|arthroplast\w+|fixation|fusion|rods?\b|plates?\b|screws?\b|valve",
    "abnormal": r"abnormal\w*|worsen\w+|increas\w+|new\b|acute",
}
FINDINGS = tuple(_WORDS)
_PATTERNS = tuple(re.compile(rf"\b(?:{words})", re.IGNORECASE) for words in _WORDS.values())
_HEADING = re.compile(
    r"^\s*(?:comparison|indication|history|clinical|technique|exam\w*|procedure|reason)[^:\n]*:.*$", re.I | re.M
)
_STOP = re.compile(
    r"(?<!\d)[.;:](?!\d)|\n|\b(?:but|however|although|except|apart from|aside from|with the exception of)\b", re.I
)
_BEFORE = re.compile(
    r"\b(?:no|not|without|never|neither|nor|non|negative for|free of|clear of|absence of|absent|resol\w+|exclude\w*|"
    r"rule[sd]? out|r/o|unremarkable for|removal of|removed|fails? to)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[^.;,]{0,40}\b(?:(?:is|are|was|were|has|have)(?: been)? (?:not|no longer|normal|unremarkable|within normal|"
    r"resolved|removed|absent|excluded|withdrawn)|"
    r"not (?:seen|identified|present|evident|enlarged)|absent|resolved|removed|within normal|ruled out)",
    re.IGNORECASE,
)


def report_findings(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Reports × `FINDINGS`: stated, and not denied in the same clause."""
    return np.array([_stated(text) for text in texts], dtype=bool).reshape(len(texts), len(FINDINGS))


def _stated(text: str) -> list[bool]:
    """Why the film was taken, and what it was compared with, is no finding."""
    told = _HEADING.sub(" ", text)
    clauses = _STOP.split(told if told.strip() else text)
    return [any(_affirmed(clause, pattern) for clause in clauses) for pattern in _PATTERNS]


def _affirmed(clause: str, pattern: re.Pattern[str]) -> bool:
    return any(
        not _BEFORE.search(clause, 0, match.end()) and not _AFTER.match(clause[match.end() :])
        for match in pattern.finditer(clause)
    )

"""Identifiers by a few plain patterns, written apart from the cleaner's rules and networks.

They know less than the cleaner does, and nothing from it: what it overlooks for a reason of its own, they may see.
"""

from __future__ import annotations

import re

from medveil.person.identifiers import Category
from medveil.person.span import Span, without_overlaps

_WORD = r"[A-ZÄÖÜ][A-Za-zÄÖÜäöüß'’-]{2,}"
_NAME = rf"(?:[A-Z]\.\s*)*{_WORD}(?:\s+(?:[A-Z]\.\s+)?{_WORD})?"
_LABELS = (
    r"name|patient name|mrn|medical record(?: number| no\.?)?|accession(?: number| no\.?)?|ssn|signed by|dictated by|"
    r"reported by|read by|referred by|referring physician|attending(?: physician)?|radiologist"
)
_PATTERNS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (Category.DOCTOR, re.compile(rf"\b(?:Drs?|Prof)\.?\s+(?:med\.?\s+)?(?P<it>{_NAME})")),
    (Category.DOCTOR, re.compile(rf"(?P<it>{_WORD}\s+(?:[A-Z]\.\s+)?{_WORD}),?\s+(?:M\.?D|D\.?O|FRCR|Ph\.?D)\b")),
    (Category.NAME, re.compile(rf"\b(?:Mrs?|Ms|Miss|Herrn?|Frau)\.?\s+(?P<it>{_NAME})")),
    (Category.OTHER_ID, re.compile(rf"(?im)\b(?:{_LABELS})\s*[:#=]\s*(?P<it>[^\n;,.]{{4,60}})")),
    (Category.EMAIL, re.compile(r"(?P<it>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")),
    (Category.URL, re.compile(r"(?P<it>(?:https?://|www\.)\S+)")),
    (Category.PHONE, re.compile(r"(?<![\d.])(?P<it>\+?\(?\d{2,4}\)?[\s./-]\d{3,4}[\s./-]\d{3,5})(?!\d|\.\d)")),
    (Category.OTHER_ID, re.compile(r"(?<![\d.,/-])(?P<it>(?:[A-Z]{1,4}-?)?\d{6,})(?![\d.,/-]*\d)")),
)
_TAKEN_OUT = re.compile(r"[\W_Xx\d]*|\W*(?:redacted|removed|none|unknown|not stated)\W*", re.IGNORECASE)


def plain_identifiers(text: str) -> list[Span]:
    """Titled and signed names, what follows a label, addresses of the net, telephone and other long numbers."""
    found = []
    for category, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("it")
            if category is Category.OTHER_ID and not text[start].isdigit() and _TAKEN_OUT.fullmatch(text[start:end]):
                continue  # others took it out before
            found.append(Span(start, end, category))
    return without_overlaps(found)

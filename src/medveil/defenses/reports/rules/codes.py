"""Numbers and codes that carry no label but can hardly be anything else: long, or letters and many digits."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_CODE = re.compile(r"(?<![\w.,/-])(?=[\w-]{0,59}\d)[^\W_](?:[\w-]{2,58}[^\W_])(?![\w-]|[.,/]\d)")
_AMOUNT_AFTER = re.compile(
    r"[ \t]?(?:mm|cm|mg|ml|mL|cc|kg|g|mcg|units?|IU|U|/|%|cells|copies|platelets|WBC|RBC|per|ng|pg|bpm|mGy|Hz|K)\b"
)
# `"system":"http://loinc.org","code":"36643-5"`, `CPT 71046`
_VOCABULARY = re.compile(r"\b(?:loinc|snomed|icd-?10|rxnorm|ucum|cpt|hcpcs|nct|isbn|pmid|doi)\W.{0,30}$", re.IGNORECASE)
_SERIAL = re.compile(r"SN\d{5,}", re.IGNORECASE)


def take(page: Page) -> None:
    for match in _CODE.finditer(page.text):
        if _is_code(match[0]) and page.free(*match.span()) and not _is_told(page, *match.span()):
            page.take(*match.span(), Category.DEVICE_SERIAL if _SERIAL.fullmatch(match[0]) else Category.OTHER_ID)


def _is_code(written: str) -> bool:
    """Six digits and more, five in a row beside letters, or an identifier of a machine."""
    runs = re.findall(r"\d+", written)
    digits, letters = sum(map(len, runs)), sum(map(str.isalpha, written))
    if re.fullmatch(r"\d{1,4}-\d{1,4}", written):
        return False
    return (digits >= 6 and (letters > 0 or max(map(len, runs)) >= 5)) or (letters > 0 and max(map(len, runs)) >= 5)


def _is_told(page: Page, start: int, end: int) -> bool:
    """An amount, or the code of a vocabulary: the same for everybody."""
    return bool(_AMOUNT_AFTER.match(page.text, end) or _VOCABULARY.search(page.before(start, 48)))

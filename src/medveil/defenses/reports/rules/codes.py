"""Numbers and codes that carry no label but can hardly be anything else: long, or letters and many digits."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_LONGEST = 60
_REST = re.compile(rf"[\w-]{{1,{_LONGEST}}}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ROOM = re.compile(r"(?<![\w-])\d{1,2}(?:[A-CE-Z]|[NSEW]{1,2})-\d{1,3}(?![\w-])")
_AMOUNT_AFTER = re.compile(
    r"[ \t]?(?:mm|cm|mg|ml|mL|cc|kg|g|mcg|units?|IU|U|/|%|cells|copies|platelets|WBC|RBC|per|ng|pg|bpm|mGy|Hz|K)\b"
)
_SERIALS = re.compile(r"SN\d{5,}", re.IGNORECASE)
_LETTERED = re.compile(r"[A-Za-z]{1,6}[-_]?\d[A-Za-z0-9_-]*")
_STAFF = re.compile(r"(?:M\.?D\.?|D\.?O\.?|RN|NP)[ \t]+(?P<value>[A-Z]{1,3}\d{2,4})(?=[\s/,;.]|$)")
_DOTTED = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{3}){2}-[\dkK]{1,2}(?!\w)")  # numbers of persons in South America
_IN_DOTTED, _IN_ROOM = re.compile(r"\.\d{3}-"), re.compile(r"[A-Z]-\d")
_RANGE = re.compile(r"\d{1,4}-\d{1,4}")
# `"system":"http://loinc.org","code":"36643-5"`
_VOCABULARY = re.compile(
    r"(?:loinc|snomed|icd-?10|rxnorm|ucum|cpt)[\w./\"', :^|-]{0,20}\bcode\b[\"': =]{1,5}$", re.IGNORECASE
)
_GUARDED = words("cpt icd icd10 snomed loinc hcpcs drg rvu nct isbn pmid doi")


def take(page: Page) -> None:
    text = page.text
    for match in _DOTTED.finditer(text) if _IN_DOTTED.search(text) else ():
        if page.free(*match.span()):
            page.take(*match.span(), Category.OTHER_ID)
    end = 0
    for digit in page.digits:
        if digit < end:
            continue
        start, end = _code_around(text, digit)
        if end - start > 3 and page.free(start, end) and _is_code(page, start, end):
            page.take(start, end, _category(text[start:end]))
    for match in _STAFF.finditer(text):
        if page.free(*match.span("value")):
            page.take(*match.span("value"), Category.OTHER_ID)
    for match in _ROOM.finditer(text) if _IN_ROOM.search(text) else ():
        if page.free(*match.span()):
            page.take(*match.span(), Category.OTHER_ID)


def _code_around(text: str, digit: int) -> tuple[int, int]:
    """The letters, digits, hyphens and underscores this digit stands among."""
    start, rest = digit, _REST.match(text, digit)
    assert rest is not None
    end = rest.end()
    while start and digit - start < _LONGEST and (text[start - 1].isalnum() or text[start - 1] in "-_"):
        start -= 1
    while start < digit and text[start] in "-_":
        start += 1
    while text[end - 1] in "-_":
        end -= 1
    return start, end


def _is_code(page: Page, start: int, end: int) -> bool:
    text, code = page.text, page.text[start:end]
    digits = sum(map(str.isdigit, code))
    if digits < 4:
        return False
    before, after = page.before(start, 12), text[end : end + 12]
    if (before[-1:] in ".,/" and before[-2:-1].isdigit()) or re.match(r"[.,/]\d", after):
        return bool(digits >= 7)
    if _AMOUNT_AFTER.match(after):
        return False
    label = re.findall(r"[A-Za-z0-9]+", before)
    if (label and label[-1].lower() in _GUARDED) or _VOCABULARY.search(page.before(start, 60)):
        return False
    if code.isdigit():
        return digits >= 6
    if _RANGE.fullmatch(code):
        return False
    if _UUID.fullmatch(code):
        return True
    longest = max(map(len, re.findall(r"\d+", code)))
    letters = sum(map(str.isalpha, code))
    if letters > digits and not _LETTERED.fullmatch(code):
        return digits >= 6
    return longest >= 5 or (digits >= 6 and longest >= 3) or (digits >= 6 and letters > 0)


def _category(code: str) -> Category:
    if _SERIALS.fullmatch(code):
        return Category.DEVICE_SERIAL
    return Category.OTHER_ID

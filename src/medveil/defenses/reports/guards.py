"""What the tagger may not take: eponyms, devices, measurements, levels, scores, and what is already blanked out."""

from __future__ import annotations

import re

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found
from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind
from medveil.defenses.reports.rules.page import Page

_PEOPLE = frozenset({Category.NAME, Category.DOCTOR, Category.INITIALS, Category.HOSPITAL, Category.ADDRESS})
_BLANK = re.compile(r"(?:[\s.,:;/()\-]|X{2,}|_{2,}|\[\*\*[^\]]*\*\*\]|\[[A-Z0-9 ]+\]|<[A-Z]+>)+")
_UNIT_AFTER = re.compile(
    r"[ \t]?-?[ \t]?(?:mm|cm|cms|m|mg|mcg|g|kg|ml|mL|cc|l|L|%|percent|fr|Fr|French|kV|kVp|mAs|mA|Hz|bpm|mmHg|degrees?|°|x|×|"
    r"hours?|hrs?|days?|weeks?|wks?|months?|years?|yrs?|minutes?|mins?|seconds?|times|views?|ribs?|images?|slices?|liters?|"
    r"packs?|ppd|units?|IU|lbs?|inch(?:es)?|fold|HU|vertebra\w*|lobes?|nodules?)(?![A-Za-z])"
)
_MEASURE = re.compile(
    r"(?:[CTLS]\d{1,2}(?:[-/](?:[CTLS]?\d{1,2}))?|\d{1,2}[-–]\d{1,2}|\d(?:\.\d+)?|\d+\.\d+|\d{1,2}/\d{1,2}|[123]\d?\d/\d\d{1,2})"
)
_COUNTED = re.compile(
    r"(?:image|images|series|slice|slices|page|frame|views?|stage|grade|type|figure|level|ribs?|lead|segment)[ \t#]*(?:\d+[ \t]*(?:of|/|-|,|and)[ \t]*)?$",
    re.IGNORECASE,
)
_FRACTION_AFTER = re.compile(
    r"[ \t]*(?:of[ \t]+(?:the|its|his|her|a|normal|lung)|murmur|strength|systolic)", re.IGNORECASE
)


def kept_by_guards(text: str, found: list[Found]) -> list[Found]:
    """What remains of the tagger's findings."""
    if not found:
        return []
    page = Page(text)
    trimmed = (_trimmed(text, one) for one in found)
    return [one for one in trimmed if one is not None and not _guarded(page, one)]


def _trimmed(text: str, found: Found) -> Found | None:
    """Without the space and punctuation around it."""
    start, end = found.start, found.end
    while start < end and not text[start].isalnum() and text[start] not in "(+":
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] != ".":
        end -= 1
    return Found(start, end, found.category) if end > start else None


def _guarded(page: Page, found: Found) -> bool:
    piece = page.text[found.start : found.end]
    if _BLANK.fullmatch(piece) or not any(map(str.isalnum, piece)):
        return True
    if found.category in _PEOPLE:
        return _names_a_thing(page, found)
    if found.category is Category.AGE_OVER_89:
        digits = re.findall(r"\d+", piece)
        return bool(digits) and int(digits[0][:4]) < 90
    return _measures(page.text, found, piece)


def _names_a_thing(page: Page, found: Found) -> bool:
    indices = [index for index, word in enumerate(page.words) if found.start <= word.start and word.end <= found.end]
    if not indices:
        return False
    words = [page.words[index] for index in indices]
    if all(is_eponym(page, index) or _plain(page, index) for index in indices):
        return True
    lowered = not any(word.capital for word in words)
    return lowered and all(word.kind & (Kind.ORDINARY | Kind.EPONYM) for word in words)


def _plain(page: Page, index: int) -> bool:
    """A word of the language or the ward that no list of names knows."""
    word = page.words[index]
    if word.listed:
        return False
    return word.short or bool(word.kind & Kind.ORDINARY and (not word.capital or page.opens_sentence(word.start)))


def _measures(text: str, found: Found, piece: str) -> bool:
    if found.category in (Category.DATE, Category.TIME) and re.search(r"[A-Za-z]{3}", piece):
        return False
    if not any(map(str.isdigit, piece)):
        return False
    digits = sum(map(str.isdigit, piece))
    if digits <= 4 and (
        _UNIT_AFTER.match(text, found.end) or _COUNTED.search(text[max(0, found.start - 24) : found.start])
    ):
        return found.category is not Category.DATE or "/" not in piece or bool(_UNIT_AFTER.match(text, found.end))
    if _MEASURE.fullmatch(piece) and ("/" not in piece or bool(_FRACTION_AFTER.match(text, found.end))):
        return found.category is not Category.OTHER_ID or digits < 2 or "." in piece
    return False

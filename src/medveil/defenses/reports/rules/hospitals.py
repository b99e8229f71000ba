"""Hospitals, clinics and practices, by what their names are made of, and their short names."""

from __future__ import annotations

import re

from medveil.cohort.identifiers import Category
from medveil.defenses.reports.rules.lists import Kind
from medveil.defenses.reports.rules.page import Page, Word

# The word a name turns on, and words that go before it without being a name by themselves.
_HEADS = frozenset(
    "hospital hospitals hosp infirmary clinic clinics klinik klinikum krankenhaus hopital hospice sanatorium sanitarium "
    "polyclinic ospedale clinique ziekenhuis sykehus university universitatsklinikum medical-center".split()
)
_PAIRS = {
    "center": "medical health cancer care heart trauma surgery imaging outpatient rehabilitation radiology nursing "
    "healthcare treatment community veterans surgical children's",
    "centre": "medical health cancer care heart trauma surgery imaging outpatient rehabilitation radiology nursing",
    "home": "nursing care convalescent retirement",
    "system": "health healthcare hospital medical",
    "group": "medical radiology physicians imaging",
    "associates": "radiology medical imaging cardiology surgical pulmonary",
    "institute": "cancer heart medical lung radiology",
    "campus": "hospital medical",
    "network": "health hospital",
    "trust": "nhs foundation hospital",
    "facility": "nursing care rehabilitation correctional",
    "school": "medical",
    "healthcare": "",
    "practice": "medical family",
}
_TYPES = frozenset(
    "general regional memorial university community county city district state national royal central veterans va st "
    "saint santa san mount mt holy sacred good our lady children's childrens children women's womens medical health "
    "teaching foundation presbyterian methodist baptist lutheran adventist catholic jewish deaconess mercy trinity "
    "providence north south east west northern southern eastern western new cancer heart eye rehabilitation surgical "
    "orthopedic imaging radiology outpatient nursing specialty specialist care family urgent surgery trauma convalescent "
    "retirement healthcare physicians valley hill park lake river grace hope faith and & of the for at".split()
)
_GENERIC = frozenset(  # types that name no one hospital
    "medical health teaching cancer heart eye rehabilitation surgical orthopedic imaging radiology outpatient nursing "
    "specialty specialist care family urgent surgery trauma and & of the for at state national district new convalescent "
    "healthcare retirement physicians children women's children's community city county general regional local central "
    "university university's veterans va good our new".split()
)
_JOINS = re.compile(r"[ \t]{1,2}(?:&[ \t])?|[ \t]*\r?\n[ \t]*|\.[ \t]|[ \t]-[ \t]|-")
_SHORT = re.compile(r"(?<![\w.\-/&'])[A-Z]{2,6}(?![\w'\-/]|\.\w)")
_BEFORE_VIEW = re.compile(r"[ \t]+(?:p?CXR|CHEST|Chest|XR|X-?RAY|RADIOLOGY|Radiology|CT|MRI|US|ED|ER|ICU)\b")
_PAGE_AFTER = re.compile(r"[ \t]+Page[ \t]\d", re.IGNORECASE)
_FAMOUS = frozenset("MGH BWH BIDMC BIDH UCSF UCLA NYU MSKCC UPMC VUMC CHOP JHH NIH UCSD UCH OHSU UNC UTSW MDACC CCF HUP BMC NEMC SJH".split())


def take(page: Page) -> None:
    words = page.words
    for index, word in enumerate(words):
        head = word.folded
        if head in _HEADS or (head in _PAIRS and index and words[index - 1].folded in _PAIRS[head].split()):
            _take_around(page, index)
        elif head in ("healthcare", "health") and word.capital and index and _specific(page, words[index - 1]):
            _take_around(page, index)


def _take_around(page: Page, index: int) -> None:
    words = page.words
    if not words[index].capital or not page.free(words[index].start, words[index].end):
        return
    first = index
    while first and index - first < 7 and _belongs(page, words[first - 1]) and _touch(page, first - 1):
        first -= 1
    while first < index and words[first].folded in ("of", "the", "for", "at", "and", "our") :
        first += 1
    last = _last_of(page, index)
    inside = [word for word in words[first : last + 1] if word is not words[index]]
    named = any(_specific(page, word) for word in inside)
    typed = any(word.folded in _TYPES - _GENERIC for word in inside)
    if (named or typed) and page.free(words[first].start, words[last].end):
        page.take(words[first].start, words[last].end, Category.HOSPITAL)


def _touch(page: Page, index: int) -> bool:
    gap = page.text[page.words[index].end : page.words[index + 1].start]
    if "\n" in gap and not _is_wrap(page, index):
        return False
    if gap.startswith(".") and page.words[index].folded not in ("st", "mt", "ste", "dr"):
        return False
    return bool(_JOINS.fullmatch(gap))


def _is_wrap(page: Page, index: int) -> bool:
    """Whether the line was broken because it was full."""
    start = page.text.rfind("\n", 0, page.words[index].end)
    return page.words[index].end - start > 55


def _belongs(page: Page, word: Word) -> bool:
    """Whether this word can stand in the name of a hospital, before the head."""
    if not page.free(word.start, word.end):
        return False
    if word.folded in ("of", "the", "and", "for", "de", "la", "du", "der"):
        return True
    return word.capital and (word.folded in _TYPES or _specific(page, word))


def _specific(page: Page, word: Word) -> bool:
    """Whether this word names rather than describes."""
    if not word.capital or word.kind & Kind.SHORT:
        return False
    if word.folded in _TYPES:
        return False
    return not word.kind & Kind.ORDINARY or (bool(word.kind.listed) and not page.in_capitals(word.start)
                                             and not page.opens_sentence(word.start))


def _last_of(page: Page, index: int) -> int:
    """The word after which the name ends: `of Cape Verity`, `Clinic Bellhaven`."""
    words, last = page.words, index
    if last + 1 < len(words) and words[last + 1].folded in ("of", "at", "for", "de") and _touch(page, last):
        ahead = last + 2
        if ahead < len(words) and words[ahead].folded == "the" and _touch(page, ahead - 1):
            ahead += 1
        if ahead < len(words) and _touch(page, ahead - 1) and _names_place(page, words[ahead]):
            last = ahead
    elif last + 1 < len(words) and _touch(page, last) and "\n" in page.text[words[last].end : words[last + 1].start]:
        return last
    while last + 1 < len(words) and last - index < 5 and _touch(page, last) and _names_place(page, words[last + 1]):
        if "\n" in page.text[words[last].end : words[last + 1].start]:
            break
        last += 1
    if last + 1 < len(words) and words[last + 1].folded in _HEADS and _touch(page, last) and words[last + 1].capital:
        last += 1
    return last


def _names_place(page: Page, word: Word) -> bool:
    if not word.capital or not page.free(word.start, word.end) or word.kind & Kind.SHORT:
        return False
    towns = ("cape", "port", "fort", "new", "san", "santa", "saint", "st", "north", "south", "east", "west", "silver", "long")
    return word.folded in towns or not word.kind & Kind.ORDINARY


def take_short_names(page: Page) -> None:
    """`HGH` of a hospital named in full, and capitals that stand where a hospital's short name would."""
    text = page.text
    shorts = {"".join(name) for found in page.found if found.category is Category.HOSPITAL
              for name in _acronyms(text[found.start : found.end])}
    for match in _SHORT.finditer(text):
        if not page.free(*match.span()):
            continue
        short = match[0]
        if short in _FAMOUS or short in shorts or _stands_for_hospital(page, match):
            page.take(*match.span(), Category.HOSPITAL)


def _acronyms(name: str) -> list[str]:
    words = re.findall(r"[^\W\d_]+", name.replace("'s", "").replace("’s", ""))
    capitals = "".join(word[0] for word in words if word[0].isupper())
    return [capitals] if 2 <= len(capitals) <= 6 else []


def _stands_for_hospital(page: Page, match: re.Match[str]) -> bool:
    from medveil.defenses.reports.rules.lists import kind_of

    start, end = match.span()
    if kind_of(match[0].lower()) & (Kind.SHORT | Kind.ORDINARY) or page.in_capitals_beyond(start, end):
        return False
    before, after = page.before(start, 4), page.text[end : end + 24]
    if _PAGE_AFTER.match(after):
        return True
    if (not before or before.endswith("\n")) and _BEFORE_VIEW.match(after):
        return True
    gap = len(before) - len(before.rstrip(" ,"))
    return gap > 0 and "," in before[-gap:] and page.taken_at(start - gap - 1)

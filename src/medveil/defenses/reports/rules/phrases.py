"""Short phrases without a sentence around them, as typed at a console: `CHEST PA KJ`, `CXR FOR DR LONG`."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category

_TITLE = words("dr mr mrs ms miss prof doctor for by")
_BODY = words(
    "chest thorax ap pa lat lateral portable supine erect upright abdomen pelvis spine skull knee hip hand wrist "
    "foot ankle "
    "shoulder elbow rib ribs clavicle sternum view views routine exam study series image detector system room mobile"
)


def take(page: Page) -> None:
    words = page.words
    for index, word in enumerate(words):
        if index and words[index - 1].folded in _TITLE and page.joined(index - 1) and _is_name(page, word):
            page.take(word.start, word.end, Category.DOCTOR)
        elif word.name_only and word.capital and len(word.text) > 2 and not is_eponym(page, index):
            _take_listed(page, index)
    if words and (last := words[-1]) and _is_initials(page, last):
        page.take(last.start, last.end, Category.INITIALS)


def _take_listed(page: Page, index: int) -> None:
    """A word that is a name and nothing else, with the name beside it: `SHARP, COLIN`, `Alice Long`."""
    first = last = index
    for other in (index - 1, index + 1):
        if 0 <= other < len(page.words) and page.words[other].listed and page.words[other].capital:
            one, two = min(index, other), max(index, other)
            if page.text[page.words[one].end : page.words[two].start] in (" ", ", ", ",", "^"):
                first, last = min(first, other), max(last, other)
    start, end = page.words[first].start, page.words[last].end
    if page.free(start, end):
        page.take(start, end, Category.NAME)


def _is_name(page: Page, word: PageWord) -> bool:
    if not word.capital or not page.free(word.start, word.end) or word.folded in _BODY or len(word.text) < 2:
        return False
    if word.listed:
        return True
    return not word.kind & (Kind.ORDINARY | Kind.SHORT)


def _is_initials(page: Page, word: PageWord) -> bool:
    return (
        bool(re.fullmatch(r"[A-Z]{2,3}", word.text))
        and not word.kind & (Kind.SHORT | Kind.ORDINARY)
        and page.free(word.start, word.end)
        and not page.text[word.end :].strip(" .")
        and len(page.words) > 1
        and page.text[word.start - 1] in " ,"
    )

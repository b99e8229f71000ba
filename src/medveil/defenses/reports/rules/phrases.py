"""Short phrases without a sentence around them, as typed at a console: `CHEST PA KJ`, `THORAX SHARP, COLIN`. They are
too few words for the network: here a name of the lists is somebody's, and a last word of two or three letters too."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_JOINS = (" ", ", ", ",", "^")
_INITIALS = re.compile(r"(?<=[ ,])[A-Z]{2,3}(?=[ .]*$)")


def take(page: Page) -> None:
    for index, word in enumerate(page.words):
        if word.name_only and word.capital and len(word.text) > 2 and not is_eponym(page, index):
            first, last = (index - 1 if _is_joined(page, index - 1) else index), index + _is_joined(page, index)
            start, end = page.words[first].start, page.words[last].end
            if page.free(start, end):
                page.take(start, end, Category.NAME)
    closing = _INITIALS.search(page.text)
    if closing and not page.words[-1].kind & (Kind.SHORT | Kind.ORDINARY) and page.free(*closing.span()):
        page.take(*closing.span(), Category.INITIALS)


def _is_joined(page: Page, index: int) -> bool:
    """Whether this word and the next are two names side by side."""
    if not 0 <= index < len(page.words) - 1:
        return False
    one, other = page.words[index], page.words[index + 1]
    return all(word.listed and word.capital for word in (one, other)) and page.text[one.end : other.start] in _JOINS

"""A name once recognised is the same person's, or house's, wherever else it stands in the text, mistyped too."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, kind_of
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import ALL_TITLES_IN_TEXT, PARTICLES_IN_TEXT
from medveil.person.normalised import fold, one_error_apart

_KINDS = (Category.NAME, Category.DOCTOR, Category.HOSPITAL)
_PART = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*")


def take(page: Page) -> None:
    names = _names(page)
    for index in range(len(page.words)) if names and page.is_small else page.capitals if names else ():
        word = page.words[index]
        base = word.folded.removesuffix("'s").removesuffix("’s")
        if len(base) < 2 or not page.free(word.start, word.end):
            continue
        category = names[base] if base in names and _is_meant(page, index) else _mistyped(word, base, names)
        if category is not None:
            page.take(word.start, word.start + len(base) if len(base) < len(word.folded) else word.end, category)


def _names(page: Page) -> dict[str, Category]:
    """Every part of a name recognised so far; of a house what tells it from others."""
    names: dict[str, Category] = {}
    for found in page.found:
        for part in _PART.findall(page.text, found.start, found.end) if found.category in _KINDS else ():
            folded = fold(part)
            short = len(part) < 3 and not (len(part) == 2 and part.istitle())  # Ng; NG is a tube
            thing = found.category is Category.HOSPITAL and (len(part) < 4 or kind_of(folded) & Kind.THING)
            if not (short or thing or folded in PARTICLES_IN_TEXT or folded in ALL_TITLES_IN_TEXT):
                names.setdefault(folded, found.category)
    return names


def _is_meant(page: Page, index: int) -> bool:
    """A word that is something else as well counts only where its capital means something."""
    word = page.words[index]
    if len(word.text) == 2 and not word.text.istitle():
        return False
    if not word.kind & Kind.THING:
        return not is_eponym(page, index)
    if word.kind & Kind.EPONYM or page.in_capitals(word.start) or page.opens_sentence(word.start):
        return False
    return word.capital and not word.text.isupper()


def _mistyped(word: PageWord, base: str, names: dict[str, Category]) -> Category | None:
    if len(base) < 5 or word.kind & Kind.THING:
        return None
    near = (name for name in names if len(name) > 4 and name[0] == base[0] and one_error_apart(name, base))
    return names.get(next(near, ""))

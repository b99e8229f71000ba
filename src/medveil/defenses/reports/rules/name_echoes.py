"""A name once recognised is the same person's, or house's, wherever else it stands in the text, mistyped too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lexicon import Kind, kind_of, words
from medveil.defenses.reports.rules.name_reading import end_of
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import PARTICLES_IN_TEXT
from medveil.person.normalised import fold, one_error_apart
from medveil.person.span import Span

_PEOPLE = (Category.NAME, Category.DOCTOR)
_PART = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*")
_TITLES = words("mr mrs ms miss mx dr prof")


def take(page: Page) -> None:
    echoes = _names(page, page.found)
    if not echoes:
        return
    by_length: dict[int, list[str]] = {}
    for name in echoes:
        if len(name) >= 5:
            by_length.setdefault(len(name), []).append(name)
    for index in range(len(page.words)) if page.is_small else page.capitals:
        word = page.words[index]
        if (len(word.text) < 3 and not _short_name(word.text)) or not page.free(word.start, word.end):
            continue
        base = word.folded.removesuffix("'s").removesuffix("’s")
        category = echoes.get(base)
        if category is None:
            category = _mistyped(page, word, base, by_length, echoes)
        elif not _trusted(page, index):
            category = None
        if category is not None:
            page.take(_start(page, index), end_of(page, index), category)


def _names(page: Page, recognised: Sequence[Span]) -> dict[str, Category]:
    """Every part of a person's name recognised so far, and what tells a house from others."""
    names: dict[str, Category] = {}
    for found in recognised:
        if found.category is Category.HOSPITAL:
            for match in _PART.finditer(page.text, found.start, found.end):
                if len(match[0]) > 3 and match[0][0].isupper() and not kind_of(fold(match[0])) & Kind.THING:
                    names.setdefault(fold(match[0]), Category.HOSPITAL)
        elif found.category in _PEOPLE:
            for match in _PART.finditer(page.text, found.start, found.end):
                part = fold(match[0])
                if (len(part) > 2 or _short_name(match[0])) and part not in PARTICLES_IN_TEXT and part not in _TITLES:
                    names.setdefault(part, found.category)
    return names


def _short_name(written: str) -> bool:
    """`Ng` and `Xu`, as a name is written; `NG` is a tube."""
    return len(written) == 2 and written.istitle()


def _trusted(page: Page, index: int) -> bool:
    """An ordinary word counts only where its capital means something."""
    word = page.words[index]
    if is_eponym(page, index):
        return False
    if not word.kind & (Kind.ORDINARY | Kind.EPONYM | Kind.SHORT) or (
        _short_name(word.text) and not word.kind & Kind.ORDINARY
    ):
        return True
    if word.kind & Kind.EPONYM and not word.kind & Kind.ORDINARY:
        return False
    bracketed = page.before(word.start, 1) == "(" and page.text[word.end : word.end + 1] == ")"
    if bracketed and page.taken_at(word.start - 3):  # L THA 6/30 (Salt)
        return True
    if page.in_capitals(word.start) or page.opens_sentence(word.start):
        return False
    return not word.text.isupper() or not (index and page.words[index - 1].capital and page.joined(index - 1))


def _mistyped(
    page: Page, word: PageWord, base: str, by_length: dict[int, list[str]], echoes: dict[str, Category]
) -> Category | None:
    if len(base) < 4 or kind_of(base) & (Kind.ORDINARY | Kind.SHORT | Kind.EPONYM):
        return None
    for length in (len(base) - 1, len(base), len(base) + 1):
        for name in by_length.get(length, ()):
            if name[0] == base[0] and one_error_apart(name, base):
                return echoes[name]
    return None


def _start(page: Page, index: int) -> int:
    """With the given name before it."""
    start = page.words[index].start
    while index:
        before = page.words[index - 1]
        gap = page.text[before.end : page.words[index].start]
        given = before.capital and (before.name_only or (before.initial and gap.startswith(".")))
        given = given or (bool(before.kind & Kind.PARTICLE) and not before.text[0].isdigit())
        if (
            not page.free(before.start, before.end)
            or not re.fullmatch(r"\.?[ \t]{1,2}|\.?[ \t]*\r?\n", gap)
            or not given
        ):
            break
        start, index = before.start, index - 1
    return start

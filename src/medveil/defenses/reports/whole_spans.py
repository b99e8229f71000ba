"""Half a name is as bad as none: what the tagger found of a person or a place grows over the rest of it, and a number
that it saw in pieces (`RA` and `096063`, `(01)0064` and `(21)RNB4`) is one number."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import NUMBERS, Category
from medveil.person.name import ALL_TITLES_IN_TEXT, DEGREES_IN_TEXT
from medveil.person.span import Span

_WRITTEN_NUMBERS = NUMBERS | {Category.PHONE, Category.FAX}
_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_GROWING = _PEOPLE | {Category.HOSPITAL, Category.ADDRESS}
_INSIDE = words("of and the for at de la du des der & -")
_LABEL_AFTER = re.compile(r":|[ ]\d")  # `Page 1/1`
_LONGEST = 4  # words to each side
_HOURS_AFTER = re.compile(r"\s*hours\s*$", re.IGNORECASE)
_NO_GAP = re.compile(r"[-/.()]{0,2}")


def whole_numbers(text: str, found: Sequence[Span]) -> list[Span]:
    """The findings in order, with numbers that touch made one, of the longest piece's kind."""
    result: list[Span] = []
    longest = 0
    for one in found:
        last = result[-1] if result else None
        if last and {last.category, one.category} <= _WRITTEN_NUMBERS and _NO_GAP.fullmatch(text, last.end, one.start):
            category = one.category if one.end - one.start > longest else last.category
            longest = max(longest, one.end - one.start)
            result[-1] = Span(last.start, one.end, category)
        else:
            longest = one.end - one.start
            result.append(one)
    return result


def trimmed(text: str, found: Span) -> Span | None:
    """Without the space and punctuation around it, and without the unit of a time."""
    start, end = found.start, found.end
    if found.category is Category.TIME and (unit := _HOURS_AFTER.search(text, start, end)):
        end = unit.start()
    while start < end and not text[start].isalnum() and text[start] not in "(+":
        start += 1
    dotted = found.category in _PEOPLE or found.category in (Category.INITIALS, Category.TIME)
    while end > start and not text[end - 1].isalnum() and not (dotted and text[end - 1] == "."):
        end -= 1
    return Span(start, end, found.category) if end > start else None


def completed(page: Page, found: list[Span]) -> list[Span]:
    """The same findings, those of people and places as long as their names are; never into another."""
    bounds = [0, *(place for one in found for place in (one.start, one.end)), len(page.text)]
    return [
        _grown(page, one, bounds[2 * place], bounds[2 * place + 3]) if one.category in _GROWING else one
        for place, one in enumerate(found)
    ]


def _grown(page: Page, one: Span, low: int, high: int) -> Span:
    all_words = page.words
    first = bisect_right(all_words, one.start, key=lambda word: word.end)
    last = bisect_left(all_words, one.end, first, key=lambda word: word.start) - 1
    if last < first:
        return _with_word_before(page, one, first - 1, low)
    if page.in_capitals(one.start):
        return one
    start, end = min(one.start, all_words[first].start), max(one.end, all_words[last].end)
    if start < low or end > high or end < one.end:
        return one
    for _ in range(_LONGEST):
        step = _step(page, last, 1, one.category)
        if step == last or all_words[step].end > high:
            break
        last, end = step, all_words[step].end
    for _ in range(_LONGEST):
        step = _step(page, first, -1, one.category)
        if step == first or all_words[step].start < low:
            break
        first, start = step, all_words[step].start
    return Span(start, end, one.category)


def _with_word_before(page: Page, one: Span, index: int, low: int) -> Span:
    """`Sector 14`, of which only the number was found."""
    if one.category is not Category.ADDRESS or index < 0 or page.in_capitals(one.start):
        return one
    word = page.words[index]
    beside = page.text[word.end : one.start] == " " and word.start >= low
    return Span(word.start, one.end, one.category) if beside and word.capital and not word.short else one


def _step(page: Page, index: int, way: int, category: Category) -> int:
    """The next word that belongs to the name, over at most one small word; or the same one."""
    for reach in (1, 2):
        following = index + way * reach
        if not 0 <= following < len(page.words):
            return index
        between = page.text[
            min(page.words[index].end, page.words[following].end) : max(
                page.words[index].start, page.words[following].start
            )
        ]
        if "\n" in between or len(between) > 6:
            return index
        if reach == 1 and between in (" ", " & ", "-") and _belongs(page, following, category, way):
            return following
        small = between.split()
        if reach == 2 and category not in _PEOPLE and len(small) == 1 and small[0] in _INSIDE:
            return following if _belongs(page, following, category, way) else index
    return index


def _belongs(page: Page, index: int, category: Category, way: int) -> bool:
    word = page.words[index]
    if (
        not word.capital
        or word.short
        or word.folded in DEGREES_IN_TEXT
        or word.folded in ALL_TITLES_IN_TEXT
        or is_eponym(page, index)
    ):
        return False
    if _LABEL_AFTER.match(page.text, word.end) or (way < 0 and page.opens_sentence(word.start)):
        return False
    if category in _PEOPLE:
        return word.initial or _is_name(word)
    return not word.text.isupper()


def _is_name(word: PageWord) -> bool:
    return word.name_only or word.kind == Kind.UNKNOWN

"""Where a person's name ends, once something says that one begins."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import Kind, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.person.identifiers import Category
from medveil.person.name import ABBREVIATED_TITLES, DEGREES_IN_TEXT, GENERATIONS, PARTICLES_IN_TEXT

_LONGEST = 6  # words
_PARTICLES = PARTICLES_IN_TEXT - {"do", "saint"}  # inside a name these two are a degree and another name
# Never a name, whatever goes before.
_STOPS = words(
    "the a an this that these those there at on in of for with and or to from by is are was were be been has have had "
    "will would can could should may might must shall not no nor so if as per via who which when while his her he she "
    "they we i it its our your their my me him them us you do does did but than then also only very please"
)
_NEVER = ABBREVIATED_TITLES | _STOPS - words("may will do so can us")
_SPACE = re.compile(r"[ \t\xa0]{1,2}")
_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_DOT = re.compile(r"\.[ \t\xa0]{0,2}(?:\r?\n[ \t]*)?")
_COMMA = re.compile(r",[ \t]{0,2}|,\r?\n[ \t]*|\^")
_APOSTROPHE = re.compile(r"[ \t\r\n]{1,2}['’]")


def possible(page: Page, word: PageWord, *, sure: bool) -> bool:
    """Whether this word can be part of a name; `sure` where the surroundings already speak of a person."""
    if not word.capital or not page.free(word.start, word.end) or word.folded in DEGREES_IN_TEXT:
        return False
    if word.folded in ABBREVIATED_TITLES or _is_code(page, word):
        return False
    stops = word.folded in _STOPS
    loud = word.text.isupper() and page.in_capitals(word.start)
    if word.short and len(word.text) == 2 and word.text.isupper() and not loud:  # told to the ED
        return False
    if word.listed:
        if stops:
            return sure and not loud and not page.opens_sentence(word.start)
        return sure or not word.kind & (Kind.ORDINARY | Kind.EPONYM | Kind.SHORT)
    if stops or word.kind & Kind.SHORT or len(word.text) == 1:
        return False
    if word.kind & (Kind.ORDINARY | Kind.EPONYM):
        return sure and not loud and bool(word.kind & Kind.EPONYM) and not word.kind & Kind.ORDINARY
    return True


def name_from(page: Page, index: int, *, sure: bool, comma: bool = False, titled: bool = False) -> int:
    """The last word of the name that begins at this word, or -1; with `comma`, `Family, Given` counts as one.

    After a title (`titled`) even an ordinary word is a name: Dr. Base.
    """
    words = page.words
    last, place, real = -1, index, 0
    while place < len(words) and place - index < _LONGEST:
        word = words[place]
        if place > index and not _continues(page, place, comma=comma and real == 1, seen=real):
            break
        if _is_initial(page, word, started=real > 0 or place == index):
            if real:
                last = place
        elif _is_particle(page, place):
            pass
        elif word.folded in GENERATIONS and real:
            last = place
        elif possible(page, word, sure=sure or (real > 0 and not word.text.isupper())) or (
            (titled or (sure and real == 1 and words[place - 1].kind & Kind.GIVEN and not word.text.isupper()))
            and real < 2
            and _after_title(page, word)
        ):
            real += 1
            last = place
        else:
            break
        if word.text[-2:].lower() in ("'s", "’s") and real:  # Mr. Long's INR
            break
        place += 1
    return last if real else -1


def _after_title(page: Page, word: PageWord) -> bool:
    named = word.capital and len(word.text) > 1 and word.folded not in _NEVER and bool(word.folded.strip("x"))
    return named and page.free(word.start, word.end) and not _is_code(page, word)


def _is_code(page: Page, word: PageWord) -> bool:
    """`BRCA1`: capitals with a digit at their heels."""
    return word.text.isupper() and page.text[word.end : word.end + 1].isdigit()


def _is_initial(page: Page, word: PageWord, *, started: bool) -> bool:
    return word.initial and started and page.free(word.start, word.end)


def _is_particle(page: Page, place: int) -> bool:
    """`van` and `de la`: small, or in capitals among capitals, and a name must follow."""
    words, word = page.words, page.words[place]
    if word.folded not in _PARTICLES or place + 1 >= len(words):
        return False
    gap = page.text[word.end : words[place + 1].start]
    if not (_SPACE.fullmatch(gap) or _BREAK.fullmatch(gap) or _APOSTROPHE.fullmatch(gap) or gap == "."):
        return False
    following = words[place + 1]
    if word.folded in ("y", "e", "o", "do", "al", "le", "la") and not word.capital and not following.capital:
        return False
    return following.folded in _PARTICLES or (following.capital and following.folded not in _STOPS)


def _continues(page: Page, place: int, *, comma: bool, seen: int) -> bool:
    """Whether what stands between this word and the one before belongs inside a name."""
    words = page.words
    before, word = words[place - 1], words[place]
    gap = page.text[before.end : word.start]
    if _SPACE.fullmatch(gap) or _APOSTROPHE.fullmatch(gap):
        return True
    if _BREAK.fullmatch(gap):  # a line may break inside a name, but a new line may also be a new matter
        if word.name_only or before.folded in _PARTICLES or (before.initial and word.listed):
            return True
        return bool(word.listed and before.kind & Kind.GIVEN) and page.wrapped(before.end)
    if _DOT.fullmatch(gap):
        return before.initial or before.folded in ("st", "jr", "sr") or (before.folded in _PARTICLES and not seen)
    if comma and _COMMA.fullmatch(gap):
        return (word.folded not in DEGREES_IN_TEXT and not word.initial) or gap == "^"
    return False


def end_of(page: Page, last: int) -> int:
    """The character after the name, a closing dot of an initial or suffix included, a possessive left out."""
    word = page.words[last]
    if word.text[-2:].lower() in ("'s", "’s") and len(word.text) > 3:
        return word.end - 2
    if (word.initial or word.folded in ("jr", "sr")) and page.text[word.end : word.end + 1] == ".":
        return word.end + 1
    return word.end


def take_name(page: Page, first: int, last: int, category: Category, *, doubted: bool = False) -> None:
    """The words from first to last are a name, unless something has been recognised in them before."""
    begin, end = page.words[first].start, end_of(page, last)
    if page.free(begin, end):
        page.take(begin, end, category, doubted=doubted)

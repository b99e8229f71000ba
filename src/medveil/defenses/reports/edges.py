"""What only comes along with a name, a day or a house stays: the title before it, a degree after it, `the`, `comma`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from medveil.defenses.reports.rules.lexicon import Kind, is_role, words
from medveil.defenses.reports.rules.page import Page, PageWord
from medveil.defenses.reports.scoring.evidence import words_in
from medveil.person.identifiers import Category
from medveil.person.name import ABBREVIATED_TITLES, DEGREES_IN_TEXT, GENERATIONS, PARTICLES_IN_TEXT
from medveil.person.span import Span

_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_PLACES = frozenset({Category.HOSPITAL, Category.ADDRESS, Category.COUNTY})
_DAYS = frozenset({Category.DATE, Category.TIME})
_AFTER_NAMES = DEGREES_IN_TEXT | ABBREVIATED_TITLES | words("spelled surname geboren")
_COUNTIES = words("county co parish shire borough")
_ZONES = words("est edt cst cdt mst mdt pst pdt utc gmt bst cet hrs hours uhr")
_SMALL = words(
    "the a an on in at of to by from for with and or after before since until via is was who whose her his per w "
    "comma period stop full point colon slash dash hyphen quote unquote spelled uh um bleep badge ward bed room hand "
    "phone punkt komma virgule punto coma"
)
_ARTICLES = words("de la le les du des au aux el los las del su der die das den dem vom zum zur zu ab am im en il lo")
_RUN = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*|\d+")
_PART_OF_DAY = re.compile(r"[ \t]+in[ \t]+the[ \t]+(?:morning|afternoon|evening)$", re.IGNORECASE)


def narrowed(page: Page, found: list[Span]) -> list[Span]:
    """What stands between two pieces of one name belongs to it."""
    bounds = [None, *found, None]
    return [
        _narrowed(page, one, before=_touches(before, one), after=_touches(one, after))
        for before, one, after in zip(bounds, found, bounds[2:], strict=False)
    ]


def _touches(one: Span | None, other: Span | None) -> bool:
    if one is None or other is None or other.start - one.end > 1:
        return False
    return any({one.category, other.category} <= kinds for kinds in (_PEOPLE, _PLACES, _DAYS))


def _narrowed(page: Page, one: Span, *, before: bool, after: bool) -> Span:
    if one.category in _DAYS and (part := _PART_OF_DAY.search(page.text, one.start, one.end)):
        one = replace(one, end=part.start())
    comes_along = _COMES_ALONG.get(one.category)
    if comes_along is None:
        return one
    runs = [match.span() for match in _RUN.finditer(page.text, one.start, one.end)]
    own = {page.words[index].start: page.words[index] for index in words_in(page, one)}
    first, last = 0, len(runs) - 1
    while first < last and not before and (word := own.get(runs[first][0])):
        if not comes_along(page, word, own.get(runs[first + 1][0]), front=True):
            break
        first += 1
    while first < last and not after and (word := own.get(runs[last][0])):
        if not comes_along(page, word, own.get(runs[last - 1][0]), front=False):
            break
        last -= 1
    start = runs[first][0] if first else one.start
    return replace(one, start=start, end=runs[last][1] if last < len(runs) - 1 else one.end)


def _with_person(page: Page, word: PageWord, beside: PageWord | None, *, front: bool) -> bool:
    """A title, a relation, a trade, a small word or an abbreviation; never what a list has as somebody's name."""
    if len(word.text) == 1:  # M/Katpadi, Tremblay R3
        tied = page.text[word.end : word.end + 1]
        return tied == "/" or (not front and tied.isdigit())
    if word.listed and word.folded not in ABBREVIATED_TITLES:
        return False
    if is_role(word.folded) if front else word.folded in _AFTER_NAMES:
        return True
    if word.folded in PARTICLES_IN_TEXT or word.folded in GENERATIONS:
        return False
    if word.folded in _SMALL:
        return not word.capital or page.in_capitals(word.start)
    if word.short and beside is not None and not front and len(word.text) > 2:  # Lani ABO; RAI Kiaan may be a family
        return not beside.text.isupper() and page.text[word.start - 1 : word.start] in (" ", "")
    return not word.capital and not page.is_small and (page.is_foreign or bool(word.kind & Kind.ORDINARY))


def _with_house(page: Page, word: PageWord, beside: PageWord | None, *, front: bool) -> bool:
    return not word.capital and (word.folded in _SMALL or (front and word.folded in _ARTICLES))


def _with_place(page: Page, word: PageWord, beside: PageWord | None, *, front: bool) -> bool:
    return word.folded in _COUNTIES or _with_house(page, word, beside, front=front)


def _with_day(page: Page, word: PageWord, beside: PageWord | None, *, front: bool) -> bool:
    if word.folded in _SMALL - {"to", "of", "a"}:
        return True
    return not front and word.folded in _ZONES and not page.text[word.start - 1].isdigit()


_COMES_ALONG: dict[Category, Callable[..., bool]] = {
    **dict.fromkeys(_PEOPLE, _with_person),
    **dict.fromkeys((Category.ADDRESS, Category.COUNTY), _with_place),
    Category.HOSPITAL: _with_house,
    **dict.fromkeys(_DAYS, _with_day),
}

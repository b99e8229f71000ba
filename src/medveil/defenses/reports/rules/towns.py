"""Towns named in running text: those known everywhere, and whatever somebody lives in."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.eponyms import is_eponym
from medveil.defenses.reports.rules.lists import Kind
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_LIVES = re.compile(
    r"\b(?:(?:lives|living|resides|residing|born|works|working|house|apartment|moved|native|resident|flew|home|"
    r"travel(?:l?ed|l?ing|s)?|returned)\s+(?:in|of|to|from|near|outside|at)"
    r"|(?:male|female|man|woman|patient|lady|gentleman|transfer(?:red)?|xfer(?:red)?|tx['’]?d|referred|retired|originally|brought)\s+from)"
    r"\s+(?:the\s+(?:town|city|village)\s+of\s+)?$",
    re.IGNORECASE,
)
_LIVES_WITH = re.compile(r"\b(?:lives?|living|resides?)[ ](?:[\w/]{1,12}[ ]){1,4}(?:in|near)[ ]$", re.IGNORECASE)
_ROADS = frozenset({"i", "us", "sr", "interstate", "rte", "route", "highway", "hwy"})
_ROAD = re.compile(
    r"(?:I-(?!1(?:23|24|25|31)\b)\d{1,3}|(?:US|SR|Interstate|Rte|Route|Highway|Hwy)[ -]\d{1,3})(?![\w-])"
)
_ON_ROAD = re.compile(r"\b(?:on|off|along|onto|near|via|down|of|from|exit[ ]\d{1,3})[ ](?:the[ ])?$", re.IGNORECASE)
_IN = ("in", "of", "to", "from", "near", "outside", "at")  # the last word of all of these
_NOT_TOWNS = re.compile(
    r"[ \t]*(?:[a-z]+[ \t])?(?:rules?|index|grading|consensus|guidelines?|criteria|classification|score|scale|stool|"
    r"sign|protocol|definition|study|trial|coma|type|virus|strain|brace|Scientific|chromosome|translocation|collar|"
    r"fever|disease|pouch|regimen|dressing|approach)\b"
)


def take(page: Page) -> None:
    words = page.words
    _take_roads(page)
    for index in page.capitals:
        word = words[index]
        known = word.kind & Kind.CITY and not word.kind & (Kind.ORDINARY | Kind.EPONYM)
        if not known and not _unknown(word.kind):
            continue
        if not page.free(word.start, word.end) or page.in_capitals(word.start):
            continue
        if known and not _NOT_TOWNS.match(page.text, word.end) and not is_eponym(page, index):
            page.take(word.start, word.end, Category.ADDRESS, doubted=True)
        elif _unknown(word.kind) and len(word.text) > 3 and _lived_in(page, word.start):
            end = index
            while (
                end + 1 < len(words) and page.joined(end) and words[end + 1].capital and _unknown(words[end + 1].kind)
            ):
                end += 1
            page.take(word.start, words[end].end, Category.ADDRESS)


def _take_roads(page: Page) -> None:
    for word in page.standing(_ROADS):
        match = _ROAD.match(page.text, word.start)
        if match and page.free(*match.span()) and _ON_ROAD.search(page.before(match.start(), 16)):
            page.take(*match.span(), Category.ADDRESS)


def _unknown(kind: int) -> bool:
    return not kind & (Kind.ORDINARY | Kind.EPONYM | Kind.SHORT)


def _lived_in(page: Page, place: int) -> bool:
    before = page.before(place, 48)
    return before.rstrip().lower().endswith(_IN) and bool(_LIVES.search(before) or _LIVES_WITH.search(before))

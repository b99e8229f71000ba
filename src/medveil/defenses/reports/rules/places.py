"""Towns named in running text: those known everywhere, and whatever somebody lives in."""

from __future__ import annotations

import re

from medveil.cohort.identifiers import Category
from medveil.defenses.reports.rules.lists import Kind
from medveil.defenses.reports.rules.page import Page

_LIVES = re.compile(
    r"(?:\blives|\bliving|\bresides|\bresiding|\bhome|\bborn|\bworks|\bhouse|\bapartment|\bmoved|\bnative|\btravel(?:l?ed|l?ing|s)?|\bresident|\breturned|\bflew|\bfrom)"
    r"[ \t\r\n]+(?:(?:in|of|to|from|near|outside|at)[ \t\r\n]+)?(?:the[ \t]+(?:town|city|village)[ \t]+of[ \t]+)?$"
)
_NOT_TOWNS = re.compile(r"[ \t]*(?:criteria|classification|score|scale|stool|sign|protocol|definition|study|trial|coma|type|virus|strain)\b")


def take(page: Page) -> None:
    words = page.words
    for index, word in enumerate(words):
        if not word.capital or not page.free(word.start, word.end) or page.in_capitals(word.start):
            continue
        known = word.kind & Kind.CITY and not word.kind & (Kind.ORDINARY | Kind.EPONYM)
        if known and not _NOT_TOWNS.match(page.text, word.end):
            page.take(word.start, word.end, Category.ADDRESS)
        elif _unknown(word.kind) and len(word.text) > 3 and _lived_in(page, word.start):
            end = index
            while end + 1 < len(words) and page.joined(end) and words[end + 1].capital and _unknown(words[end + 1].kind):
                end += 1
            page.take(word.start, words[end].end, Category.ADDRESS)


def _unknown(kind: Kind) -> bool:
    return not kind & (Kind.ORDINARY | Kind.EPONYM | Kind.SHORT)


def _lived_in(page: Page, place: int) -> bool:
    before = page.before(place, 40)
    match = _LIVES.search(before)
    return bool(match) and not re.search(r"\bfrom[ \t\r\n]+$", match[0] if match else "") or bool(match and " " in match[0].strip())

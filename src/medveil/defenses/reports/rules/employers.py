"""Where somebody works: `works at Long & Short`, `worked as a driver for Northern Lines`. Taken as a place's name."""

from __future__ import annotations

import re

from medveil.cohort.identifiers import Category
from medveil.defenses.reports.rules.lists import words
from medveil.defenses.reports.rules.page import Page

_WORKS = words("works worked working employed employee job retired")
_SERVICES = words("Navy Army Marines Marine Air Coast Military Home")
_CAPITAL = r"[A-ZÀ-Þ][\w'’&.-]{0,40}\w"
_EMPLOYER = re.compile(
    r"[ \t]+(?:as[ ](?:an?[ ])?(?:[a-z-]+[ ]){1,3})?(?:at|for|by|with|from)[ ](?:the[ ])?"
    rf"(?P<name>{_CAPITAL}(?:[ ](?:(?:&|and|of)[ ])?{_CAPITAL}){{0,4}})"
)


def take(page: Page) -> None:
    for word in page.words:
        if word.folded in _WORKS and not page.in_capitals(word.start):
            match = _EMPLOYER.match(page.text, word.end)
            if match and match["name"].split()[0] not in _SERVICES and page.free(*match.span("name")):
                page.take(*match.span("name"), Category.HOSPITAL)

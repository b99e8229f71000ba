"""Where somebody works: `works at Long & Short`, `worked as a driver for Northern Lines`. Taken as a place's name."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import Kind, kind_of, words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.normalised import fold

_WORKS = words("works worked working employed employee job retired")
# What people do or are somewhere; only with `at` or `for`, since much else is said of them too.
_DOES = words(
    "teaches taught teacher coaches coaching coach drives driving driver attends student sophomore junior freshman "
    "pupil studies studying volunteers volunteering manager cashier clerk cook janitor custodian guard mechanic "
    "welder foreman enrolled plays boxing trains rower waitress waiter bartender librarian accountant plumber "
    "electrician machinist cleaner caretaker trader engineer"
)
_SERVICES = words("Navy Army Marines Marine Air Coast Military Home")
_CAPITAL = r"[A-ZÀ-Þ][\w'’&.-]{0,40}\w"
_EMPLOYER = re.compile(
    r"[ \t]+(?:as[ ](?:an?[ ])?(?:[a-z-]+[ ]){1,3})?(?P<where>at|for|by|with|from)[ ](?:the[ ])?"
    rf"(?P<name>{_CAPITAL}(?:[ ](?:(?:&|and|of)[ ])?{_CAPITAL}){{0,4}})"
)


def take(page: Page) -> None:
    for word in page.standing(_WORKS | _DOES):
        match = _EMPLOYER.match(page.text, word.end) if not page.in_capitals(word.start) else None
        if not match or not page.free(*match.span("name")):
            continue
        if word.folded in _DOES and (match["where"] not in ("at", "for") or not _names(match["name"])):
            continue
        if match["name"].split()[0] not in _SERVICES:
            page.take(*match.span("name"), Category.HOSPITAL)


def _names(house: str) -> bool:
    """Not a department, the ward or `home`."""
    return any(not kind_of(fold(part)) & (Kind.ORDINARY | Kind.SHORT) for part in house.split()) or " " in house

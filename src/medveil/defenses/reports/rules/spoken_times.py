"""Times of day and days of the month in words: `quarter of ten`, `the third of December`."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lists import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_AMOUNTS = "days?|weeks?|months?|years?|hours?|minutes?|times|mm|cm|mg|ml|units?|tablets?|pills?|doses?|puffs?"
_BESIDE_HOUR = (
    r"(?:half(?:[ ]past)?|quarter[ ](?:past|to|of|till?|before|after)|"
    r"(?:five|ten|twenty|twenty-five)[ ](?:minutes[ ])?(?:past|before|after|to|till))[ ]"
)
_TIME = re.compile(
    rf"{_BESIDE_HOUR}(?:{_HOURS})(?![\w-]|[ ](?:{_AMOUNTS})\b)|"
    rf"(?:{_HOURS})(?:[ -](?:fifteen|twenty|thirty|forty-five))?"
    r"(?:[ ]o['’]clock|[ ]in[ ]the[ ](?:morning|afternoon|evening)|[ ]at[ ]night|[ ][ap]\.?m\b\.?)",
    re.IGNORECASE,
)
_BEGINS_TIME = words("half quarter twenty twenty-five") | frozenset(_HOURS.split("|"))
_TOLD_BEFORE = re.compile(
    r"(?:@|\b(?:at|since|around|about|by|until|till|before|after|from|approx|approximately))[ ](?:a[ ])?$",
    re.IGNORECASE,
)
_CERTAIN = re.compile(r"half[ ]past|quarter[ ](?:past|to|of)|o['’]clock", re.IGNORECASE)

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = words(_ORDINALS)
_DAY_OF_MONTH = re.compile(rf"[ ]of[ ](?:{_MONTHS})(?!\w)(?:,?[ ](?:1[89]|20|21)\d\d(?!\d))?", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"(?<!\w)(?:{_MONTHS})[ ](?:the[ ])?$")
_OTHER = re.compile(r"[ ](?:rib|toe|finger|digit|floor|day|week|visit|dose|cycle|of|time|ray|metatarsal|metacarpal)")


def take(page: Page) -> None:
    """`two in the morning` alone may be pills, `ten to twelve` days."""
    text = page.text
    for word in page.standing(_BEGINS_TIME):
        match = _TIME.match(text, word.start)
        if not match or not page.free(*match.span()):
            continue
        if _CERTAIN.search(match[0]) or _TOLD_BEFORE.search(page.before(word.start, 16)):
            page.take(*match.span(), Category.TIME)


def take_days(page: Page) -> None:
    """Before the month alone is taken for a date."""
    text = page.text
    for word in page.standing(_DAYS):
        if match := _DAY_OF_MONTH.match(text, word.end):
            page.take(word.start, match.end(), Category.DATE)
        elif (month := _MONTH_BEFORE.search(page.before(word.start, 16))) and not _OTHER.match(text, word.end):
            page.take(word.start - len(month[0]), word.end, Category.DATE)

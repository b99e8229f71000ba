"""Times of day, in digits and in words, and days of the month in words; durations and ratios stay."""

from __future__ import annotations

import re

from medveil.defenses.reports.rules.lexicon import words
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category

_HALF = r"(?:[ \t]?(?:\r?\n[ \t]*)?[ap](?:\.[ ]?m\.?|m)(?![A-Za-z]))"
_ZONE = r"(?:[ \t]?(?:h|hrs|uhr|z|est|edt|cst|cdt|mst|mdt|pst|pdt|utc|gmt)(?![A-Za-z]))"
_CLOCK = re.compile(
    rf"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d(?:[.,]\d{{1,6}})?)?(?![\d:])(?:{_HALF}|{_ZONE}|[ap](?![A-Za-z]))?",
    re.IGNORECASE,
)
_HOUR = re.compile(rf"(?:0?[1-9]|1[0-2])(?:\.[0-5]\d)?{_HALF}", re.IGNORECASE)
_HOUR_OF_DAY = re.compile(r"(?:0?[1-9]|1[0-2])(?=[ ]in[ ]the[ ](?:morning|afternoon|evening)\b)", re.IGNORECASE)
_MILITARY = re.compile(rf"(?:[01]\d|2[0-3])[0-5]\d(?![\d/.:-])(?:{_ZONE}|(?=[ \t]?hours(?![A-Za-z])))", re.IGNORECASE)
_BARE = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d(?![\w/:]|[.,-]\d|[ \t]?(?:mm|cm|mg|ml|cc|kg|units?|%))")
_EUROPEAN = re.compile(
    r"(?:[01]\d|2[0-3])[ ]?h[ ]?[0-5]\d(?!\w)|(?:[01]?\d|2[0-3])[.h](?:[0-5]\d)?[ \t]?(?:uhr|heures?)(?![A-Za-z])",
    re.IGNORECASE,
)
_LOUD_BEFORE = re.compile(r"[A-Z]{2,5}[ ]$")  # rpt ABG 0200
_DOTTED = re.compile(
    r"(?:0\d|1\d|2[0-3])\.[0-5]\d(?![\w%.,]?\d|[ \t]?(?:mm|cm|mg|ml|cc|kg|g|units?|%|to|mmol))"
)  # SROM 03.20
_HOUR_ABROAD = re.compile(r"(?:[01]?\d|2[0-3])[ ]?(?:h|heures|uhr|horas)(?:[ ]?[0-5]\d)?(?!\w)", re.IGNORECASE)
_AT = re.compile(
    r"(?:@|\b(?:at|time|timed|approx(?:imately)?\.?|around|hours|taken|hrs|lkw|lsn|tod|eta|onset))"
    r"[ \t]*[:=]?[ \t]*(?:\r?\n[ \t]*)?$",
    re.IGNORECASE,
)
_WITH_ZERO = re.compile(r"0\d[0-5]\d(?=[.;,)]?(?:\s|$))")  # recheck lytes 0400
_ZERO_AFTER = re.compile(r"[a-z)][.,:;]?[ ]$")
RATIO = re.compile(
    r"(?:ratio|titers?|titres?|dilut\w*|scale|mix\w*|protocol|treadmill|exercised|stage|duration|split)"
    r"[ \t]*(?:of|is|was|:|=|<|>)?[ \t]*$",
    re.IGNORECASE,
)

_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_COUNTED_THINGS = "days?|weeks?|months?|years?|hours?|minutes?|times|mm|cm|mg|ml|units?|tablets?|pills?|doses?|puffs?"
_BESIDE_HOUR = (
    r"(?:half(?:[ ]past)?|quarter[ ](?:past|to|of|till?|before|after)|"
    r"(?:five|ten|twenty|twenty-five)[ ](?:minutes[ ])?(?:past|before|after|to|till))[ ]"
)
_SPOKEN_TIME = re.compile(
    rf"{_BESIDE_HOUR}(?:{_HOURS})(?![\w-]|[ ](?:{_COUNTED_THINGS})\b)|"
    rf"(?:{_HOURS})(?:[ -](?:fifteen|twenty|thirty|forty-five))?"
    r"(?:[ ]o['’]clock|[ ]in[ ]the[ ](?:morning|afternoon|evening)|[ ]at[ ]night|[ ][ap]\.?m\b\.?)",
    re.IGNORECASE,
)
_BEGINS_TIME = words("half quarter twenty twenty-five") | frozenset(_HOURS.split("|"))
_TOLD_BEFORE = re.compile(
    r"(?:@|\b(?:at|since|around|about|by|until|till|before|after|from|approx|approximately))[ ](?:a[ ])?$",
    re.IGNORECASE,
)
_CERTAIN_TIME = re.compile(r"half[ ]past|quarter[ ](?:past|to|of)|o['’]clock", re.IGNORECASE)

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = words(_ORDINALS)
_DAY_OF_MONTH = re.compile(rf"[ ]of[ ](?:{_MONTHS})(?!\w)(?:,?[ ](?:1[89]|20|21)\d\d(?!\d))?", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"(?<!\w)(?:{_MONTHS})[ ](?:the[ ])?$")
_COUNTED_AFTER = re.compile(
    r"[ ](?:rib|toe|finger|digit|floor|day|week|visit|dose|cycle|of|time|ray|metatarsal|metacarpal)"
)


def take(page: Page) -> None:
    text = page.text
    for start in page.numbers:
        if not page.free(start, start + 1):
            continue
        for form in (_CLOCK, _EUROPEAN, _HOUR, _HOUR_OF_DAY, _MILITARY):
            match = form.match(text, start)
            if match and page.free(*match.span()):
                if not RATIO.search(page.before(start, 16)):
                    page.take(*match.span(), Category.TIME)
                break
        else:
            match = _BARE.match(text, start)
            zero = _WITH_ZERO.match(text, start) and _ZERO_AFTER.search(page.before(start, 3))
            if match and (zero or _AT.search(page.before(start, 20))):
                page.take(*match.span(), Category.TIME)
            elif match := _doubted(page, start):
                page.take(*match.span(), Category.TIME, doubted=True)


def _doubted(page: Page, start: int) -> re.Match[str] | None:
    """What a line opens with, what follows an abbreviation, and what has a point or an hour of another language."""
    clock = _BARE.match(page.text, start)
    if clock and clock[0][:2] not in ("18", "19", "20") and page.before(start, 1) in ("", "\n"):
        return clock
    if clock and page.text[start] == "0" and _LOUD_BEFORE.search(page.before(start, 8)):
        return clock
    return _DOTTED.match(page.text, start) or (_HOUR_ABROAD.match(page.text, start) if page.is_foreign else None)


def take_beside_identifiers(page: Page) -> None:
    """Four digits right after an identifier, such as a date or a doctor's name: `d/w Dr. Long 1012`."""
    text = page.text
    places = {one.end for one in page.found if one.category in (Category.ADDRESS, Category.HOSPITAL, Category.COUNTY)}
    for start in page.numbers:
        match = _BARE.match(text, start)
        if not match or not page.free(*match.span()) or start - _gap(page, start) in places:  # came to Boston 2019
            continue
        followed = text[match.end() : match.end() + 2] == ", " and page.taken_at(match.end() + 2)
        if followed or page.taken_at(start - _gap(page, start) - 1):
            page.take(*match.span(), Category.TIME)


def _gap(page: Page, start: int) -> int:
    before = page.before(start, 4)
    return len(before) - len(before.rstrip(" \t,\r\n"))


def take_spoken(page: Page) -> None:
    """`quarter of ten`; `two in the morning` alone may be pills, `ten to twelve` days."""
    text = page.text
    for word in page.standing(_BEGINS_TIME):
        match = _SPOKEN_TIME.match(text, word.start)
        if not match or not page.free(*match.span()):
            continue
        if _CERTAIN_TIME.search(match[0]) or _TOLD_BEFORE.search(page.before(word.start, 16)):
            page.take(*match.span(), Category.TIME)


def take_spoken_days(page: Page) -> None:
    """`the third of December`, before the month alone is taken for a date."""
    text = page.text
    for word in page.standing(_DAYS):
        if match := _DAY_OF_MONTH.match(text, word.end):
            page.take(word.start, match.end(), Category.DATE)
        elif (month := _MONTH_BEFORE.search(page.before(word.start, 16))) and not _COUNTED_AFTER.match(text, word.end):
            page.take(word.start - len(month[0]), word.end, Category.DATE)

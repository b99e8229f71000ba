"""Times of day in digits; durations and ratios stay."""

from __future__ import annotations

import re

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

"""Dictated dates (the third of December two thousand nineteen): read, moved, and said in the same way again."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection

from medveil.person.calendar_words import MONTHS, WEEKDAYS
from medveil.person.written_dates import WrittenDate, completed

_ONES = "zero one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ODD = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}


def _said(number: int) -> str:
    """Below a hundred."""
    if number < 20:
        return (*_ONES, *_TEENS)[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f" {_ONES[ones]}" if ones else "")


def _counted(number: int) -> str:
    *first, last = _said(number).split()
    if last not in _ODD:
        last = last.removesuffix("y") + "ie" if last.endswith("y") else "twelf" if last == "twelve" else last
        return " ".join((*first, f"{last}th"))
    return " ".join((*first, _ODD[last]))


_CARDINALS = {_said(number): number for number in range(1, 100)}
_ORDINALS = {_counted(number): number for number in range(1, 32)}
_DAYS = {name: number for name, number in (*_CARDINALS.items(), *_ORDINALS.items()) if number <= 31}


def _any(names: Collection[str]) -> str:
    return "|".join(name.replace(" ", "[ -]") for name in sorted(names, key=lambda name: (-len(name), name)))


_BELOW = _any(_CARDINALS)
_YEAR = (
    rf"(?:,?\s(?:of\s)?(?P<year>two[ ]thousand(?:(?:[ ]and)?[ ](?:{_BELOW}))?|"
    rf"(?:nineteen|twenty)[ -](?:(?:oh|o|hundred)[ ])?(?:{_BELOW})|nineteen[ ]hundred|(?:19|20)\d\d))?"
)
_WEEKDAY = rf"(?:(?P<weekday>{WEEKDAYS.pattern}),?\s(?:the\s)?)?"
_MONTH = rf"(?P<month>{MONTHS.pattern})"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_WEEKDAY}(?:the\s)?(?P<day>{_any(_DAYS)})\s(?:day\s)?(?:of\s)?{_MONTH}{_YEAR}",
        rf"{_WEEKDAY}{_MONTH}\s(?:the\s)?(?P<day>{_any(_DAYS)}){_YEAR}",
        rf"{_MONTH}{_YEAR}",
        rf"(?:the\s)?(?P<day>{_any(_ORDINALS)})",
    )
)


def spoken_readings(text: str) -> list[WrittenDate]:
    """How the whole text may be read as a dictated date: in one way, or in none."""
    words = " ".join(text.split())
    found = _match(words)
    if found is None:
        return []
    groups = {name: value for name, value in found.groupdict().items() if value}
    day = _DAYS[_plain(groups["day"])] if "day" in groups else None
    month = MONTHS.number(groups["month"]) if "month" in groups else None
    year = _year(groups["year"]) if "year" in groups else None
    try:
        dt.date(year or 2000, month or 1, day or 1)
    except ValueError:
        return []
    return [WrittenDate(words, year, month, day, ())]


def moved_spoken(
    text: str, move: Callable[[dt.date], dt.date], known: Collection[dt.date], around: dt.date | None
) -> str | None:
    """The date after `move`, said in the same way; None where the text is none."""
    found, read = _match(" ".join(text.split())), spoken_readings(text)
    if found is None or not read:
        return None
    day = read[0].whole or completed(read[0], known, around or dt.date(2001, 12, 31))
    try:
        later = move(day) if day else None
    except (ValueError, OverflowError):
        return None
    if later is None:
        return None
    pieces, last = [], 0
    for name, old in sorted(found.groupdict().items(), key=lambda one: found.start(one[0])):
        if old:
            pieces += [found.string[last : found.start(name)], _rendered(name, old, later)]
            last = found.end(name)
    return "".join((*pieces, found.string[last:]))


def _match(words: str) -> re.Match[str] | None:
    """None where there is a number in digits alone: written dates are read elsewhere."""
    found = next((match for form in _FORMS if (match := form.fullmatch(words))), None)
    told = found and (found.groupdict().get("day") or not (found.groupdict().get("year") or "0")[0].isdigit())
    return found if told else None


def _plain(words: str) -> str:
    return words.lower().replace("-", " ")


def _year(said: str) -> int:
    words = _plain(said)
    if words.isdigit():
        return int(words)
    if words.startswith("two thousand"):
        rest = words.removeprefix("two thousand").removeprefix(" and").strip()
        return 2000 + (_CARDINALS[rest] if rest else 0)
    century, _, rest = words.partition(" ")
    rest = re.sub(r"^(?:oh|o|hundred)\s?", "", rest)
    return (1900 if century == "nineteen" else 2000) + (_CARDINALS[rest] if rest else 0)


def _rendered(name: str, old: str, day: dt.date) -> str:
    match name:
        case "month":
            return MONTHS.named(day.month, old)
        case "weekday":
            return WEEKDAYS.named(day.isoweekday(), old)
        case "year":
            new = str(day.year) if old.isdigit() else _said_year(day.year, like=_plain(old))
        case _:
            new = _counted(day.day) if _plain(old) in _ORDINALS else _said(day.day)
            new = new.replace(" ", "-") if "-" in old or " " not in old else new
    if old.isupper():
        return new.upper()
    return new.capitalize() if old[0].isupper() else new


def _said_year(year: int, like: str) -> str:
    century, rest = divmod(year, 100)
    if century == 20 and (like.startswith("two") or rest == 0):
        return "two thousand" + (f"{' and' if ' and ' in like else ''} {_said(rest)}" if rest else "")
    first = {19: "nineteen", 20: "twenty"}.get(century, _said(century))
    return f"{first} {'hundred' if not rest else f'oh {_said(rest)}' if rest < 10 else _said(rest)}"

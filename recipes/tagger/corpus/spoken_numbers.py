"""Numbers, dates and times as somebody says them."""

from __future__ import annotations

import datetime as dt
import random
import re

from recipes.tagger.corpus.numbers import MONTHS, ORDINALS, WEEKDAYS

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_CODE_WORDS = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo "
    "sierra tango uniform victor whiskey xray yankee zulu"
).split()
_PLAIN_WORDS = (
    "apple boy cat david edward frank george harry ida john king larry mary nancy ocean peter queen robert sam tom "
    "uncle victor william xray young zebra"
).split()
_SIGNS = {
    "-": ("", "", "dash", "hyphen"),
    "/": ("", "slash"),
    ".": ("", "dot", "point"),
    "@": ("at",),
    "_": ("underscore",),
}


def words(number: int) -> str:
    """Up to nine thousand nine hundred and ninety-nine, without hyphens."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f" {_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" {words(number % 100)}" if number % 100 else "")
    return f"{words(number // 1000)} thousand" + (f" {words(number % 1000)}" if number % 1000 else "")


def year(number: int, rng: random.Random) -> str:
    century, rest = divmod(number, 100)
    if number // 10 == 200:
        return f"two thousand {rng.choice(('', 'and '))}{words(rest)}".strip() if rest else "two thousand"
    if not rest:
        return f"{words(century)} hundred"
    return f"{words(century)} {'oh ' if rest < 10 else ''}{words(rest)}"


def date(day: dt.date, rng: random.Random) -> str:
    """A whole day or a part of one."""
    month, number = MONTHS[day.month - 1].lower(), words(day.day)
    ordinal, weekday = ORDINALS[day.day - 1].replace("-", " "), WEEKDAYS[day.weekday()].lower()
    said, short = year(day.year, rng), words(day.year % 100)
    forms = (
        *(f"{month} {ordinal} {said}", f"{month} {ordinal} {said}", f"{month} {number} {said}"),
        *(f"{ordinal} of {month} {said}", f"{ordinal} {month} {said}", f"{month} the {ordinal}"),
        *(f"{month} {ordinal}", f"{ordinal} of {month}", f"{weekday} the {ordinal}", f"{ordinal}"),
        *(f"{words(day.month)} {number} {short}", f"{words(day.month)} slash {number} slash {said}"),
        *(f"{'oh ' if day.month < 10 else ''}{words(day.month)} {number} {said}", f"{month} of {said}"),
        *(f"{month} {day.day} {day.year}", f"{month} {said}", f"{weekday} {month} {ordinal}", f"{weekday}"),
        *(f"{number} {month} {said}", f"{words(day.month)} dash {number} dash {short}", f"{month} {day.day}th {said}"),
    )
    return rng.choice(forms)


def time(rng: random.Random) -> str:
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    twelve = words((hour + 11) % 12 + 1)
    half = rng.choice(("a m", "am") if hour < 12 else ("p m", "pm"))
    exact = f"oh {words(minute)}" if 0 < minute < 10 else words(minute) if minute else ""
    forms = (
        *(f"{twelve} {exact} {half}", f"{twelve} {exact} {half}", f"{words(hour)} {exact or 'hundred'} hours"),
        *(
            f"{'oh ' if hour < 10 else ''}{words(hour)} {exact or 'hundred'}",
            f"half past {twelve}",
            f"{twelve} o'clock",
        ),
        *(f"quarter to {twelve}", f"quarter past {twelve}", f"{twelve} {half}", f"{twelve} {exact} this morning"),
    )
    return " ".join(rng.choice(forms).split())


def spelled(text: str, rng: random.Random) -> str:
    """Sign by sign: what nobody takes for a number."""
    code = rng.choice((None, None, None, _CODE_WORDS, _PLAIN_WORDS))
    zero, joined = rng.choice(("zero", "oh", "zero")), rng.random() < 0.15
    said: list[str] = []
    for place, sign in enumerate(text.lower()):
        if sign.isdigit():
            name = zero if sign == "0" else _ONES[int(sign)] if sign in "123456789" else sign
            if joined and said[-1:] == [name] and text[place - 1 : place] == sign:
                said[-1] = f"double {name}"
            else:
                said.append(name)
        elif "a" <= sign <= "z":
            said.append(sign if code is None else f"{sign} {rng.choice(('as in', 'for'))} {code[ord(sign) - ord('a')]}")
        elif sign in _SIGNS:
            said.append(rng.choice(_SIGNS[sign]))
        elif sign.isalnum():
            said.append(sign)
    return " ".join(filter(None, said))


def in_pairs(text: str, rng: random.Random) -> str:
    """Digits by twos and threes, as telephone and record numbers are often said."""
    found, digits = [], re.sub(r"\D", "", text)
    while digits:
        size = rng.choice((1, 2, 2, 3))
        head, digits = digits[:size], digits[size:]
        found.append(" ".join(_ONES[int(digit)] for digit in head) if head[0] == "0" else words(int(head)))
    return " ".join(found)

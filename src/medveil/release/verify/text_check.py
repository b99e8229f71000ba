"""A released text against what is known, and against the original text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found
from medveil.defenses.known import KnownSearch
from medveil.defenses.written_dates import dates_in
from medveil.release.verify.wrong import Wrong

_CHECK = "text"
SHORTEST = 4  # characters; shorter ones are shared by chance
# A time of day alone identifies nobody, and an age over 89 is only told as such.
_NO_LEAK = frozenset({Category.TIME, Category.AGE_OVER_89, Category.DATE})


@dataclass(frozen=True)
class TextCheck:
    """`find` looks for identifiers afresh, stand-ins included: one that stands in the original too was left."""

    find: Callable[[str], list[Found]]

    def wrongs(
        self, file: str, released: str, original: str | None, search: KnownSearch, shift: dt.timedelta
    ) -> list[Wrong]:
        found = [
            Wrong(file, _CHECK, f"[{one.start},{one.end})", one.category, "replaced", "a known identifier")
            for one in search.find(released)
        ]
        if original is None:
            return found
        found += self._left(file, released, original)
        found += _intervals(file, released, original, shift)
        return found

    def _left(self, file: str, released: str, original: str) -> list[Wrong]:
        identifiers = {_plain(original[one.start : one.end]) for one in self.find(original)}
        return [
            Wrong(file, _CHECK, f"[{one.start},{one.end})", one.category, "replaced", "as in the source")
            for one in self.find(released)
            if one.category not in _NO_LEAK
            and one.end - one.start >= SHORTEST
            and _plain(released[one.start : one.end]) in identifiers
        ]


def _intervals(file: str, released: str, original: str, shift: dt.timedelta) -> list[Wrong]:
    """Every whole date of the original must stand in the released text, moved by the person's shift, in its order."""
    before, after = _whole_dates(original), _whole_dates(released)
    if not after or len(before) != len(after):
        return []  # dates were taken out rather than moved
    return [
        Wrong(file, "intervals", f"date {number}", "C", "moved by the person's shift", "another date")
        for number, (old, new) in enumerate(zip(before, after, strict=True), start=1)
        if not any(day - shift in new for day in old)
    ]


def _whole_dates(text: str) -> list[set[dt.date]]:
    """For every date with its year, the days it may mean: 3/4/2019 has two readings."""
    read = ({day for reading in readings if (day := reading.whole)} for _, _, readings in dates_in(text))
    return [days for days in read if days]


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()

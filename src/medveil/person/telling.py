"""How much is told of a person's age and dates: the same in the table, in reports and wherever else they stand."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Literal

OLDEST_SHOWN = 90
Dates = Literal["day", "blurred", "month", "quarter", "year", "dropped"]
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True)
class Telling:
    """`ages` is how many years a band has, 0 where ages are not told. `blurred` dates are days at other intervals.
    `sites` says whether what belongs to a hospital has the same surrogate for everybody; `linked`, whether a
    placeholder says by a pseudonym whose it is.
    """

    ages: int = 1
    dates: Dates = "day"
    sites: bool = True
    linked: bool = True

    def age(self, age: float) -> int | None:
        """The first year of the band; of the oldest people, that they are so."""
        return min(math.floor(age), OLDEST_SHOWN) // self.ages * self.ages if self.ages else None

    def band(self, age: float) -> str | None:
        """In words, as a report may say it; a single year where each is told."""
        first = self.age(age)
        if first is None or self.ages == 1:
            return None if first is None else str(first)
        last = first + self.ages - 1
        return f"{first}-{last}" if last < OLDEST_SHOWN else f"{first}+"

    def day(self, moved: dt.date) -> dt.date | None:
        """The first day of the month, quarter or year that a moved date lies in."""
        if self.dates == "dropped":
            return None
        months = _MONTHS.get(self.dates)
        return moved.replace(month=(moved.month - 1) // months * months + 1, day=1) if months else moved


@dataclass(frozen=True)
class Tellings:
    """What is told of everybody, and of whom less is, by keyed digests."""

    usual: Telling = Telling()
    without_age: frozenset[str] = frozenset()
    without_date: frozenset[str] = frozenset()
    without_site: frozenset[str] = frozenset()

    @property
    def differ(self) -> bool:
        return bool(self.without_age or self.without_date or self.without_site)

    def of(self, digest: str) -> Telling:
        usual = self.usual
        return Telling(
            ages=0 if digest in self.without_age else usual.ages,
            dates="dropped" if digest in self.without_date else usual.dates,
            sites=usual.sites and digest not in self.without_site,
            linked=usual.linked,
        )

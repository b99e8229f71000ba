"""How much each column of the table may lose, step by step, and what that costs: the lattice that is searched.

The loss of a cell is its normalised certainty penalty: how wide the range is that a value may lie in, as a share of
the whole range; 1 where the cell is empty. A row that is withheld loses everything, its film and report too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, get_args

from medveil.person.telling import OLDEST_SHOWN, Dates

Fact = Literal["age", "sex", "site", "date", "findings"]
Sites = Literal["kept", "merged", "dropped"]
Studies = Literal["all", "first"]
FACTS: tuple[Fact, ...] = get_args(Fact)
AGES = (1, 5, 10, 20, 0)
SITES: tuple[Sites, ...] = get_args(Sites)
GRAINS: tuple[Dates, ...] = ("day", "month", "quarter", "year", "dropped")
STUDIES: tuple[Studies, ...] = get_args(Studies)
DAYS = {"day": 0, "month": 30, "quarter": 91, "blurred": 260, "year": 365}  # that a date may lie in
WEIGHTS = {"age": 1.0, "sex": 1.0, "site": 1.0, "date": 1.0, "film": 4.0}  # half a row's worth is its film and report


class Node(NamedTuple):
    """One generalisation of the whole table."""

    ages: int = 1
    sites: Sites = "kept"
    dates: Dates = "day"
    studies: Studies = "all"


EVERYTHING = Node()


@dataclass(frozen=True)
class Lattice:
    """The generalisations that are tried. What is in none of the facts stays as it is."""

    ages: Sequence[int] = AGES
    sites: Sequence[Sites] = SITES
    dates: Sequence[Dates] = GRAINS
    studies: Sequence[Studies] = STUDIES

    def nodes(self) -> Iterator[Node]:
        return (Node(*levels) for levels in product(self.ages, self.sites, self.dates, self.studies))


def age_loss(ages: int) -> float:
    return (ages - 1) / OLDEST_SHOWN if ages else 1.0


def date_loss(dates: Dates, days: int) -> float:
    """`days` lie between the first and the last date of the table."""
    return min(1.0, DAYS[dates] / max(days, 1)) if dates != "dropped" else 1.0


def site_loss(sites: Sites, pooled: int, all_sites: int) -> float:
    """Of a row whose site is one of those pooled."""
    if sites == "dropped":
        return 1.0
    return (pooled - 1) / max(all_sites - 1, 1) if sites == "merged" else 0.0

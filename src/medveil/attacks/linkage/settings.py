"""What a linkage audit measures: pools, who competes, ties, resampling and the database it is judged for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medveil.errors import SettingsError
from medveil.part_settings import changed

Match = Literal["pair", "study", "patient", "text"]
Unit = Literal["patient", "query"]
Ties = Literal["expected", "best", "worst"]
Direction = Literal["image to report", "report to image"]

PAPER_POOLS = (100, 1000, 10_000)
SMALL_POOL = 10  # where even the smallest published one is too large
ALL = None  # a pool of every candidate
DIRECTIONS: tuple[Direction, ...] = ("image to report", "report to image")


@dataclass(frozen=True)
class LinkageSettings:
    """How to audit.

    `encoders`: by name, a model's folder, or owner/model on the hub; the strongest is judged.
    `pools`: sizes of candidate pools, the right answer included, or "all" for every candidate; by default the
    published 100, 1,000 and 10,000 as far as there are so many, and all.
    `match`: which candidates are never wrong answers and so do not compete: none but the pair itself ("pair", as
    published), those of the same study, whose images share one report ("study", the default where studies are known),
    of the same patient, or with the same report text, white space aside ("text").
    `matched`: pathology-matched pools too; by default wherever findings are labelled.
    `sampled`: draw the pools, 20 times random and 10 times matched as published, instead of exact expectation.
    `fitted`: attackers who learn from half of the patients too; without them, as published, little is said of the risk.
    `unit`: what is redrawn for the intervals shown; the tables have both.
    `database_size`: candidates in the database that the verdict is about; by default all of the cohort. Beyond the
    cohort, the fitted curve is used.
    `threshold`: the largest share of queries that may be linked at the first try; by default the one in common use.
    """

    encoders: tuple[str, ...] = ("medveil-small",)
    pools: tuple[int | Literal["all"], ...] | None = None
    match: Match | None = None
    ties: Ties = "expected"
    unit: Unit = "patient"
    matched: bool | None = None
    sampled: bool = False
    fitted: bool = True
    redraws: int = 1000
    database_size: int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        if not self.encoders:
            raise SettingsError("name at least one encoder")
        if self.pools is not None and not self.pools:
            raise SettingsError("name at least one pool size, or all")
        if any(size != "all" and size < 2 for size in self.pools or ()):
            raise SettingsError("a pool holds at least two candidates, the right one and another")
        if self.database_size is not None and self.database_size < 2:
            raise SettingsError("a database holds at least two candidates, the right one and another")
        if self.redraws < 2:
            raise SettingsError("an interval needs at least two resamples; 1,000 are usual")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise SettingsError("the threshold is a probability: give a number between 0 and 1, such as 0.09")
        for name, value, allowed in (
            ("match", self.match, ("pair", "study", "patient", "text", None)),
            ("ties", self.ties, ("expected", "best", "worst")),
            ("unit", self.unit, ("patient", "query")),
        ):
            if value not in allowed:
                raise SettingsError(f"{name} is one of {', '.join(filter(None, allowed))}")

    def weakened(self) -> tuple[str, ...]:
        """More encoders, pools or redraws weaken nothing, nor do competitors left out or ties that are won."""
        harmless = {"pools"}
        harmless |= {"encoders"} if set(self.encoders) >= set(LinkageSettings.encoders) else set()
        harmless |= {"match"} if self.match != "pair" else set()
        harmless |= {"ties"} if self.ties == "best" else set()
        harmless |= {"redraws"} if self.redraws > LinkageSettings.redraws else set()
        harmless |= {"threshold", "database_size"}  # the release judges these by rules of its own
        return tuple(name for name in changed(self) if name not in harmless)

    def sizes(self, candidates: int) -> tuple[int | None, ...]:
        """The pools to form of so many candidates."""
        if self.pools is not None:
            return tuple(dict.fromkeys(ALL if size == "all" else size for size in self.pools))
        published = tuple(size for size in PAPER_POOLS if size < candidates)
        return (*(published or (SMALL_POOL,) * (candidates > SMALL_POOL)), ALL)

"""A plug-in for medveil: what the time between the first two visits gives away, and how to hide it.

Run it on a phantom hospital to check it: python first_interval.py hospital
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding
from medveil.parts import Guarantee, Subject, register_attack, register_defense, register_measure
from medveil.person.keys import Keys
from medveil.stats.bootstrap import unit_weights
from medveil.stats.shares import share
from medveil.testing import check_attack, check_defense, check_measure


def first_two_visits(cohort: Cohort) -> pd.DataFrame:
    """One row a patient with two dated studies: the days of the first two, and how many there are."""
    studies = cohort.table.dropna(subset="date").drop_duplicates("study_id").sort_values("date", kind="stable")
    visits = studies.groupby("patient_id", sort=False)["date"].agg(list)
    days = [[day.normalize() for day in dates] for dates in visits if len(dates) > 1]
    if len(days) < 2:
        raise NotMeasurable("two patients with two dated studies each are needed")
    return pd.DataFrame(
        {"first": [d[0] for d in days], "second": [d[1] for d in days], "count": [len(d) for d in days]}
    )


@register_attack
class FirstInterval:
    """Picks out a patient from the days between the first two visits."""

    name = "first-interval"
    baseline = True  # the least someone will try: passing it proves little

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        visits = first_two_visits(released)
        days = (visits["second"] - visits["first"]).dt.days
        alike = days.groupby(days).transform("size").to_numpy(float)
        same_count = visits.groupby("count")["count"].transform("size").to_numpy(float)
        n = len(visits)
        hit = share(
            1 / alike,
            np.arange(n),
            unit_weights(n, seed=seed),
            chance=1 / n,
            control=float((1 / same_count).mean()),
        )
        return Finding(
            part=self.name,
            kind="attack",
            question="Can someone who knows the days between two visits pick out the patient?",
            answer=f"Such a guess is right in {hit.value:.1%} of cases; blind guessing succeeds in {hit.chance:.1%}.",
            headline="success rate",
            estimates={"success rate": hit},
            threshold=ONE_IN_ELEVEN,
            method="The days between the first two studies; with k patients alike, a guess is right once in k.",
            limits=("Later visits and times of day were not used.",),
        )


@register_measure
class VisitOrder:
    """Tells which of two visits came first."""

    name = "visit-order"

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        visits = first_two_visits(released)
        known = np.where(visits["first"] < visits["second"], 1.0, 0.5)  # a tie is a coin toss
        n = len(visits)
        right = share(known, np.arange(n), unit_weights(n, seed=seed), chance=0.5)
        return Finding(
            part=self.name,
            kind="measure",
            question="Can the order of a patient's visits still be told?",
            answer=f"The first of two visits can be named in {right.value:.1%} of cases; a coin toss has 50 %.",
            headline="order known",
            estimates={"order known": right},
            method="The dates of each patient's first two studies are compared; equal dates count half.",
        )


@register_defense
class YearOnly:
    """Keeps the year of a study and drops the day."""

    name = "year-only"
    title = "Dates to the year"
    place = "table"
    order = 35  # after `table`, which shifts the date
    default = True
    guarantee = Guarantee("by construction", "Of each study's shifted date only the year is released.")
    limits = ("Intervals between visits are lost to the users of the release.",)

    @dataclass(frozen=True)
    class Settings:
        """What `--defense year-only:month=7` sets."""

        month: int = 1  # the one that stands for the whole year

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        """Every defense is given the site's keys, which this one does not need, and its settings."""
        self.settings = settings or self.Settings()

    def apply(self, subject: Subject) -> Subject:
        if subject.row is not None and pd.notna(subject.row["date"]):
            subject.row["date"] = subject.row["date"].replace(month=self.settings.month, day=1).normalize()
            subject.note("dates reduced to the year")
        return subject


if __name__ == "__main__":
    cohort = read_cohort(Path(sys.argv[1]))
    check_attack(FirstInterval(), cohort)
    check_measure(VisitOrder(), cohort)
    check_defense(YearOnly(Keys.for_demonstration(1)), cohort)
    sys.stdout.write("all three parts conform\n")

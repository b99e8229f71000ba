"""The visits of each patient, as they truly were and as they are released, and who is found by them.

The attacker knows the days of all visits of a person who is in the data, and compares the times between them with
those that the released table tells of every patient with as many studies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.visit_intervals.settings import VisitIntervalSettings
from medveil.cohort import Cohort
from medveil.errors import NothingToAttack
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Series, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.interval_matching import MATCHERS, Matcher, matched
from medveil.stats.shares import share

Floats = NDArray[np.float64]
_LEAST = 2  # patients with several visits; of one, nothing can be told
NO_INTERVALS = "nobody, or one patient alone, has two dated studies, so there is no interval to match"


@dataclass(frozen=True)
class SameCount:
    """Patients with the same number of dated studies: days, people x visits; `numbers` are their places among all."""

    numbers: NDArray[np.intp]
    known: Floats
    released: Floats


def look_for(name: str, released: Cohort, originals: Cohort, settings: VisitIntervalSettings, *, seed: int) -> Finding:
    groups = _by_count(released.table, originals.table)
    people = sum(len(group.numbers) for group in groups)
    if people < _LEAST:
        raise NothingToAttack(NO_INTERVALS)
    drawn = np.sort(np.random.default_rng(seed).permutation(people)[: settings.targets])
    patients = originals.table["patient_id"].nunique()
    weights = unit_weights(len(drawn), seed=seed)
    codes = np.arange(len(drawn))
    control = float(np.concatenate([np.full(len(one.numbers), 1 / len(one.numbers)) for one in groups])[drawn].mean())
    compared = {"chance": 1 / patients, "control": control}
    found = {
        matcher: share(_success(groups, drawn, matcher, settings.within), codes, weights, **compared)
        for matcher in MATCHERS
    }
    kept = share(_success(groups, drawn, "exact", settings.within, exact=True), codes, weights, **compared)
    return _finding(name, found, kept, settings, groups)


def several_visits(originals: Cohort) -> bool:
    """Whether enough patients have several dated studies."""
    dated = originals.table.dropna(subset="date").groupby("patient_id")["study_id"].nunique()
    return int((dated > 1).sum()) >= _LEAST


def _by_count(released: pd.DataFrame, originals: pd.DataFrame) -> list[SameCount]:
    """Patients with several dated studies, by how many, in order of appearance."""
    seen = pd.DataFrame(
        {
            "patient": pd.factorize(originals["patient_id"])[0],
            "study": pd.factorize(originals["study_id"])[0],
            "known": _days(originals["date"]),
            "released": _days(released["date"]),
        }
    )
    studies = seen.dropna(subset="known").groupby(["patient", "study"], as_index=False).min()
    studies["count"] = studies.groupby("patient")["study"].transform("size")
    groups, numbered = [], 0
    for count, several in studies[studies["count"] > 1].groupby("count"):
        known, told = (_sorted(several, column, int(str(count))) for column in ("known", "released"))
        numbers = numbered + np.arange(len(known))
        groups.append(SameCount(numbers, known, told))
        numbered += len(known)
    return groups


def _days(dates: pd.Series) -> Floats:
    days = dates.to_numpy("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype(np.float64))


def _sorted(studies: pd.DataFrame, column: str, count: int) -> Floats:
    """People x visits, in time; what is not told comes last."""
    ordered = studies.sort_values(["patient", column], kind="stable")[column]
    return ordered.to_numpy().reshape(-1, count)


def _success(
    groups: list[SameCount], drawn: NDArray[np.intp], matcher: Matcher, within: int, *, exact: bool = False
) -> Floats:
    """By patient who is looked for; `exact` as if every interval were released as it is."""
    parts = []
    for group in groups:
        targets = np.flatnonzero(np.isin(group.numbers, drawn))
        told = group.known if exact else group.released
        parts.append(matched(group.known, told, targets, matcher, within=within))
    return np.concatenate(parts)


def _finding(
    part: str,
    found: dict[Matcher, Estimate],
    kept: Estimate,
    settings: VisitIntervalSettings,
    groups: list[SameCount],
) -> Finding:
    names = {
        "exact": "every interval to the day",
        "within": f"every interval within {settings.within} days",
        "nearest": "least difference in days",
        "in proportion": "least difference in proportion",
    }
    best = max(MATCHERS, key=lambda one: found[one].value)
    hit = found[best]
    estimates = {"success rate": hit, **{names[one]: found[one] for one in MATCHERS}, "if intervals were kept": kept}
    visits = [str(group.known.shape[1]) for group in groups]
    people = [len(group.numbers) for group in groups]
    return Finding(
        part=part,
        kind="attack",
        question="Can someone who knows the dates of a patient's visits find that patient by the times between them?",
        answer=(
            f"The right patient is found in {percent(hit.value)} of cases, by {names[best]}; of the {hit.n:,} patients "
            f"with several dated studies who were looked for, {percent(kept.value)} would be found if the intervals "
            f"were released as they are; blind guessing succeeds in {percent(hit.chance)}, knowing the number of "
            f"visits alone in {percent(hit.control)}."
        ),
        headline="success rate",
        estimates=estimates,
        threshold=ONE_IN_ELEVEN,
        method=(
            "For each patient with several dated studies, the true times between them are compared with those the "
            "released table tells of every patient with as many studies, in four ways; equally good matches share the "
            "guess, and the way that succeeds most often counts. A candidate whose first date lies further from the "
            "true one than dates are ever moved is left out."
        ),
        limits=(
            "The attacker is taken to know all visits that are released, to the day; who knows fewer finds less.",
            "Age, sex, site and what reports say were not used beside the dates.",
            "Its power is the success that it would have if intervals were kept, on the same patients.",
        ),
        figures=(
            Figure(
                title="How many studies patients have",
                kind="bar",
                x_title="dated studies",
                y_title="patients",
                series=(Series("patients", tuple(visits), tuple(map(float, people))),),
            ),
        ),
        glossary={
            "success rate": "The share of guesses that pick the right patient.",
            "if intervals were kept": "What the same attacker reaches where the times between visits are as they were.",
        },
    )

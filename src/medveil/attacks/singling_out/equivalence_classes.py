"""Equivalence classes of the table: patients who share the facts that an attacker knows.

An attacker who knows that a person is in the data, and these facts about them, picks one of the
patients that fit. With k of them the guess is right once in k.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import LABELS, Cohort
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Series, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share


def single_out(name: str, cohort: Cohort, facts: Sequence[str], *, seed: int) -> Finding:
    """How often a guess among the patients with the same facts is right."""
    by_patient = cohort.table.groupby("patient_id", sort=False)
    first = by_patient.agg(age=("age", "min"), sex=("sex", "first"), site=("site", "first"))
    if len(first) < 2:
        raise NotMeasurable("singling out needs at least two patients")
    known = first.assign(age=np.floor(first["age"]), patient=0)
    groups = known.groupby(list(facts), dropna=False, observed=True)
    alike = groups["patient"].transform("size").to_numpy(float)
    disclosed = _same_findings(cohort.table, groups.ngroup())
    patients = np.arange(len(first))
    weights = unit_weights(len(first), seed=seed)
    by_sex = known.groupby("sex", dropna=False, observed=True)["patient"].transform("size").to_numpy(float)
    estimates = {
        "success rate": share(1 / alike, patients, weights, chance=1 / len(first), control=float((1 / by_sex).mean())),
        "unique patients": share((alike == 1).astype(float), patients, weights),
        "same findings": share(disclosed, patients, weights),
    }
    return _finding(name, estimates, alike, facts)


def _same_findings(table: pd.DataFrame, groups: pd.Series) -> NDArray[np.float64]:
    """By patient: whether all of the group have the same findings, one at least being present in some study."""
    present = table[list(LABELS)].eq(1).groupby(table["patient_id"], sort=False).any().to_numpy()
    ever = pd.Series(present @ (1 << np.arange(len(LABELS))), index=groups.index)
    sets = ever.groupby(groups).transform("nunique")
    return ((sets == 1) & (ever > 0)).to_numpy(float)


def _finding(part: str, estimates: dict[str, Estimate], alike: np.ndarray, facts: Sequence[str]) -> Finding:
    known = _listed(facts)
    hit, unique, same = (estimates[name] for name in ("success rate", "unique patients", "same findings"))
    sizes = ("1", "2 to 4", "5 to 10", "11 or more")
    shares = [((low <= alike) & (alike <= high)).mean() for low, high in ((1, 1), (2, 4), (5, 10), (11, np.inf))]
    return Finding(
        part=part,
        kind="attack",
        question=f"Can someone who knows a patient's {known} pick out that patient's records?",
        answer=(
            f"Such a guess is right in {percent(hit.value)} of cases, and {percent(unique.value)} of the {hit.n:,} "
            f"patients are the only one with their {known}; the smallest group has {int(alike.min()):,}, and of "
            f"{percent(same.value)} everybody alike has the same findings; "
            f"blind guessing succeeds in {percent(hit.chance)}, knowing the sex alone in {percent(hit.control)}."
        ),
        headline="success rate",
        estimates=estimates,
        threshold=ONE_IN_ELEVEN,
        method=(
            f"Patients are grouped by {_listed(facts, age='age in years at their first study')}; "
            "a patient in a group of k is picked out with a chance of 1/k, and the mean over patients is reported."
        ),
        limits=(
            "The attacker is taken to know that the person is in the data; where that is uncertain, the risk is lower.",
            "Dates, intervals between visits and findings were not used as prior knowledge; intervals are attacked by "
            "visit-intervals.",
        ),
        figures=(
            Figure(
                title="How many patients look alike in the table",
                kind="bar",
                x_title=f"patients with the same {known}",
                y_title="share of patients",
                series=(Series("patients", sizes, tuple(float(share) for share in shares)),),
            ),
        ),
        glossary={
            "singling out": "Finding the records that belong to one known person.",
            "success rate": "The share of guesses that pick the right patient.",
            "unique patients": f"Patients whom nobody else in the data resembles in {known}.",
            "same findings": "Patients with a finding whose likes all have the very same findings: whoever knows that "
            "they are in the data learns the findings without picking anybody out (homogeneity; l-diversity of 1).",
        },
    )


def _listed(facts: Sequence[str], **other_words: str) -> str:
    """As a sentence names them: age, sex and site."""
    words = [other_words.get(fact, fact) for fact in facts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

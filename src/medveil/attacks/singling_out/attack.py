"""Singling out by what the table says: how many patients share a person's age, sex and site.

An attacker who knows that a person is in the data, and these three facts about them, picks one of the
patients that fit. With k of them the guess is right once in k.
"""

from __future__ import annotations

import numpy as np

from medveil.attacks.thresholds import ONE_IN_ELEVEN
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import Figure, Finding, Series, percent
from medveil.parts import register_attack
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

FACTS = ("age", "sex", "site")


@register_attack
class SinglingOut:
    """Picks out a patient whose age, sex and site are known."""

    name = "singling-out"
    baseline = True

    def run(self, cohort: Cohort, *, seed: int) -> Finding:
        by_patient = cohort.table.groupby("patient_id", sort=False)
        first = by_patient.agg(age=("age", "min"), sex=("sex", "first"), site=("site", "first"))
        if len(first) < 2:
            raise NotMeasurable("singling out needs at least two patients")
        facts = first.assign(age=np.floor(first["age"]))
        alike = facts.groupby(list(FACTS), dropna=False, observed=True)["age"].transform("size").to_numpy(float)
        patients = np.arange(len(first))
        weights = unit_weights(len(first), seed=seed)
        by_sex = facts.groupby("sex", dropna=False, observed=True)["age"].transform("size").to_numpy(float)
        estimates = {
            "success rate": share(
                1 / alike, patients, weights, chance=1 / len(first), control=float((1 / by_sex).mean())
            ),
            "unique patients": share((alike == 1).astype(float), patients, weights),
        }
        return _finding(estimates, alike)


def _finding(estimates: dict[str, Estimate], alike: np.ndarray) -> Finding:
    hit, unique = estimates["success rate"], estimates["unique patients"]
    sizes = ("1", "2 to 4", "5 to 10", "11 or more")
    shares = [((low <= alike) & (alike <= high)).mean() for low, high in ((1, 1), (2, 4), (5, 10), (11, np.inf))]
    return Finding(
        part=SinglingOut.name,
        kind="attack",
        question="Can someone who knows a patient's age, sex and site pick out that patient's records?",
        answer=(
            f"Such a guess is right in {percent(hit.value)} of cases, and {percent(unique.value)} of the {hit.n:,} "
            "patients are the only one with their age, sex and site; "
            f"blind guessing succeeds in {percent(hit.chance)}, knowing the sex alone in {percent(hit.control)}."
        ),
        headline="success rate",
        estimates=estimates,
        threshold=ONE_IN_ELEVEN,
        method=(
            "Patients are grouped by age in years at their first study, sex and site; a patient in a group of k is "
            "picked out with a chance of 1/k, and the mean over patients is reported."
        ),
        limits=(
            "The attacker is taken to know that the person is in the data; where that is uncertain, the risk is lower.",
            "Dates, intervals between visits and findings were not used as prior knowledge.",
        ),
        figures=(
            Figure(
                title="How many patients look alike in the table",
                kind="bar",
                x_title="patients with the same age, sex and site",
                y_title="share of patients",
                series=(Series("patients", sizes, tuple(float(share) for share in shares)),),
            ),
        ),
        glossary={
            "singling out": "Finding the records that belong to one known person.",
            "success rate": "The share of guesses that pick the right patient.",
            "unique patients": "Patients whom nobody else in the data resembles in age, sex and site.",
        },
    )

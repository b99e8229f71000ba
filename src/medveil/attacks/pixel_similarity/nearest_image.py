"""The nearest image of another study, by raw pixels.

Every image is shrunk to a 32 × 32 thumbnail and compared with every other image of other studies. The
control attack sees no pixels: it ranks by age, sex, view and site alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.cohort.features import demographics, image_features, thumbnail
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding, percent
from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.search import chance_of_match, nearest_is_match
from medveil.stats.shares import share


def find_other_visits(name: str, cohort: Cohort, *, seed: int, most_pairs: int) -> Finding:
    """How often the most similar image is the same patient's, and how well pairs are told apart."""
    patients, count = unit_codes(cohort.table["patient_id"].to_numpy())
    studies, _ = unit_codes(cohort.table["study_id"].to_numpy())
    chances = chance_of_match(patients, studies)
    if count < 2 or not np.isfinite(chances).any():
        raise NotMeasurable(
            "re-identification needs at least two patients and one patient with images from two studies"
        )
    vectors = image_features(cohort, thumbnail)
    weights = unit_weights(count, seed=seed)
    estimates = {
        "precision@1": _precision(vectors, demographics(cohort.table), patients, studies, chances, weights),
        "pair AUC": _pair_auc(vectors, demographics(cohort.table), patients, studies, weights, seed, most_pairs),
    }
    return _finding(name, estimates, most_pairs)


def _precision(
    vectors: NDArray[np.float32],
    control: NDArray[np.float32],
    patients: NDArray[np.intp],
    studies: NDArray[np.intp],
    chances: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> Estimate:
    hits = nearest_is_match(vectors, patients, studies)
    counts = np.isfinite(hits)
    control_hits = nearest_is_match(control, patients, studies)
    return share(
        hits[counts],
        patients[counts],
        weights,
        chance=float(chances[counts].mean()),
        control=float(control_hits[counts].mean()),
    )


def _pair_auc(
    vectors: NDArray[np.float32],
    control: NDArray[np.float32],
    patients: NDArray[np.intp],
    studies: NDArray[np.intp],
    weights: NDArray[np.float64],
    seed: int,
    most_pairs: int,
) -> Estimate:
    left, right = _pairs(patients, studies, np.random.default_rng([seed, 1]), most_pairs)
    same = patients[left] == patients[right]
    auc = WeightedAUC(_row_products(vectors, left, right), same)
    # a redraw takes a patient's own pairs once each time the patient is drawn, mixed pairs once for each two drawn
    draws = replicates(
        lambda w: auc(np.where(same, w[patients[left]], w[patients[left]] * w[patients[right]])), weights
    )
    found = Estimate.from_replicates(
        auc(),
        draws,
        n=len(left),
        units=len(np.unique(patients)),
        chance=0.5,
        control=WeightedAUC(_row_products(control, left, right), same)(),
    )
    return honest_auc(found)


def _row_products(vectors: NDArray[np.float32], left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[Any]:
    return np.einsum("ij,ij->i", vectors[left], vectors[right]).astype(np.float64)


def _pairs(
    patients: NDArray[np.intp], studies: NDArray[np.intp], rng: np.random.Generator, most_pairs: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of one patient from two studies, and as many pairs of two patients, drawn evenly."""
    same = [
        (a, b)
        for rows in pd.Series(range(len(patients))).groupby(patients).agg(list)
        for i, a in enumerate(rows)
        for b in rows[i + 1 :]
        if studies[a] != studies[b]
    ]
    own = np.array(same, dtype=np.intp)
    own = rng.permutation(own)[:most_pairs]
    left, right = rng.integers(len(patients), size=(2, 4 * max(len(own), 500)))
    others = np.flatnonzero(patients[left] != patients[right])[: max(len(own), 500)]
    return np.concatenate([own[:, 0], left[others]]), np.concatenate([own[:, 1], right[others]])


def _finding(part: str, estimates: dict[str, Estimate], most_pairs: int) -> Finding:
    hit = estimates["precision@1"]
    return Finding(
        part=part,
        kind="attack",
        question="Can someone who holds one X-ray of a patient find that patient's other X-rays here?",
        answer=(
            f"The most similar image belonged to the same patient in {percent(hit.value)} of {hit.n:,} tries; "
            f"blind guessing succeeds in {percent(hit.chance)}, "
            f"age, sex, view and site alone in {percent(hit.control)}."
        ),
        headline="precision@1",
        estimates=estimates,
        threshold=ONE_IN_ELEVEN,
        method=(
            "All images, equalised and shrunk to 32 × 32 pixels, compared by cosine similarity with all images of "
            "other studies; images of the query's own study do not count, ties count by expectation. Pair AUC takes "
            f"all pairs of one patient (at most {most_pairs:,}) and as many random pairs of two patients."
        ),
        limits=(
            "Raw pixel similarity is the simplest attack; a network trained to recognise patients finds more.",
            "Links to images outside this folder were not tried.",
        ),
        glossary={
            "precision@1": "The share of tries in which the most similar image belongs to the same patient.",
            "pair AUC": "The chance that two images of one patient look more alike than two images of two patients; "
            "0.5 is a coin toss.",
        },
    )

"""A released cohort beside its originals, film by film: of each only its figures are kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.finding import Figure, Finding, Series
from medveil.utility.film_rows import frontal_pair, patients_of, prepared_films
from medveil.utility.organs.network import ORGANS
from medveil.utility.organs.overlap import Floats, Masks, dice, overlaps
from medveil.utility.organs.segmenter import OrganSegmenter, load_organs


def compare_cohorts(
    part: str,
    released: Cohort,
    originals: Cohort,
    *,
    most: int,
    device: str,
    seed: int,
    progress: Callable[[int, int], None],
) -> Finding:
    released, originals = frontal_pair(released, originals, most=most, seed=seed)
    patients = patients_of(originals)
    found, control = _dice(released, originals, patients, load_organs(device=device), progress)
    estimates = overlaps(found, control, patients, seed=seed)
    lungs, heart = (estimates[f"{organ} Dice"] for organ in ORGANS)
    return Finding(
        part=part,
        kind="measure",
        question="Do lungs and heart still lie where they lay?",
        answer=(
            f"Organs found on released films agree with those on the originals with a Dice of {lungs.value:.3f} for "
            f"the lungs and {heart.value:.3f} for the heart; those of another patient would with {lungs.control:.3f} "
            f"and {heart.control:.3f}."
        ),
        headline="lungs Dice",
        scale="score",
        estimates=estimates,
        method=(
            "A small network finds lungs and heart on the original and on the released film (its card tells how "
            "well). The control compares with the original of another patient: chests are alike."
        ),
        limits=(
            f"Of {len(found):,} films, {int(np.isnan(found[:, 0]).sum()):,} originals show no lungs and "
            f"{int(np.isnan(found[:, 1]).sum()):,} no heart to the network; they are left out.",
            "Both outlines are the network's own: where it errs the same way on both, it does not show.",
        ),
        figures=(
            Figure(
                title="Dice by organ",
                kind="interval",
                x_title="",
                y_title="Dice",
                series=(
                    Series(
                        "released against original",
                        ORGANS,
                        (lungs.value, heart.value),
                        (lungs.low, heart.low),
                        (lungs.high, heart.high),
                    ),
                ),
            ),
        ),
        glossary={"Dice": "Twice the area that two outlines share, of their areas together; 1 is the same outline."},
    )


def _dice(
    released: Cohort,
    originals: Cohort,
    patients: NDArray[np.str_],
    segmenter: OrganSegmenter,
    progress: Callable[[int, int], None],
) -> tuple[Floats, Floats]:
    """Of every film, with its own original and with the last original of another patient."""
    found, control = np.full((2, len(patients), len(ORGANS)), np.nan)
    last: dict[str, Masks] = {}
    pairs = zip(prepared_films(originals), prepared_films(released), strict=True)
    for row, (pair, patient) in enumerate(zip(pairs, patients, strict=True)):
        before, after = segmenter.masks(pair)
        found[row] = dice(after, before)
        for other, organs in last.items():
            if other != patient:
                control[row] = dice(after, organs)
        last = {name: organs for name, organs in last.items() if name != patient}
        last = dict([*last.items()][-1:]) | {str(patient): before}  # two patients are enough: one is another
        progress(row + 1, len(patients))
    return found, control

"""Ranked links: which two images most probably show the same person.

`links.csv` names images by their row in the cohort's table, which only whoever holds the table can read. A file
with the cohort's own identifiers is written on request, apart. Both say who is who: they are their owner's only.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.calibration import Calibration
from medveil.attacks.identity.pairs import Side
from medveil.cohort import Cohort
from medveil.runtime.storage import write_bytes
from medveil.stats.kernels.grid import Codes
from medveil.stats.search import nearest

PER_IMAGE = 5
NAMES = ("image_id", "study_id", "patient_id")


def ranked_links(
    ours: Side,
    theirs: Side | None,
    calibration: Calibration | None,
    prior: float,
    *,
    known: bool,
    best: tuple[NDArray[np.float64], Codes] | None = None,
) -> pd.DataFrame:
    """The best links of every image, the most probable first; `left` and `right` are rows of the two sides.

    `best` are the most alike images of each and how alike they are, where that is no inner product of vectors.
    """
    other = ours if theirs is None else theirs
    exclude = ours.studies if theirs is None else None
    scores, found = best or nearest(ours.vectors, other.vectors, min(PER_IMAGE, len(other)), exclude=exclude)
    left, ranks = np.nonzero(np.isfinite(scores))
    right, score = found[left, ranks], scores[left, ranks]
    if theirs is None:  # a pair may be found from both ends
        left, right = np.minimum(left, right), np.maximum(left, right)
        _, once = np.unique(left * len(ours) + right, return_index=True)
        left, right, score = left[once], right[once], score[once]
    order = np.lexsort((right, left, -score))
    left, right, score = left[order], right[order], score[order]
    recorded: NDArray[np.object_] = np.full(len(left), "unknown", dtype=object)
    if known:
        recorded = np.where(ours.patients[left] == other.patients[right], "same", "different").astype(object)
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(left) + 1),
            "left": left,
            "right": right,
            "similarity": score,
            "probability": calibration.probability(score, prior) if calibration else np.nan,
            "recorded_patient": recorded,
        }
    )


def write_links(links: pd.DataFrame, rows_a: Codes, rows_b: Codes, path: Path) -> None:
    """With row numbers of the cohorts' tables, counted from 1."""
    table = links.drop(columns=["left", "right"])
    table.insert(1, "row_a", rows_a[links["left"]] + 1)
    table.insert(2, "row_b", rows_b[links["right"]] + 1)
    _write(table, path)


def write_named_links(links: pd.DataFrame, a: Cohort, rows_a: Codes, b: Cohort, rows_b: Codes, path: Path) -> None:
    """With the cohorts' own identifiers, for the steward alone."""
    table = links.drop(columns=["left", "right"])
    for name in reversed(NAMES):
        table.insert(1, f"{name}_b", b.table[name].to_numpy()[rows_b[links["right"]]])
        table.insert(1, f"{name}_a", a.table[name].to_numpy()[rows_a[links["left"]]])
    _write(table, path)


def _write(table: pd.DataFrame, path: Path) -> None:
    text = table.to_csv(index=False, lineterminator="\n", float_format="%.6f")
    write_bytes(path, text.encode(), private=True)

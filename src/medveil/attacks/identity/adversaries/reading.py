"""The films of a release beside their originals, read into memory: as many patients as fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.adversaries.films import Films, Pixels
from medveil.cohort import LABELS, Cohort
from medveil.cohort.dicom.many import read_many
from medveil.cohort.features import FEW, demographics
from medveil.cohort.images import load_image
from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.errors import Quarantined
from medveil.stats.bootstrap import unit_codes

MOST = 3000  # films: about a gigabyte with what is computed from them
OTHER_VIEW = "not a frontal view, by the table"
UNREADABLE = "cannot be read, before or after the defenses"


@dataclass(frozen=True)
class ReadFilms:
    """`films` are the rows that take part; the others by reason. `drawn` of `patients` patients were to be read,
    `returning` of them with two visits."""

    films: Films
    set_aside: dict[str, int]
    drawn: int
    returning: int
    patients: int
    frontal: bool = True  # or no image is: all take part, each as if it were a visit of its own


def read_films(released: Cohort, originals: Cohort, *, seed: int, most: int = MOST) -> ReadFilms:
    """Patients and visits as the originals tell them: a release may have other names for them.

    Of a cohort without frontal X-rays, such as photographs of both eyes, all images are read. Where there are more
    than `most` films, patients are drawn, those who came more than once before the others.
    """
    table = originals.table
    frontal = frontal_rows(originals)
    chests = bool(frontal.any())
    if not chests:
        frontal = np.ones(len(table), dtype=bool)
    drawn = _drawn(table, frontal, most, seed)
    rows = np.flatnonzero(frontal & drawn)
    before, after = _both(released, originals, rows)
    read = np.array([one is not None and other is not None for one, other in zip(before, after, strict=True)], bool)
    kept = rows[read]
    patients, _ = unit_codes(table["patient_id"].to_numpy())
    visits = unit_codes(table["study_id"].to_numpy())[0] if chests else np.arange(len(table))
    films = Films(
        _stacked(before, read),
        _stacked(after, read),
        patients[kept].astype(np.int64),
        visits[kept].astype(np.int64),
        demographics(released.table.iloc[kept]),
        told_beside(released.table.iloc[kept]),
    )
    reasons = Counter({OTHER_VIEW: int((~frontal).sum()), UNREADABLE: int((~read).sum())})
    pairs = np.unique(np.stack([patients[rows], visits[rows]], 1), axis=0)
    people, times = np.unique(pairs[:, 0], return_counts=True)
    return ReadFilms(
        films=films,
        set_aside={reason: count for reason, count in reasons.items() if count},
        drawn=len(people),
        returning=int((times > 1).sum()),
        patients=len(np.unique(patients[frontal])),
        frontal=chests,
    )


def told_beside(table: pd.DataFrame) -> tuple[NDArray[np.float32], ...]:
    """What rows tell of the person (age, sex and site; the view is the film's), and of the findings."""
    present = table[list(LABELS)].to_numpy(np.float32)
    present = np.where(present == -1, np.float32(0.5), np.nan_to_num(present))
    return demographics(table.assign(view=None)), np.concatenate([present, 1 - present], axis=1)


def frontal_rows(cohort: Cohort) -> NDArray[np.bool_]:
    """By the table; a view that nobody has named may be frontal."""
    return ~cohort.table["view"].isin(("LATERAL", "OTHER")).to_numpy(dtype=bool)


def _drawn(table: pd.DataFrame, frontal: NDArray[np.bool_], most: int, seed: int) -> NDArray[np.bool_]:
    if frontal.sum() <= most:
        return frontal
    codes, count = unit_codes(table["patient_id"].to_numpy())
    films = np.bincount(codes[frontal], minlength=count)
    order = np.lexsort((np.random.default_rng([seed, 17]).permutation(count), films < 2))
    taken = order[np.cumsum(films[order]) <= most]
    return np.isin(codes, taken)


def _both(
    released: Cohort, originals: Cohort, rows: NDArray[np.intp]
) -> tuple[list[Pixels | None], list[Pixels | None]]:
    before = _read(originals, rows)
    return before, before if released is originals else _read(released, rows)


def _read(cohort: Cohort, rows: NDArray[np.intp]) -> list[Pixels | None]:
    chosen = cohort.table.iloc[rows]
    places = [(path, int(frame)) for path, frame in zip(chosen["path"], chosen["frame"], strict=True)]
    results = read_many(partial(_prepared, cohort.root), places, workers=1 if len(places) < FEW else None)
    return [None if isinstance(result, Quarantined) else result for result in results]


def _prepared(root: Path, place: tuple[str, int]) -> Pixels:
    return prepare(load_image(root, place[0], frame=place[1]))


def _stacked(films: Sequence[Pixels | None], read: NDArray[Any]) -> Pixels:
    kept = [film for film, good in zip(films, read, strict=True) if good and film is not None]
    return np.stack(kept) if kept else np.zeros((0, SIDE, SIDE), np.uint8)

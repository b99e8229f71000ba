"""The rows of a released cohort and of its originals that a measure of the anatomy looks at, and their films."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.encoders.identity.preparing import prepare
from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_codes

Pixels = NDArray[np.uint8]


def frontal_pair(released: Cohort, originals: Cohort, *, most: int, seed: int) -> tuple[Cohort, Cohort]:
    """The same frontal films of both, whole patients drawn by chance where there are more than `most`."""
    if len(released) != len(originals):
        raise ValueError("row i of both must be the same film")
    keep = originals.table["view"].isin(("AP", "PA")).to_numpy()
    who, people = unit_codes(patients_of(originals))
    films = np.bincount(who, keep, minlength=people)
    order = np.random.default_rng([seed, people]).permutation(people)
    taken = np.zeros(people, bool)
    taken[order[np.cumsum(films[order]) <= most]] = True
    rows = keep & taken[who]
    if len(np.unique(who[rows])) < 2:
        raise NotMeasurable("this measure needs frontal films of at least two patients")
    return released.where(rows), originals.where(rows)


def prepared_films(cohort: Cohort, progress: Callable[[int], None] | None = None) -> Iterator[Pixels]:
    """256 × 256 pixels of 8 bits each, one after another."""
    for done, image in enumerate(cohort.images(), 1):
        yield prepare(image)
        if progress is not None:
            progress(done)


def patients_of(cohort: Cohort) -> NDArray[np.str_]:
    return cohort.table["patient_id"].astype(str).to_numpy(dtype=str)

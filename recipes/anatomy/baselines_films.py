"""The films that the baselines and DCM-DeID learn from: those of NIH's training patients, and phantoms.

Both come packed, as files of `recipes.films`, with `patients` and `split` beside them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from medveil.defenses.anatomy.training_films import TrainingFilms
from recipes.films import unpacked


def training_films(data: Path, *, device: str, seed: int, most: int | None = None) -> TrainingFilms:
    """DATA/nih.npz and DATA/phantoms.npz, the split 'train' of each; `most` films of each, for a trial."""
    films, patients = [], []
    for name in ("nih", "phantoms"):
        packed = np.load(data / f"{name}.npz")
        rows = np.flatnonzero(packed["split"] == "train")[:most]
        ends = packed["ends"][: rows[-1] + 1]
        films.append(unpacked(packed["bytes"][: ends[-1]], ends)[rows])
        patients.append(np.char.add(f"{name} ", packed["patients"][rows].astype(str)))
    return TrainingFilms(np.concatenate(films), np.concatenate(patients), device=device, seed=seed)

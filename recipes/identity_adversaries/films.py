"""The films it learns from: patients of NIH ChestX-ray14, and phantoms, so that it knows both when it sees them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from medveil.encoders.identity.training.images import TrainingImages
from recipes.films import packed, unpacked

PHANTOMS, SEED, SITES = 1400, 88_100, 12  # every eighth of these patients is kept for measuring
LEARNED = 300  # phantoms to learn from: they are easy, and the more of them, the less is seen of people


def prepare_phantoms(out: Path, *, count: int = LEARNED) -> None:
    """The first phantoms that may be learned from, packed."""
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.radiograph import draw
    from medveil.encoders.identity.preparing import SIDE, prepare

    films, patients = [], []
    for number in [number for number in range(PHANTOMS) if number % 8][:count]:
        patient = plan_patient(SEED, number, SITES)
        for visit in patient.visits:
            films.append(prepare(draw(patient, visit, sites_seed=SEED, size=SIDE).pixels))
            patients.append(number)
    content, ends = packed(films, quality=70)
    np.savez(out, bytes=content, ends=ends, patients=patients, split=["train"] * len(films))


def prepare_nih14(folder: Path, out: Path) -> None:
    """All films with their patients and splits, packed."""
    import csv

    from PIL import Image

    with (folder / "split.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [folder / "images" / row["file"] for row in rows]
    content, ends = packed((np.array(Image.open(name).convert("L")) for name in names), quality=80)
    patients, split = ([row[column] for row in rows] for column in ("patient", "split"))
    np.savez(out, bytes=content, ends=ends, patients=patients, split=split)


def read(files: Sequence[Path]) -> TrainingImages:
    """Patients of several files side by side; of all but the first only the first `LEARNED` to learn from."""
    pixels, patients, kept, count = [], [], [], 0
    for number, file in enumerate(files):
        stored = np.load(file)
        own, codes = np.unique(stored["patients"], return_inverse=True)
        keep = stored["split"] == "val"
        if number:
            learned = np.unique(codes[~keep])[:LEARNED]
            chosen = np.isin(codes, learned)
        else:
            chosen = np.ones(len(codes), dtype=bool)
        pixels.append(unpacked(stored["bytes"], stored["ends"])[chosen])
        patients.append(codes[chosen] + count)
        kept.append(keep[chosen])
        count += len(own)
    return TrainingImages(np.concatenate(pixels), np.concatenate(patients).astype(np.int64), np.concatenate(kept))

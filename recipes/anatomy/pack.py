"""The films that the networks of this folder learn from, packed small, with what is known of each.

    python -m recipes.anatomy.pack --data DATA --out PACKED

DATA holds the folder nih14. PACKED/nih.npz has its films of both splits, PACKED/phantoms.npz those of 1,400 patients of
a phantom hospital, of whom every eighth is in the split 'val'. PACKED/fresh.npz is another hospital of 1,150, two of
every five in 'val': nothing is learned from it but attackers and classifiers that measure.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.cohort import LABELS
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.runtime.workers import ordered_map
from recipes.films import packed
from recipes.findings.labels import FINDINGS

SITES = 12
REAL_QUALITY, DRAWN_QUALITY = 80, 70


def pack_real(folder: Path, out: Path) -> None:
    from medveil.cohort.input import read_cohort  # what draws phantoms needs no readers

    table = read_cohort(folder).table
    rows = {Path(path).stem: row for path, row in zip(table["path"], table.to_dict("records"), strict=True)}
    with (folder / "Data_Entry_2017_v2020.csv").open(newline="") as file:
        told = {row["Image Index"]: row["Finding Labels"].split("|") for row in csv.DictReader(file)}
    with (folder / "split.csv").open(newline="") as file:
        listed = sorted(csv.DictReader(file), key=lambda row: row["file"])
    content, ends = packed((_film(folder / "images" / one["file"]) for one in listed), quality=REAL_QUALITY)
    known = [rows[Path(one["file"]).stem] for one in listed]
    np.savez(
        out,
        bytes=content,
        ends=ends,
        patients=np.array([one["patient"] for one in listed]),
        split=np.array([one["split"] for one in listed]),
        labels=np.array([[row[label] for label in LABELS] for row in known], np.float32),
        findings=np.array([[finding in told[one["image"]] for finding in FINDINGS] for one in listed]),
        finding_names=np.array(FINDINGS),
        label_names=np.array(LABELS),
        view=np.array([row["view"] for row in known]),
        sex=np.array([row["sex"] for row in known], str),
        age=np.array([row["age"] for row in known], np.float32),
    )


def _film(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    with Image.open(path) as film:
        return prepare(np.asarray(film.convert("L")))


def pack_drawn(out: Path, *, seed: int, patients: int, tried: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> None:
    seen = [visit for patient in ordered_map(partial(visits, seed), range(patients)) for visit in patient]
    content, ends = packed((visit["film"] for visit in seen), quality=DRAWN_QUALITY)
    people = np.array([visit["patient"] for visit in seen])
    np.savez(
        out,
        bytes=content,
        ends=ends,
        patients=people,
        split=np.where(tried(people), "val", "train"),
        labels=np.array([visit["labels"] for visit in seen], np.float32),
        label_names=np.array(LABELS),
        view=np.array([visit["view"] for visit in seen]),
        sex=np.array([visit["sex"] for visit in seen]),
        age=np.array([visit["age"] for visit in seen], np.float32),
    )


def visits(seed: int, number: int) -> list[dict[str, Any]]:
    patient = plan_patient(seed, number, SITES)
    found = []
    for visit in patient.visits:
        shows = {finding.label for finding in visit.findings}
        shows |= {"No Finding"} if not shows else set()
        shows |= {"Support Devices"} if visit.devices else set()
        told = {"patient": number, "view": visit.view, "sex": patient.sex, "age": visit.age}
        film = prepare(draw(patient, visit, sites_seed=seed, size=SIDE).pixels)
        found.append(told | {"film": film, "labels": [float(label in shows) for label in LABELS]})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    pack_real(chosen.data / "nih14", chosen.out / "nih.npz")
    pack_drawn(chosen.out / "phantoms.npz", seed=88_100, patients=1400, tried=lambda people: people % 8 == 0)
    pack_drawn(chosen.out / "fresh.npz", seed=93_700, patients=1150, tried=lambda people: people % 5 < 2)


if __name__ == "__main__":
    main()

"""The findings of NIH ChestX-ray14 as its publisher names them, beside films in the order of their names."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FINDINGS = (
    *("Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Effusion", "Emphysema", "Fibrosis"),
    *("Infiltration", "Mass", "No Finding", "Nodule", "Pleural_Thickening", "Pneumonia", "Pneumothorax"),
)  # not Hernia: seven patients of the training films have one
CHOOSING = 8  # every so many-th patient of the training films is kept to choose by


@dataclass(frozen=True)
class Labelled:
    """File names, whose they are, and which findings each shows (n × findings)."""

    files: list[str]
    patients: NDArray[np.str_]
    shows: NDArray[np.bool_]


def labelled(folder: Path, split: str) -> Labelled:
    """Of the folder nih14."""
    with (folder / "Data_Entry_2017_v2020.csv").open(newline="") as file:
        told = {row["Image Index"]: row["Finding Labels"].split("|") for row in csv.DictReader(file)}
    with (folder / "split.csv").open(newline="") as file:
        rows = sorted((row for row in csv.DictReader(file) if row["split"] == split), key=lambda row: row["file"])
    shows = np.array([[finding in told[row["image"]] for finding in FINDINGS] for row in rows])
    return Labelled([row["file"] for row in rows], np.array([row["patient"] for row in rows]), shows)


def to_choose_by(patients: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Which films belong to patients that are not trained on."""
    _, codes = np.unique(patients, return_inverse=True)
    chosen: NDArray[np.bool_] = codes % CHOOSING == 0
    return chosen

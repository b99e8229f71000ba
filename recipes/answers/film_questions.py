"""Questions on training films of NIH ChestX-ray14 out of their labels, as many answered with yes as with no."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from recipes.findings.labels import FINDINGS, Labelled

Asked = tuple[int, str, str]  # film, question, answer
_PRESENCE = (
    *("Is there {}?", "Is there evidence of {}?", "Does the image show {}?", "Is {} present?"),
    *("Does the patient have {}?", "Can you see {}?", "Is/Are there {}?"),
)
_NAMES = {
    "Atelectasis": ("atelectasis",),
    "Cardiomegaly": ("cardiomegaly", "an enlarged heart", "enlargement of the heart"),
    "Consolidation": ("a consolidation", "consolidation"),
    "Edema": ("pulmonary edema",),
    "Effusion": ("a pleural effusion", "pleural effusion", "fluid in the pleural space"),
    "Emphysema": ("emphysema",),
    "Fibrosis": ("fibrosis",),
    "Infiltration": ("an infiltrate", "infiltrates"),
    "Mass": ("a mass", "a lung mass"),
    "Nodule": ("a nodule", "a lung nodule"),
    "Pleural_Thickening": ("pleural thickening",),
    "Pneumonia": ("pneumonia",),
    "Pneumothorax": ("a pneumothorax", "pneumothorax"),
}
_NORMAL = ("Is this a normal chest film?", "Is this image normal?", "Are the lungs normal appearing?")
_ABNORMAL = ("Is there an abnormality in this image?", "Is the chest film abnormal?")
_ENLARGED = ("Is the heart enlarged?", "Is the heart size normal?")


def film_questions(told: Labelled, views: list[str], count: int, rng: np.random.Generator) -> list[Asked]:
    return [_question(told, views, rng) for _ in range(count)]


def views_of(folder: Path, files: list[str]) -> list[str]:
    """PA or AP, as the table says."""
    with (folder / "Data_Entry_2017_v2020.csv").open(newline="") as file:
        told = {Path(row["Image Index"]).stem: row["View Position"] for row in csv.DictReader(file)}
    return [told[Path(name).stem] for name in files]


def _question(told: Labelled, views: list[str], rng: np.random.Generator) -> Asked:
    turn, yes = rng.random(), bool(rng.random() < 0.5)
    if turn < 0.6:
        label = list(_NAMES)[int(rng.integers(len(_NAMES)))]
        text = str(rng.choice(_PRESENCE)).format(rng.choice(_NAMES[label]))
        return _film(told, label, yes, rng), text, "yes" if yes else "no"
    if turn < 0.7:
        text = str(rng.choice(_ENLARGED))
        return _film(told, "Cardiomegaly", yes, rng), text, "yes" if yes != ("normal" in text) else "no"
    if turn < 0.9:
        text = str(rng.choice((*_NORMAL, *_ABNORMAL)))
        return _film(told, "No Finding", yes, rng), text, "yes" if yes != (text in _ABNORMAL) else "no"
    view = str(rng.choice(("PA", "AP")))
    film = int(rng.choice(np.flatnonzero(np.array(views) == view)))
    if rng.random() < 0.5:
        return film, "Is this a PA or an AP film?", view
    asked = str(rng.choice(("PA", "AP")))
    return film, f"Is this {'a' if asked == 'PA' else 'an'} {asked} film?", "yes" if asked == view else "no"


def _film(told: Labelled, label: str, shown: bool, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(told.shows[:, FINDINGS.index(label)] == shown)))

"""Dice of the lung network on films whose lungs people outlined, and the card that holds it.

Used by `recipe evaluate`.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.stats.bootstrap import mean_replicates, replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.lungs.segmenter import LungSegmenter, load_segmenter
from medveil.weights.bundled import bundled
from recipes.lungs.phantoms import phantom
from recipes.lungs.recipe import PHANTOMS
from recipes.model_card import closing, write_card

SEED = 7
UNSEEN_SEED, UNSEEN = 90_210, 100  # a hospital that was not drawn for training
WORST = 0.1  # of the films
Floats = NDArray[np.float64]
ABOUT: dict[str, Any] = {
    "name": "medveil-lungs",
    "kind": "lung fields",
    "data": f"{PHANTOMS - 100:,} phantom radiographs with their lungs, drawn by medveil; 2,839 frontal films of 887 "
    "training patients of NIH ChestX-ray14 (256 pixels) without any outline, on which the network was taught by the "
    "average of its own weights",
    "start": "random weights",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "telling whether pixels that were changed lie inside the lungs of a frontal chest radiograph",
    "not_for": [
        "measuring lungs or diagnosing anything: clinical use of any kind",
        "laterals and other body parts, on which it finds no lungs or something else",
    ],
    "limits": [
        "The fields reach behind the heart to a line beside the spine, as people drew them on covid19; the diaphragm's "
        "edge in deep recesses is uncertain.",
        "On all of its twelve worst films it takes the upper abdomen for lung as well, above all on short breaths and "
        "bedside films; the lungs themselves are nearly whole. It errs to the strict side.",
        "covid19 was looked at twice with the finished network, for the scores and to see the worst films, and nothing "
        "was chosen by it; two of its outlines were seen before training, to learn what people count as lung.",
        "Training was ended by the clock, on an H200 shared with two other trainings; another run will differ a "
        "little.",
        "Films of children, and lungs that are white from top to bottom, are hardly among the training films.",
    ],
}


def evaluate(data: Path, out: Path, *, export: bool) -> None:
    card: dict[str, Any] = {**ABOUT, "seeds": {"phantoms": 61_400, "training": 0, "intervals": SEED}}
    card["recipe"] = [
        "python -m recipes.lungs.recipe prepare --data DATA --out FILMS.npz",
        "python -m recipes.lungs.recipe train --films FILMS.npz --out RUN --device cuda --seconds 230",
        "python -m recipes.lungs.recipe evaluate --data DATA --out RUN --export",
    ]
    card["scores"] = {}
    for name, films in (("covid19 (external), 384 px", outlined(data / "covid19")), ("unseen phantoms", _drawn())):
        patients = np.array([patient for patient, _, _ in films])
        for what in ("lungs", "alone"):
            dice = _dice(load_segmenter(out / f"{what}.safetensors"), films)
            label = "model" if what == "lungs" else "phantoms alone, not taught on real films"
            card["scores"][f"{name}: {label}"] = scores(dice, patients)
            print(name, label, card["scores"][f"{name}: {label}"], flush=True)
            if what == "lungs":
                np.savetxt(out / f"dice {name.split()[0]}.txt", dice, fmt="%.4f")
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(out / "lungs.safetensors", folder / "lungs.safetensors")
    write_card(folder / "lungs", card, _page, weights=[folder / "lungs.safetensors"])
    if export:
        for file in folder.glob("lungs.*"):
            shutil.copyfile(file, bundled("lungs").with_suffix(file.suffix))


def outlined(folder: Path) -> list[tuple[str, NDArray[np.uint8], NDArray[np.bool_]]]:
    """Patient, film and lungs, of every film of which people drew them."""
    found = []
    with (folder / "metadata.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            lungs = folder / "lungs" / f"{Path(row['file']).stem}.png"
            if lungs.is_file():
                with Image.open(folder / "images" / row["file"]) as film, Image.open(lungs) as outline:
                    mask = outline.convert("L").resize(film.size, Image.Resampling.NEAREST)
                    found.append((row["patient_key"], np.asarray(film.convert("L")), np.asarray(mask) > 127))
    return found


def _drawn() -> list[tuple[str, NDArray[np.uint8], NDArray[np.bool_]]]:
    return [(str(number), *phantom(number, UNSEEN_SEED)) for number in range(UNSEEN)]


def _dice(segmenter: LungSegmenter, films: list[tuple[str, NDArray[np.uint8], NDArray[np.bool_]]]) -> Floats:
    found = []
    for _, film, truth in films:
        lungs = segmenter.mask(film)
        found.append(2 * (lungs & truth).sum() / max(1, lungs.sum() + truth.sum()))
    return np.array(found, np.float64)


def scores(dice: Floats, patients: NDArray[np.str_]) -> dict[str, Any]:
    """The mean, the mean of the worst tenth, and the share of films above 0.9, with intervals by patient."""
    codes, count = unit_codes(patients)
    weights = unit_weights(count, seed=SEED)
    estimates = {
        "Dice": (dice.mean(), mean_replicates(dice, codes, weights)),
        "Dice, worst tenth of the films": (
            _worst(dice, np.ones(len(dice))),
            replicates(lambda drawn: _worst(dice, drawn[codes]), weights),
        ),
        "films with Dice of 0.9 and more": (
            (dice >= 0.9).mean(),
            mean_replicates((dice >= 0.9).astype(np.float64), codes, weights),
        ),
    }
    found = {}
    for name, (value, draws) in estimates.items():
        one = Estimate.from_replicates(float(value), draws, n=len(dice), units=count)
        found[name] = {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "patients": one.units}
    return found


def _worst(dice: Floats, weights: Floats) -> float:
    """The weighted mean of the lowest tenth."""
    order = np.argsort(dice)
    left = np.clip(WORST * weights.sum() - (np.cumsum(weights[order]) - weights[order]), 0, weights[order])
    return float((dice[order] * left).sum() / left.sum())


def _page(card: dict[str, Any]) -> str:
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "| films | measure | value | 95 % interval by patient | n | patients |",
        "|---|---|---|---|---|---|",
    ]
    for films, measures in card["scores"].items():
        for name, one in measures.items():
            interval = f"{one['low']:.4f} to {one['high']:.4f}"
            lines.append(f"| {films} | {name} | {one['value']:.4f} | {interval} | {one['n']} | {one['patients']} |")
    return "\n".join([*lines, "", *closing(card)])

"""Dice of the organ network on films whose organs are known, and the card that holds it.

Used by `recipe evaluate`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.utility.organs.network import ORGANS
from medveil.utility.organs.overlap import dice
from medveil.utility.organs.segmenter import OrganSegmenter, fitted, load_organs
from medveil.weights.bundled import bundled
from recipes.lungs.card import SEED, UNSEEN, UNSEEN_SEED, outlined, scores
from recipes.lungs.phantoms import SITES
from recipes.model_card import closing, write_card
from recipes.organs.phantoms import organs

Known = list[tuple[str, NDArray[np.uint8], NDArray[np.bool_]]]  # patient, film, organs
ABOUT: dict[str, Any] = {
    "name": "medveil-organs",
    "kind": "lungs and heart",
    "data": "3,660 phantom radiographs with their lungs and hearts, drawn by medveil; 2,839 frontal "
    "films of 887 training patients of NIH ChestX-ray14 (256 pixels) without any outline, on which the network was "
    "taught by the average of its own weights",
    "start": "random weights",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "telling whether lungs and heart lie where they lay on a frontal chest radiograph whose anatomy was hidden",
    "not_for": [
        "measuring lungs or hearts or diagnosing anything: clinical use of any kind",
        "laterals and other body parts, on which it finds nothing or something else",
    ],
    "limits": [
        "How well it finds the heart is known on phantoms alone: no real film with an outlined heart was at hand.",
        "The lungs reach behind the heart to a line beside the spine, as people drew them on covid19; the heart is "
        "cut off at the diaphragm.",
        "On its worst films, short breaths at the bedside, it takes the upper abdomen for lung, and a dense base for "
        "heart.",
        "covid19 was looked at once with the finished network, for the scores and the worst films, and "
        "nothing was chosen by it.",
        "Training was ended by the clock, on an H200 shared with other trainings; another run will differ a little.",
    ],
}


def evaluate(data: Path, out: Path, *, export: bool) -> None:
    card: dict[str, Any] = {**ABOUT, "seeds": {"phantoms": 88_100, "training": 0, "intervals": SEED}, "scores": {}}
    card["recipe"] = [
        "python -m recipes.organs.recipe prepare --data DATA --out FILMS.npz",
        "python -m recipes.organs.recipe train --films FILMS.npz --out RUN --device cuda --seconds 110",
        "python -m recipes.organs.recipe evaluate --data DATA --out RUN --export",
    ]
    segmenter = load_organs(out / "organs.safetensors")
    known = {"unseen phantoms": _drawn(), "covid19 (external), 384 px": _outlined(data / "covid19")}
    for name, films in known.items():
        found = _dice(segmenter, films)
        patients = np.array([patient for patient, _, _ in films])
        for k in range(found.shape[1]):
            card["scores"][f"{name}: {ORGANS[k]}"] = scores(found[:, k], patients)
            print(name, ORGANS[k], card["scores"][f"{name}: {ORGANS[k]}"], flush=True)
        np.savetxt(out / f"dice {name.split()[0]}.txt", found, fmt="%.4f")
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(out / "organs.safetensors", folder / "organs.safetensors")
    write_card(folder / "organs", card, _page, weights=[folder / "organs.safetensors"])
    if export:
        bundled("organs").parent.mkdir(exist_ok=True)
        for file in folder.glob("organs.*"):
            shutil.copyfile(file, bundled("organs").with_suffix(file.suffix))


def _drawn() -> Known:
    """First visits of patients of a hospital that was not drawn for training."""
    found = []
    for number in range(UNSEEN):
        patient = plan_patient(UNSEEN_SEED, number, SITES)
        visit = patient.visits[0]
        film = prepare(draw(patient, visit, sites_seed=UNSEEN_SEED, size=SIDE).pixels)
        found.append((str(number), film, organs(patient, visit)))
    return found


def _outlined(folder: Path) -> Known:
    """Films of which people drew the lungs."""
    return [(patient, prepare(film), lungs[None]) for patient, film, lungs in outlined(folder)]


def _dice(segmenter: OrganSegmenter, films: Known) -> NDArray[np.float64]:
    """Of the organs that are known; each mask is brought to the network's size."""
    found = segmenter.masks(film for _, film, _ in films)
    truth = np.concatenate([fitted(masks[None]) for _, _, masks in films])
    return dice(found[:, : truth.shape[1]], truth)


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

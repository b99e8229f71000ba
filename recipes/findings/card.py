"""Thresholds and scores of the findings network, and the card that holds them. Used by `recipe evaluate`.

On patients of 'val': how well each finding is told apart, and how far the network's mind moves when a film is stored
anew (which should move nothing) and when part of the lungs is painted over (which should move something).
"""

from __future__ import annotations

import io
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.encoders.findings.classifier import FindingsClassifier
from medveil.encoders.findings.network import Calling, load_findings, save_findings
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import mean_replicates, replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.utility.lungs.segmenter import load_segmenter
from medveil.weights.bundled import bundled
from recipes.findings.labels import FINDINGS, labelled, to_choose_by
from recipes.model_card import closing, write_card

SEED = 7
FEWEST = 10  # patients with and without a finding; fewer say nothing about it
PAINTED = (0.02, 0.1)  # of the lungs
Floats = NDArray[np.float64]
Film = NDArray[np.uint8]
ABOUT: dict[str, Any] = {
    "name": "medveil-findings",
    "kind": "findings",
    "data": "NIH ChestX-ray14, 2,496 frontal films of seven of every eight training patients, 256 pixels; the moment "
    "to stop, the learning rate (of two) and the thresholds were chosen on 343 films of the others",
    "start": "the backbone of reidentification-1 (EfficientNet-lite0), which knows the same films",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "noticing that a film says something else after it was cleaned than before",
    "not_for": [
        "diagnosing anything: it is far from a radiologist, and from published networks with forty times the films",
        "comparing hospitals or patients; clinical use of any kind",
        "laterals and other body parts",
    ],
    "limits": [
        "The labels were mined from reports by their publisher and are noisy.",
        "Findings with fewer than ten val patients were learned but not measured: they are named without a score. "
        "Hernia was left out.",
        "A threshold is the probability above which as many films lie as the finding is common among the films it was "
        "chosen on; it says when a mind is changed, not who is ill.",
        "Storing a film anew as JPEG moves it as far as painting over a small box: of one film a change is a reason to "
        "look, not a proof, and no change proves nothing.",
        "The val patients were looked at once, with the finished network.",
        "Training was ended by the clock, on an H200 shared with two other trainings; another run will differ a "
        "little.",
    ],
}


def evaluate(data: Path, out: Path, *, export: bool) -> None:
    network, _ = load_findings(out / "findings.safetensors")
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    thresholds = _thresholds(out / "findings.safetensors", data / "nih14")
    save_findings(folder / "findings.safetensors", network, Calling(FINDINGS, thresholds))
    classifier = FindingsClassifier(*load_findings(folder / "findings.safetensors"))
    told = labelled(data / "nih14", "val")
    films = [_film(data / "nih14", name) for name in told.files]
    codes, count = unit_codes(told.patients)
    weights = unit_weights(count, seed=SEED)
    probabilities = classifier.probabilities(films)
    card: dict[str, Any] = {**ABOUT, "seeds": {"training": 0, "painting and intervals": SEED}}
    card["recipe"] = [
        "python -m recipes.lungs.recipe prepare --data DATA --out FILMS.npz",
        "python -m recipes.findings.recipe prepare --data DATA --out LABELS.npz",
        "python -m recipes.findings.recipe train --films FILMS.npz --labels LABELS.npz --out RUN --device cuda "
        "--seconds 200",
        "python -m recipes.findings.recipe evaluate --data DATA --out RUN --export",
    ]
    card["thresholds"] = dict(zip(FINDINGS, thresholds, strict=True))
    card["scores"] = _aurocs(probabilities.astype(np.float64), told.shows, codes, count, weights)
    card["changes"] = _changes(classifier, films, probabilities, codes, weights)
    print(card["scores"], card["changes"])
    write_card(folder / "findings", card, _page, weights=[folder / "findings.safetensors"])
    if export:
        for file in folder.glob("findings.*"):
            shutil.copyfile(file, bundled("findings").with_suffix(file.suffix))


def _film(folder: Path, name: str) -> Film:
    with Image.open(folder / "images" / name) as film:
        return np.asarray(film.convert("L"))


def _thresholds(path: Path, folder: Path) -> tuple[float, ...]:
    """As many films of the patients set aside lie above as show the finding; never fewer than one."""
    told = labelled(folder, "train")
    aside = to_choose_by(told.patients)
    films = (_film(folder, name) for name, chosen in zip(told.files, aside, strict=True) if chosen)
    probabilities = FindingsClassifier(*load_findings(path)).probabilities(films)
    common = told.shows.mean(0)
    ordered = np.sort(probabilities, axis=0)[::-1]
    above = np.clip(np.rint(common * len(ordered)).astype(int), 1, len(ordered) - 1)
    return tuple(round(float(ordered[above[k] - 1 : above[k] + 1, k].mean()), 4) for k in range(len(FINDINGS)))


def _aurocs(
    probabilities: Floats, shows: NDArray[np.bool_], codes: NDArray[np.intp], count: int, weights: Floats
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    values, draws = [], []
    for k, finding in enumerate(FINDINGS):
        fewest = min(len(np.unique(codes[shows[:, k] == side])) for side in (True, False))
        if fewest < FEWEST:
            continue
        auc = WeightedAUC(probabilities[:, k], shows[:, k])
        values.append(auc())
        draws.append(replicates(partial(_weighted, auc, codes), weights))
        one = Estimate.from_replicates(values[-1], draws[-1], n=len(codes), units=count)
        with_it = {"films with it": int(shows[:, k].sum()), "patients with it": len(np.unique(codes[shows[:, k]]))}
        found[finding] = _plain(one) | with_it
    macro = Estimate.from_replicates(float(np.mean(values)), np.nanmean(draws, axis=0), n=len(codes), units=count)
    return {"mean of these": _plain(macro), **found}


def _weighted(auc: WeightedAUC, codes: NDArray[np.intp], weights: Floats) -> float:
    return auc(weights[codes])


def _changes(
    classifier: FindingsClassifier,
    films: list[Film],
    before: NDArray[np.float32],
    codes: NDArray[np.intp],
    weights: Floats,
) -> dict[str, Any]:
    segmenter = load_segmenter()
    lungs = list(segmenter.masks(films))
    ways = {"stored anew as JPEG of quality 75": [_stored_anew(film) for film in films]}
    for part in PAINTED:
        painted = [
            _painted(film, mask, part, number) for number, (film, mask) in enumerate(zip(films, lungs, strict=True))
        ]
        ways[f"a box of {part:.0%} of the lungs painted over".replace("%", " %")] = painted
    found = {}
    for way, changed in ways.items():
        after = classifier.probabilities(changed)
        largest = np.abs(after - before).max(1).astype(np.float64)
        crosses = (classifier.present(after) != classifier.present(before)).any(1).astype(np.float64)
        mean = Estimate.from_replicates(
            float(largest.mean()), mean_replicates(largest, codes, weights), n=len(films), units=weights.shape[1]
        )
        found[way] = {
            "largest change of a probability, mean": _plain(mean),
            "films in which a finding crosses its threshold": _plain(share(crosses, codes, weights)),
        }
    return found


def _stored_anew(film: Film) -> Film:
    file = io.BytesIO()
    Image.fromarray(film).save(file, "JPEG", quality=75)
    with Image.open(file) as again:
        return np.asarray(again.convert("L"))


def _painted(film: Film, lungs: NDArray[np.bool_], part: float, number: int) -> Film:
    """A square of this share of the lungs' area around a pixel of the lungs, in the film's mean gray."""
    rows, columns = np.nonzero(lungs if lungs.any() else np.ones_like(lungs))
    at = int(np.random.default_rng([SEED, number]).integers(len(rows)))
    half = max(1, round((part * len(rows)) ** 0.5 / 2))
    painted = film.copy()
    painted[max(0, rows[at] - half) : rows[at] + half, max(0, columns[at] - half) : columns[at] + half] = film.mean()
    return painted


def _plain(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "patients": one.units}


def _page(card: dict[str, Any]) -> str:
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "On 495 films of 137 patients of nih14 val; a coin toss has an AUROC of 0.5.",
        "",
        "| finding | AUROC | 95 % interval by patient | films with it | patients with it | called from |",
        "|---|---|---|---|---|---|",
    ]
    for finding, one in card["scores"].items():
        called = f"{card['thresholds'][finding]:.3f}" if finding in card["thresholds"] else ""
        lines.append(
            f"| {finding} | {one['value']:.3f} | {one['low']:.3f} to {one['high']:.3f} | "
            f"{one.get('films with it', '')} | {one.get('patients with it', '')} | {called} |"
        )
    unmeasured = [finding for finding in card["thresholds"] if finding not in card["scores"]]
    lines += ["", f"Too few patients to measure: {', '.join(unmeasured)}.", ""]
    lines += ["| the same films | measure | value | 95 % interval by patient |", "|---|---|---|---|"]
    for way, measures in card["changes"].items():
        lines += [
            f"| {way} | {name} | {one['value']:.4f} | {one['low']:.4f} to {one['high']:.4f} |"
            for name, one in measures.items()
        ]
    return "\n".join([*lines, "", *closing(card)])

"""Scores of the recogniser of another architecture with intervals by patient, and its card; for `recipe evaluate`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from medveil.attacks.identity.evaluation import evaluate as recognition
from medveil.cohort.input import read_cohort
from medveil.encoders.identity.embedder import load_embedder
from medveil.stats.estimate import Estimate
from medveil.weights.bundled import OTHER_RETRIEVER, bundled
from recipes.model_card import closing, write_card

SEED = 7
MEASURES = ("precision@1", "pair AUC")
ABOUT: dict[str, Any] = {
    "name": "medveil-identity-reidentification-resnet",
    "kind": "reidentification",
    "data": "NIH ChestX-ray14, 2,839 frontal images of 887 patients at 256 pixels, and 898 films of 300 phantoms",
    "start": "chance: a residual network of 1.2 million parameters, without ImageNet and without a teacher",
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
    "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center.",
    "for": "attacking defended films with a network that no defense was fitted against",
    "not_for": [
        "recognising patients as well as one can: the bundled pair does it better",
        "finding out who a patient is, or linking records without a right to do so; clinical use of any kind",
        "fitting a defense against: it would then be worth nothing as an attacker",
    ],
    "limits": [
        "Its schedule was as long as 110 seconds allowed, on an H200 that two other trainings shared; another run will "
        "differ.",
        "The val patients were measured eight times on the way and once at the end; nothing was chosen by it.",
        "It has seen the originals of the training patients, as the bundled pair has: films of theirs are recognised "
        "too well to measure anything on.",
    ],
}


def evaluate(data: Path, out: Path, *, export: bool) -> None:
    """On nih14's val and on covid19; the card beside the weights."""
    weights = out / f"{OTHER_RETRIEVER}.safetensors"
    trained = json.loads((out / "training.json").read_text("utf-8"))
    nih = read_cohort(data / "nih14")
    cohorts = {"nih14 val": nih.where(nih.table["split"] == "val"), "covid19": read_cohort(data / "covid19").frontal()}
    embedder = load_embedder(weights)
    scores = {}
    for name, cohort in cohorts.items():
        # every image is a study of its own, as on the card of the bundled pair
        table = cohort.table.assign(study_id=range(len(cohort)))
        found = recognition(embedder.embed(cohort.images()), table, seed=SEED).estimates
        scores[name] = {measure: _plain(found[measure]) for measure in MEASURES}
        print(name, {measure: round(found[measure].value, 4) for measure in MEASURES})
    card = {**ABOUT, "scores": scores, "settings": trained["settings"]}
    card["seeds"] = {"training": trained["settings"]["seed"], "intervals": SEED}
    card["recipe"] = [
        "python -m recipes.identity_adversaries.recipe prepare --data DATA --out FILMS",
        "python -m recipes.identity_adversaries.recipe train --films FILMS --out RUN --device cuda --seconds 110",
        "python -m recipes.identity_adversaries.recipe evaluate --data DATA --out RUN --export",
    ]
    write_card(out / OTHER_RETRIEVER, card, _page, weights=[weights])
    if export:
        for file in out.glob(f"{OTHER_RETRIEVER}.*"):
            shutil.copyfile(file, bundled(OTHER_RETRIEVER).with_name(file.name))


def _plain(estimate: Estimate) -> dict[str, Any]:
    told = estimate.to_json()
    low, high = told.pop("interval")
    told |= {"low": low, "high": high}
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in told.items()}


def _page(card: dict[str, Any]) -> str:
    rows = [
        f"| {cohort} | {measure} | {e['value']:.4f} | {e['low']:.4f} to {e['high']:.4f} | {e['chance']:.4f} "
        f"| {e['control']:.4f} | {e['n']:,} |"
        for cohort, measures in card["scores"].items()
        for measure, e in measures.items()
    ]
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}; {card['settings']['epochs']} epochs.",
        "",
        "| cohort | measure | value | 95 % interval by patient | chance | control (the table) | n |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        *closing(card),
    ]
    return "\n".join(lines)

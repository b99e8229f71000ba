"""Scores of the bundled image-report encoder on a phantom hospital it has not seen, and its card."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from medveil.attacks.linkage.run import run_linkage
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.medveil_small.small_encoder import MedveilSmall
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.weights.bundled import SMALL, bundled
from recipes.model_card import closing, write_card

HOSPITAL = {"patients": 300, "sites": 10, "seed": 900_001, "size": 256}
METRICS = ("Recall@1", "Recall@5", "Recall@10", "MRR", "median rank")
ABOUT: dict[str, Any] = {
    "name": "medveil-small",
    "data": "7,500 visits of as many phantom patients, drawn by medveil, each with reports in four house styles and "
    "without any identifier; the moment to stop was chosen on 800 visits of other patients",
    "start": "EfficientNet-lite0, ImageNet (Apache-2.0), first five stages; the report network from nothing",
    "recipe": [
        "python -m recipes.linkage.recipe draw --out RUN",
        "python -m recipes.linkage.recipe train --start efficientnet-lite0.pth --out RUN --device cuda",
        "python -m recipes.linkage.recipe evaluate --out RUN --export",
    ],
    "licence": "Apache-2.0",
    "for": "showing and testing the linkage audit without a download, and auditing phantom hospitals",
    "not_for": [
        "saying that real images cannot be linked to their reports: it knows drawn images only, and an attacker has "
        "better models",
        "clinical use of any kind",
        "laterals and other body parts",
    ],
    "limits": [
        "On real X-rays it links little better than chance: see the page of linkage results.",
        "Phantom reports describe the very image in a limited language, so its scores on phantoms say nothing about "
        "hospitals.",
    ],
}  # fmt: skip


def evaluate(out: Path, seeds: dict[str, int], *, export: bool) -> None:
    """The hospital as it is, and without identifiers in reports and pixels."""
    encoder = MedveilSmall.open(out)
    cohort = build_hospital(out / "hospital", **HOSPITAL)
    found = {
        "unseen phantom hospital, identifiers taken out": clean(cohort, encoder),
        "unseen phantom hospital as it is, text burned in": encode_cohort(cohort, encoder),
    }
    settings = LinkageSettings(pools=(100, "all"))
    tables = {
        name: run_linkage(cohort, {encoder.name: each}, seed=7, settings=settings, fit=False).tables["linkage"]
        for name, each in found.items()
    }
    scores = {name: by_pool(table) for name, table in tables.items()}
    for name, pools in scores.items():
        print(name, {pool: {m: round(e["value"], 4) for m, e in each.items()} for pool, each in pools.items()})
    card = {**ABOUT, "seeds": {**seeds, "hospital of the scores": HOSPITAL["seed"], "intervals": 7}, "scores": scores}
    write_card(out / SMALL, card, page, weights=[out / SMALL])
    if export:
        for file in out.glob(SMALL.replace("safetensors", "*")):
            shutil.copyfile(file, bundled("medveil-small").with_suffix(file.suffix))


def clean(cohort: Cohort, encoder: MedveilSmall) -> Embeddings:
    """Films before text is burned in, reports without the characters that identify."""
    gold = load_gold(cohort.root)
    seed = HOSPITAL["seed"]
    plans = (plan_patient(seed, number, HOSPITAL["sites"]) for number in range(HOSPITAL["patients"]))
    films = (
        draw(patient, visit, sites_seed=seed, size=HOSPITAL["size"]).pixels
        for patient in plans
        for visit in patient.visits
    )
    images = encoder.encode_images(films)
    texts = [_without(text, gold.images[name].in_report) for name, text in cohort.table[["image_id", "report"]].values]
    return Embeddings(images, encoder.encode_reports(texts), np.arange(len(cohort)), {})


def _without(text: str, identifiers: Any) -> str:
    for identifier in reversed(identifiers):
        text = text[: identifier.start] + text[identifier.end :]
    return text


def by_pool(table: pd.DataFrame) -> dict[str, dict[str, dict[str, Any]]]:
    """Image to report, intervals by patient."""
    kept = table[(table["unit"] == "patient") & (table["direction"] == "image to report")]
    pools: dict[str, dict[str, dict[str, Any]]] = {}
    for row in kept[kept["pool"].isin(("100", "all"))].to_dict("records"):
        if row["pool"] == "all" and row["protocol"] == "matched":
            continue
        pool = f"{row['protocol']} pools of 100" if row["pool"] == "100" else "all candidates"
        columns = ("value", "sd", "low", "high", "chance", "control")
        estimate = {name: round(float(row[name]), 4) for name in columns}
        estimate |= {"n": int(row["n"]), "units": int(row["units"]), "unit": "patient"}
        pools.setdefault(pool, {})[row["metric"]] = estimate
    return pools


def page(card: dict[str, Any]) -> str:
    rows = [
        f"| {cohort} | {pool} | {measure} | {e['value']:.4f} | {e['low']:.4f} to {e['high']:.4f} | {e['chance']:.4f} "
        f"| {e['control']:.4f} | {e['n']:,} |"
        for cohort, pools in card["scores"].items()
        for pool, measures in pools.items()
        for measure, e in measures.items()
        if measure in METRICS
    ]
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "Image to report; `labels only` is an attacker who knows the findings and nothing else.",
        "",
        "| cohort | pools | measure | value | 95 % interval by patient | chance | labels only | n |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        *closing(card),
    ]
    return "\n".join(lines)

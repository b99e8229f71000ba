"""Scores of the two identity models with intervals by patient, and their cards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.calibration import Calibration
from medveil.attacks.identity.evaluation import evaluate as recognition
from medveil.cohort import Cohort
from medveil.cohort.features import thumbnail
from medveil.cohort.input import read_cohort
from medveil.encoders.identity.embedder import load_embedder
from medveil.encoders.identity.networks.model_file import leave_branches
from medveil.encoders.identity.training.train import MODEL, RECORD
from medveil.encoders.identity.verifier import Verifier, load_verifier
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.search import chance_of_match
from medveil.stats.shares import share
from medveil.weights.bundled import RETRIEVERS, bundled
from recipes.identity.recipe import CHAINS, VERIFICATION
from recipes.model_card import closing, write_card

Floats = NDArray[np.float32]
SEED = 7
RETRIEVAL = "reidentification"
DECIDED = ("accuracy", "specificity", "recall", "precision", "F1")
STAGES_OF = {  # what a card's model is made by
    RETRIEVAL: tuple(stage for chain in CHAINS.values() for stage in chain),
    VERIFICATION: (*next(iter(CHAINS.values())), VERIFICATION),
}
ABOUT: dict[str, Any] = {
    "data": "NIH ChestX-ray14, 2,839 frontal images of 887 patients at 256 pixels; chosen on 495 images of 137 others",
    "recipe": [
        "python -m recipes.identity.recipe train --data DATA --start IMAGENET --out RUN --device cuda",
        "python -m recipes.identity.recipe evaluate --data DATA --out RUN --retrained RUN2 --export",
    ],
    "licence": "Apache-2.0; the images are free to use with citation",
    "citation": (
        "X. Wang, Y. Peng, L. Lu, Z. Lu, M. Bagheri, R. M. Summers. ChestX-ray8: Hospital-scale Chest X-ray "
        "Database and Benchmarks. CVPR 2017. Images provided by the NIH Clinical Center."
    ),
    "for": "measuring, on data one is allowed to hold, whether patients can be linked by their radiographs",
    "not_for": [
        "finding out who a patient is, or linking records without a right to do so",
        "proof that two images show the same person, or that they do not",
        "clinical use of any kind",
        "laterals and other body parts, which it was not trained on",
    ],
    "limits": [
        "One hospital and 256 pixels: more data and detail serve an attacker better (published: 0.996).",
        "Settings were chosen on the val patients over more than twenty runs: their scores lean to the good side.",
        "Six of the NIH images are laterals that the publisher calls frontals; one of them is of a val patient.",
        "The networks were trained with the recipe's settings, but the two chains side by side, interrupted and "
        "resumed; the command as it stands, one stage after the other, has not been run from beginning to end.",
        "Ten of the 67 val patients with several images give 48 % of the queries, so the intervals "
        "by patient are wide.",
    ],
}  # fmt: skip
START: dict[str, str] = {
    RETRIEVAL: "EfficientNet-lite0 and lite1, each taught by a lite1 and a lite2, all from ImageNet (Apache-2.0)",
    VERIFICATION: "the first of the two re-identification networks, EfficientNet-lite0, its branches left as they are",
}
LIMITS: dict[str, list[str]] = {  # of one model only
    RETRIEVAL: [
        "The second network was added when pairs of earlier networks had reached 0.955 to 0.967 on the val patients.",
        "The calibration is fitted to the val patients as well.",
    ],
    VERIFICATION: [
        "Precision and F1 hang on the share of pairs of one person: 2,815 of 52,815 on val, 654 of 50,654 on covid19.",
    ],
}


def evaluate(data: Path, out: Path, *, retrained: Sequence[Path] = (), export: bool) -> None:
    """Both models on nih14's val and on covid19, the members and the pixel baseline beside them; one card each.

    Networks of `retrained` runs are scored on val alone, to be seen against the card's intervals.
    """
    nih = read_cohort(data / "nih14")
    nih = nih.where(nih.table["split"] == "val")
    cohorts = {"nih14 val": nih, "covid19 (external)": read_cohort(data / "covid19").frontal()}
    members = {name: load_embedder(out / name / MODEL) for name in RETRIEVERS}
    verifier = load_verifier(out / VERIFICATION / MODEL)
    retrieval: dict[str, Any] = {}
    verification: dict[str, Any] = {}
    for name, cohort in cohorts.items():
        images = list(cohort.images())
        alone = {member: _alike(embedder.embed(images)) for member, embedder in members.items()}
        together = np.mean(list(alone.values()), axis=0)
        if cohort is nih:
            calibration, on_val = _calibration(nih, together), alone
        base = {"pixel baseline": _scores(cohort, _alike(np.stack([thumbnail(image) for image in images])))}
        branches = verifier.embed(images)
        decided = np.stack([verifier.compare(branches, row[None]) for row in branches])
        each = {f"{member} alone": _scores(cohort, found) for member, found in alone.items()}
        retrieval[name] = {"model": _scores(cohort, together), **each, **base}
        verification[name] = {"model": {**_scores(cohort, decided), **_decisions(cohort, branches, verifier)}, **base}
        for kind, found in ((RETRIEVAL, retrieval), (VERIFICATION, verification)):
            print(name, kind, *(f"{who}: {_short(scores)}" for who, scores in found[name].items()), sep="\n  ")
    again = [each for folder in retrained for each in _retrained(nih, folder, on_val)]
    more = {"calibration": calibration.to_json(), "retrained": again}
    _write(out, RETRIEVAL, RETRIEVERS, {"scores": retrieval, **more}, export)
    _write(out, VERIFICATION, (VERIFICATION,), {"scores": verification}, export)


def _alike(vectors: Floats) -> Floats:
    return vectors @ vectors.T


def _decisions(cohort: Cohort, branches: Floats, verifier: Verifier) -> dict[str, Any]:
    """As published: the area redrawn by pair, 10,000 times, and what is decided at a probability of one half."""
    found = recognition(branches, cohort.table, seed=SEED, verify=verifier.compare, pair_redraws=10_000).estimates
    return {
        name: _plain(found[name]) for name in ("pair AUC, redrawn by pair", *(f"{each} at 0.5" for each in DECIDED))
    }


def _calibration(cohort: Cohort, similarity: Floats) -> Calibration:
    """Of the cosine, on unseen patients: for cohorts that have too few pairs of their own to fit one."""
    patients, _ = unit_codes(cohort.table["patient_id"].to_numpy())
    left, right = np.triu_indices(len(patients), 1)
    scores = similarity[left, right].astype(np.float64)
    same = patients[left] == patients[right]
    return Calibration.fit(scores[same], scores[~same])


def _retrained(nih: Cohort, run: Path, shipped: dict[str, Floats]) -> list[dict[str, Any]]:
    """The networks a run has made anew, each alone and in the place of the shipped one."""
    found = []
    for member in (member for member in RETRIEVERS if (run / member / MODEL).is_file()):
        alone = _alike(load_embedder(run / member / MODEL).embed(nih.images()))
        together = np.mean(list({**shipped, member: alone}.values()), axis=0)
        found.append({
            "network": member,
            "seed": _seed(run, member),
            "alone": _values(_scores(nih, alone)),
            "in its place": _values(_scores(nih, together)),
        })  # fmt: skip
    return found


def _seed(run: Path, stage: str) -> int:
    return int(json.loads((run / stage / RECORD).read_text("utf-8"))["settings"]["seed"])


def _values(scores: dict[str, Any]) -> dict[str, float]:
    return {name: estimate["value"] for name, estimate in scores.items()}


def _short(scores: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v['value']:.4f} ({v['low']:.4f} to {v['high']:.4f}, n {v['n']})" for k, v in scores.items())


def _scores(cohort: Cohort, similarity: Floats) -> dict[str, Any]:
    patients, count = unit_codes(cohort.table["patient_id"].to_numpy())
    weights = unit_weights(count, seed=SEED)
    estimates = {
        "precision@1": _precision(similarity, patients, weights),
        "pair AUC": _auc(similarity, patients, weights),
    }
    return {name: _plain(estimate) for name, estimate in estimates.items()}


def _plain(estimate: Estimate) -> dict[str, Any]:
    values = asdict(estimate)
    values.pop("replicates")
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in values.items()}


def _precision(similarity: Floats, patients: NDArray[np.intp], weights: NDArray[np.float64]) -> Estimate:
    """Queries: images with another of the same patient. Gallery: all other images."""
    hits = _nearest(similarity, patients)
    counted = np.isfinite(hits)
    chance = chance_of_match(patients, np.arange(len(patients)))
    return share(hits[counted], patients[counted], weights, chance=float(chance[counted].mean()))


def _nearest(similarity: Floats, patients: NDArray[np.intp]) -> NDArray[np.float64]:
    others = similarity.astype(np.float64)
    np.fill_diagonal(others, -np.inf)
    same = patients[:, None] == patients[None, :]
    np.fill_diagonal(same, False)
    best = others == others.max(1, keepdims=True)
    return np.where(same.any(1), (best & same).sum(1) / best.sum(1), np.nan)


def _auc(similarity: Floats, patients: NDArray[np.intp], weights: NDArray[np.float64]) -> Estimate:
    """All pairs of one patient against all pairs of two."""
    left, right = np.triu_indices(len(patients), 1)
    same = patients[left] == patients[right]
    auc = WeightedAUC(similarity[left, right].astype(np.float64), same)
    first, second = patients[left], patients[right]
    draws = replicates(lambda w: auc(np.where(same, w[first], w[first] * w[second])), weights)
    return Estimate.from_replicates(auc(), draws, n=len(left), units=len(np.unique(patients)), chance=0.5)


def _write(out: Path, kind: str, networks: Sequence[str], found: dict[str, Any], export: bool) -> None:
    seeds = {stage: _seed(out, stage) for stage in STAGES_OF[kind]}
    card = {"name": f"medveil-identity-{kind}", "kind": kind, "start": START[kind], **ABOUT}
    card |= {"limits": ABOUT["limits"] + LIMITS[kind], "seeds": {**seeds, "intervals": SEED}, **found}
    folder = out / "weights"
    folder.mkdir(exist_ok=True)
    weights = [folder / f"{network}.safetensors" for network in networks]
    for network, file in zip(networks, weights, strict=True):
        shutil.copyfile(out / network / MODEL, file)
    if kind == VERIFICATION:
        weights.append(folder / f"{RETRIEVERS[0]}.safetensors")  # with other branches it is another network
        leave_branches(*weights)
    write_card(folder / kind, card, _page, weights=weights)
    if export:
        for file in folder.glob(f"{kind}*"):
            shutil.copyfile(file, bundled(kind).with_name(file.name))


def _again(runs: list[dict[str, Any]]) -> list[str]:
    """One line for every network that was trained again."""
    return [
        f"**Retrained** {run['network']} with its teachers, seed {run['seed']}, on nih14 val: alone "
        f"{_told(run['alone'])}; with the other shipped network {_told(run['in its place'])}.\n"
        for run in runs
    ]


def _told(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _page(card: dict[str, Any]) -> str:
    rows = [
        f"| {cohort} | {who} | {measure} | {e['value']:.4f} | {e['low']:.4f} to {e['high']:.4f} "
        f"| {_number(e['chance'])} | {e['n']:,} |"
        for cohort, parts in card["scores"].items()
        for who, measures in parts.items()
        for measure, e in measures.items()
    ]
    lines = [
        f"# {card['name']}",
        "",
        f"**Trained on** {card['data']}. **Started from** {card['start']}.",
        "",
        "| cohort | what | measure | value | 95 % interval by patient | chance | n |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        *_again(card.get("retrained", [])),
        *closing(card),
    ]
    return "\n".join(lines)

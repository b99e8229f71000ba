"""What the films made anew are still good for, and what the autoencoder loses: scores for the cards.

    python -m recipes.anatomy.measured draw --packed PACKED --out RUN --device cuda
    python -m recipes.anatomy.measured score --packed PACKED --out RUN

`draw` makes the films of NIH's 'val' and the phantoms' 'val' anew, into RUN/made.npz; `score` lets a network that had
no part in the training look for findings on them and on the originals, and writes RUN/scores.json.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.latents import Latents, load_autoencoder
from medveil.defenses.anatomy.method import Film
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.runtime.storage import write_json
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import mean_replicates, replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from recipes.anatomy.coded_semantics import row_of
from recipes.anatomy.judges import Judge, load_judge
from recipes.anatomy.material import Material, read_material
from recipes.films import packed, unpacked

SEED = 7
FEWEST = 10  # films with and without a finding; fewer say nothing about it
KINDS = {"real": (False, (8,)), "drawn": (True, (8, 10))}  # whether drawn, and bits of the codes
SOME = 100  # films of each kind that the autoencoder gives back
Floats = NDArray[np.float64]


def draw(packed_films: Path, out: Path, *, device: str) -> None:
    """With randomness of each film's own, of its number among those of its kind."""
    coded = Coded(weights=out / "weights" / "coded.safetensors", device=device, measuring=True)
    parts = {}
    for kind, (drawn, levels) in KINDS.items():
        films = _kind(read_material(packed_films, split="val"), drawn)
        given = [Film(one, row_of(films, number)) for number, one in enumerate(films.films)]
        for bits in levels:
            luck = [np.random.default_rng([SEED, bits, number]) for number in range(len(given))]
            parts[f"{kind} {bits} bytes"], parts[f"{kind} {bits} ends"] = packed(coded.protect(given, bits, luck))
    np.savez(out / "made.npz", **parts)


def score(packed_films: Path, out: Path) -> None:
    judge, made = fold_normalisation(load_judge(out / "judge.safetensors")), np.load(out / "made.npz")
    material = read_material(packed_films, split="val")
    look = for_device(judge, "cpu")
    found: dict[str, Any] = {"coded": {}, "autoencoder": {}}
    latents = Latents(load_autoencoder(out / "autoencoder.safetensors"))
    for kind, (drawn, levels) in KINDS.items():
        films = _kind(material, drawn)
        found["coded"][f"{kind} films as they are, mean AUROC"] = _auroc(look, films.films, films, judge)
        for bits in levels:
            again = unpacked(made[f"{kind} {bits} bytes"], made[f"{kind} {bits} ends"])
            found["coded"][f"{kind} films made from {bits} bits, mean AUROC"] = _auroc(look, again, films, judge)
        found["autoencoder"][f"{kind} films, mean absolute difference of 255"] = _off(latents, films)
    print(found)
    write_json(out / "scores.json", found)


def _kind(material: Material, drawn: bool) -> Material:
    return material.of(material.drawn == drawn)


def _auroc(look: Any, films: NDArray[np.uint8], told: Material, judge: Judge) -> dict[str, Any]:
    """The mean over findings that enough films show, with its interval by patient."""
    odds = run(look, inputs(films, 256, "cpu"), judge.last.out_features).astype(np.float64)
    codes, count = unit_codes(told.patients.astype(str))
    weights = unit_weights(count, seed=SEED)
    values, draws = [], []
    for k in range(told.labels.shape[1]):
        known = ~np.isnan(told.labels[:, k])
        shows = told.labels[known, k] == 1
        if FEWEST <= shows.sum() <= len(shows) - FEWEST:
            auc = WeightedAUC(odds[known, k], shows)
            values.append(auc())
            draws.append(replicates(partial(_weighted, auc, codes[known]), weights))
    one = Estimate.from_replicates(float(np.mean(values)), np.nanmean(draws, axis=0), n=len(films), units=count)
    return _plain(one)


def _weighted(auc: WeightedAUC, codes: NDArray[np.intp], weights: Floats) -> float:
    return auc(weights[codes])


def _off(latents: Latents, told: Material) -> dict[str, Any]:
    every = max(1, len(told.films) // SOME)
    films, people = told.films[::every][:SOME], told.patients[::every][:SOME]
    off = np.abs(latents.decode(latents.encode(list(films))).astype(np.float64) - films).mean((1, 2))
    codes, count = unit_codes(people.astype(str))
    draws = mean_replicates(off, codes, unit_weights(count, seed=SEED))
    return _plain(Estimate.from_replicates(float(off.mean()), draws, n=len(off), units=count))


def _plain(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "patients": one.units}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name in ("draw", "score"):
        verb = verbs.add_parser(name)
        verb.add_argument("--packed", type=Path, required=True)
        verb.add_argument("--out", type=Path, required=True)
        if name == "draw":
            verb.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    torch.set_num_threads(2)
    if chosen.verb == "draw":
        draw(chosen.packed, chosen.out, device=chosen.device)
    else:
        score(chosen.packed, chosen.out)


if __name__ == "__main__":
    main()

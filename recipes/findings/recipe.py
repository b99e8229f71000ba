"""The bundled findings network, from the public data to weights and card.

    python -m recipes.lungs.recipe prepare --data DATA --out FILMS.npz
    python -m recipes.findings.recipe prepare --data DATA --out LABELS.npz
    python -m recipes.findings.recipe train --films FILMS.npz --labels LABELS.npz --out RUN --device cuda --seconds 180
    python -m recipes.findings.recipe evaluate --data DATA --out RUN --export

DATA holds the folder nih14. The films are those that the lung network learns from; `train` needs only PyTorch, NumPy,
Pillow and safetensors. `evaluate` chooses from which probability on a finding is called present, on training patients
that were set aside, measures the network on the patients of 'val', and writes the card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from recipes.findings.labels import labelled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb = verbs.add_parser("train")
    verb.add_argument("--films", type=Path, required=True)
    verb.add_argument("--labels", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--seconds", type=float, default=180)
    verb.add_argument("--rate", type=float, default=4e-4)
    verb.add_argument("--seed", type=int, default=0)
    verb = verbs.add_parser("evaluate")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--export", action="store_true")
    chosen = parser.parse_args()
    if chosen.verb == "prepare":
        told = labelled(chosen.data / "nih14", "train")
        np.savez(chosen.out, shows=told.shows, patients=told.patients)
    elif chosen.verb == "train":
        from recipes.findings.training import train

        how = {"device": chosen.device, "seconds": chosen.seconds, "rate": chosen.rate, "seed": chosen.seed}
        train(chosen.films, chosen.labels, chosen.out, **how)
    else:
        from recipes.findings.card import evaluate

        evaluate(chosen.data, chosen.out, export=chosen.export)


if __name__ == "__main__":
    main()

"""The bundled answer model, from the public data to weights and card; on the processor, in some minutes.

    python -m recipes.answers.recipe prepare --data DATA --out RUN
    python -m recipes.answers.recipe choose --data DATA --out RUN
    python -m recipes.answers.recipe train --data DATA --out RUN
    python -m recipes.answers.recipe evaluate --data DATA --out RUN --export

DATA holds the folders vqa_rad and nih14; phantom films are drawn. `choose` cross-validates over the training images of
VQA-RAD, by which settings were chosen. `evaluate` measures on the images of 'val' and on unseen phantoms, and writes
the card.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name in ("prepare", "choose", "train", "evaluate"):
        verb = verbs.add_parser(name)
        verb.add_argument("--data", type=Path, required=True)
        verb.add_argument("--out", type=Path, required=True)
        if name == "train":
            verb.add_argument("--steps", type=int, default=5000)
            verb.add_argument("--seed", type=int, default=0)
        if name == "evaluate":
            verb.add_argument("--export", action="store_true")
    chosen = parser.parse_args()
    match chosen.verb:
        case "prepare":
            from recipes.answers.material import prepare

            prepare(chosen.data, chosen.out)
        case "choose":
            from recipes.answers.choosing import choose

            choose(chosen.data, chosen.out)
        case "train":
            from recipes.answers.training import train

            train(chosen.data, chosen.out, steps=chosen.steps, seed=chosen.seed)
        case _:
            from recipes.answers.card import evaluate

            evaluate(chosen.data, chosen.out, export=chosen.export)


if __name__ == "__main__":
    main()

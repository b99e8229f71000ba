"""The bundled lung network, from drawn and public films to weights and card.

    python -m recipes.lungs.recipe prepare --data DATA --out FILMS.npz
    python -m recipes.lungs.recipe train --films FILMS.npz --out RUN --device cuda --seconds 180
    python -m recipes.lungs.recipe evaluate --data DATA --out RUN --export

DATA holds the folders nih14 and covid19. `prepare` draws phantoms with their lungs and packs the training films of
nih14, about 15 MB in all; `train` needs only PyTorch, NumPy, Pillow and safetensors. `evaluate` compares the network
with the lungs that people outlined on films of covid19, which training never sees, and writes the card.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

PHANTOMS = 1400


def prepare(data: Path, out: Path, *, phantoms: int = PHANTOMS) -> None:
    """One file with drawn films, their lungs, and real films without."""
    from concurrent.futures import ProcessPoolExecutor

    from PIL import Image

    from medveil.encoders.identity.preparing import prepare as prepared
    from recipes.films import packed
    from recipes.lungs.phantoms import phantom

    with ProcessPoolExecutor(2) as pool:
        drawn = list(pool.map(phantom, range(phantoms), chunksize=20))
    with (data / "nih14" / "split.csv").open(newline="") as file:
        names = [row["file"] for row in csv.DictReader(file) if row["split"] == "train"]
    real = (prepared(np.asarray(Image.open(data / "nih14" / "images" / name).convert("L"))) for name in sorted(names))
    parts = {
        "drawn": packed([film for film, _ in drawn]),
        "masks": packed([255 * lungs.astype(np.uint8) for _, lungs in drawn], quality=40),
        "real": packed(real),
    }
    arrays = {name: content for name, (content, _) in parts.items()}
    arrays |= {f"{name} ends": ends for name, (_, ends) in parts.items()}
    np.savez(out, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--phantoms", type=int, default=PHANTOMS)
    verb = verbs.add_parser("train")
    verb.add_argument("--films", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--seconds", type=float, default=180)
    verb.add_argument("--seed", type=int, default=0)
    verb = verbs.add_parser("evaluate")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--export", action="store_true")
    chosen = parser.parse_args()
    if chosen.verb == "prepare":
        prepare(chosen.data, chosen.out, phantoms=chosen.phantoms)
    elif chosen.verb == "train":
        from recipes.lungs.training import train

        train(chosen.films, chosen.out, device=chosen.device, seconds=chosen.seconds, seed=chosen.seed)
    else:
        from recipes.lungs.card import evaluate

        evaluate(chosen.data, chosen.out, export=chosen.export)


if __name__ == "__main__":
    main()

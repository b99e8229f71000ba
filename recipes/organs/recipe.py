"""The bundled organ network, from drawn and public films to weights and card.

    python -m recipes.organs.recipe prepare --data DATA --out FILMS.npz
    python -m recipes.organs.recipe train --films FILMS.npz --out RUN --device cuda --seconds 110
    python -m recipes.organs.recipe evaluate --data DATA --out RUN --export

DATA holds the folders nih14 and covid19. `prepare` draws phantoms with their lungs and hearts and packs the training
films of nih14, about 35 MB in all; `train` needs only PyTorch, NumPy, SciPy, Pillow and safetensors. `evaluate` tries
the network on phantoms of a hospital that it never saw and on lungs that people outlined on films of covid19, which
training never sees, and writes the card.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

PATIENTS = 1400
UNSEEN = 8  # every so many-th patient is not learned from


def prepare(data: Path, out: Path, *, patients: int = PATIENTS) -> None:
    """One file with drawn films, their organs (one bit, every second pixel), and real films without."""
    from concurrent.futures import ProcessPoolExecutor

    from PIL import Image

    from medveil.encoders.identity.preparing import prepare as prepared
    from recipes.films import packed
    from recipes.organs.phantoms import visits

    with ProcessPoolExecutor(2) as pool:
        numbers = [number for number in range(patients) if number % UNSEEN]
        drawn = [visit for one in pool.map(visits, numbers, chunksize=8) for visit in one]
    with (data / "nih14" / "split.csv").open(newline="") as file:
        names = [row["file"] for row in csv.DictReader(file) if row["split"] == "train"]
    real = (prepared(np.asarray(Image.open(data / "nih14" / "images" / name).convert("L"))) for name in sorted(names))
    films, ends = packed((film for film, _ in drawn), quality=70)
    others, other_ends = packed(real, quality=80)
    organs = np.packbits(np.stack([organs[:, ::2, ::2] for _, organs in drawn]), axis=-1)
    np.savez(out, drawn=films, drawn_ends=ends, organs=organs, real=others, real_ends=other_ends)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--patients", type=int, default=PATIENTS)
    verb = verbs.add_parser("train")
    verb.add_argument("--films", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--device", default="cpu")
    verb.add_argument("--seconds", type=float, default=110)
    verb.add_argument("--seed", type=int, default=0)
    verb = verbs.add_parser("evaluate")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb.add_argument("--export", action="store_true")
    chosen = parser.parse_args()
    if chosen.verb == "prepare":
        prepare(chosen.data, chosen.out, patients=chosen.patients)
    elif chosen.verb == "train":
        from recipes.organs.training import train

        train(chosen.films, chosen.out, device=chosen.device, seconds=chosen.seconds, seed=chosen.seed)
    else:
        from recipes.organs.card import evaluate

        evaluate(chosen.data, chosen.out, export=chosen.export)


if __name__ == "__main__":
    main()

"""The bundled image-report encoder, from phantom patients to weights and card.

    python -m recipes.linkage.recipe draw --out RUN
    python -m recipes.linkage.recipe train --start efficientnet-lite0.pth --out RUN --device cuda
    python -m recipes.linkage.recipe evaluate --out RUN [--export]

`draw` makes the pairs (about ten minutes on one core), `train` needs only NumPy, Pillow, PyTorch and medveil's
encoders (two minutes on one H200), `evaluate` scores the model on phantom hospitals that neither training nor the
choice of the best moment has seen, with the linkage audit's own intervals, and writes the card; `--export` also
copies both into the package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from medveil.encoders.medveil_small.model import SmallModel, save_model
from medveil.training.device import placed
from medveil.weights.bundled import SMALL
from recipes.linkage.pairs import GAP, Pack, fill_gaps, read_pack, write_pack
from recipes.linkage.training import (
    Pairs,
    ReadTexts,
    Training,
    fit,
    new_model,
    quick_scores,
    read,
    see,
    vocabulary_of,
    words_of,
)

TRAIN, CHOOSE = "train.tar", "val.tar"
PACKS = {TRAIN: (7500, 700_000), CHOOSE: (800, 820_000)}  # visits, and the first of the hospitals they come from
SETTINGS = Training(epochs=20)


def as_pairs(pack: Pack, *, seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    texts = [[fill_gaps(text, pack.stand_ins, rng) for text in texts] for texts in pack.texts]
    return Pairs(pack.images, texts, np.arange(len(texts)))


def train(out: Path, start: Path, device: str, settings: Training = SETTINGS) -> SmallModel:
    """Train on one pack, keep what does best on the other."""
    pack, chosen = read_pack(out / TRAIN), read_pack(out / CHOOSE)
    pairs, own = as_pairs(pack, seed=settings.seed), as_pairs(chosen, seed=settings.seed + 1)
    reports = words_of([text for texts in pairs.texts for text in texts])
    own_reports = words_of([texts[0] for texts in own.texts])
    # the vocabulary is made from what stands between the gaps: no name gets a place in it
    plain = words_of([GAP.sub(" ", text) for texts in pack.texts for text in texts])
    vocabulary = vocabulary_of(plain, at_least=20)
    model = placed(new_model(vocabulary, start=start, seed=settings.seed), device)
    print(f"{len(pairs.images)} pairs, {len(vocabulary)} words", flush=True)

    def score(average: nn.Module) -> float:
        vectors = see(average.image, own.images, device)
        read_vectors = read(ReadTexts(average, own_reports, device), len(vectors), device)
        return quick_scores(vectors, read_vectors)[1]

    def reader(model: nn.Module) -> ReadTexts:
        return ReadTexts(model, reports, device, settings.lost_words)

    best = fit(model, model.image, reader, pairs, settings, device=device, say=_say, score=score)
    save_model(out / SMALL, best)
    return best


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("draw", "train", "evaluate"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="ImageNet weights of EfficientNet-lite0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--export", action="store_true", help="copy the model and its card into the package")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    match options.step:
        case "draw":
            for name, (visits, seed) in PACKS.items():
                write_pack(options.out / name, visits=visits, seed=seed)
        case "train":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
            train(options.out, options.start, options.device)
        case "evaluate":
            from recipes.linkage.card import evaluate

            seeds = {"training hospitals from": PACKS[TRAIN][1], "choosing hospitals from": PACKS[CHOOSE][1]}
            evaluate(options.out, seeds | {"training": SETTINGS.seed}, export=options.export)


if __name__ == "__main__":
    main()

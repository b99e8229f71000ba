"""The bundled rewriter, and its card.

    python -m recipes.rewriter.recipe train --out RUN

    python benchmarks/reports_rewriting.py --data DATA --rewriter RUN/rewriter.safetensors --out MEASURED.json
    python -m recipes.rewriter.recipe card --weights RUN/rewriter.safetensors --measured MEASURED.json

Trains on one core for as long as `--seconds` says, from nothing or on from an earlier run; writes
RUN/rewriter.safetensors. `card` puts weights and card into the package; what was read by eye is in `read_by_eye.txt`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from medveil.runtime.storage import write_bytes
from medveil.weights.bundled import bundled
from recipes.rewriter.card import write
from recipes.rewriter.training import Training, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    training = steps.add_parser("train")
    training.add_argument("--out", type=Path, required=True)
    training.add_argument("--seconds", type=float, default=Training.seconds)
    training.add_argument("--peak", type=float, default=Training.peak, help="the highest learning rate")
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--start", type=Path, help="an earlier rewriter to go on from")
    card = steps.add_parser("card")
    card.add_argument("--weights", type=Path, required=True)
    card.add_argument("--measured", type=Path, required=True)
    options = parser.parse_args()
    if options.step == "card":
        own = bundled("rewriter")
        write_bytes(own, options.weights.read_bytes())
        read = Path(__file__).with_name("read_by_eye.txt").read_text("utf-8").splitlines()
        write(own, json.loads(options.measured.read_text("utf-8")), read)
        return
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    how = Training(seconds=options.seconds, peak=options.peak, seed=options.seed)
    train(options.out / "rewriter.safetensors", how, options.start)


if __name__ == "__main__":
    main()

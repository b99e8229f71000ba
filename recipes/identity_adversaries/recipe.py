"""The recogniser of another architecture, from the public data to weights and card.

    python -m recipes.identity_adversaries.recipe prepare --data DATA --out FILMS
    python -m recipes.identity_adversaries.recipe train --films FILMS --out RUN --device cuda --seconds 110
    python -m recipes.identity_adversaries.recipe evaluate --data DATA --out RUN --export

DATA holds the folders nih14 and covid19. `train` needs only PyTorch, NumPy, Pillow and safetensors: a small residual
network learns from chance on, without a teacher, so that it errs elsewhere than the bundled pair. It is trained to the
end of a schedule as long as the seconds allow; nothing is picked by its score. Patients of 'val' are measured only.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.training.train import RECORD, train_on
from medveil.weights.bundled import OTHER_RETRIEVER
from recipes.identity_adversaries.films import prepare_nih14, prepare_phantoms, read

SETTINGS = {
    "backbone": "resnet-small",
    "head": "gem",
    "size": 192,
    "frozen_epochs": 0,
    "backbone_share": 1.0,
    "rate": 2e-3,
    "patience": None,
}
TRIED = 3  # epochs to find out how long one takes; the first is slow


def train(films: list[Path], out: Path, *, device: str, seconds: float, seed: int, scale: float = 1.0) -> Path:
    """The network after as many epochs as fit; `scale` makes batches smaller, to try the recipe out."""
    began = time.monotonic()
    images = read(films)
    made = {**SETTINGS, "seed": seed, "patients": max(2, round(64 * scale))}
    trial = TrainingSettings(**made, epochs=TRIED, validate_every=1)
    times: list[float] = []
    train_on(
        "reidentification", images, out / "trial", settings=trial, device=device,
        progress=lambda _: times.append(time.monotonic()),
    )  # fmt: skip
    each = times[-1] - times[-2]
    epochs = max(TRIED, int((seconds - (time.monotonic() - began)) / each))
    print(f"{len(images.pixels):,} films, {each:.2f} s an epoch, {epochs} epochs", flush=True)
    whole = TrainingSettings(**made, epochs=epochs, validate_every=max(1, epochs // 8))
    # a machine that others begin to use grows slow: better a schedule cut short than none
    left = 1.2 * seconds - (time.monotonic() - began)
    result = train_on(
        "reidentification", images, out / "whole", settings=whole, device=device, progress=_told, seconds=left
    )
    final = out / f"{OTHER_RETRIEVER}.safetensors"
    shutil.copyfile(result.model, final)
    shutil.copyfile(out / "whole" / RECORD, out / RECORD)
    print(f"precision@1 {result.scores.precision_at_1:.4f}, {time.monotonic() - began:.0f} s", flush=True)
    return final


def _told(line: dict[str, object]) -> None:
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("prepare")
    verb.add_argument("--data", type=Path, required=True)
    verb.add_argument("--out", type=Path, required=True)
    verb = verbs.add_parser("train")
    verb.add_argument("--films", type=Path, required=True, help="folder with nih.npz and phantoms.npz")
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
        chosen.out.mkdir(parents=True, exist_ok=True)
        prepare_nih14(chosen.data / "nih14", chosen.out / "nih.npz")
        prepare_phantoms(chosen.out / "phantoms.npz")
    elif chosen.verb == "train":
        files = [chosen.films / name for name in ("nih.npz", "phantoms.npz")]
        train(files, chosen.out, device=chosen.device, seconds=chosen.seconds, seed=chosen.seed)
    else:
        from recipes.identity_adversaries.card import evaluate

        evaluate(chosen.data, chosen.out, export=chosen.export)


if __name__ == "__main__":
    main()

"""The bundled identity models, from the public data to weights and cards.

    python -m recipes.identity.recipe train --data DATA --start IMAGENET --out RUN --device cuda
    python -m recipes.identity.recipe evaluate --data DATA --out RUN --export

DATA holds the folders nih14 and covid19; IMAGENET the weights of EfficientNet-lite0, 1 and 2, as files whose names
begin with the network's. What is shipped is two networks that look at an image together. Each has a chain of its own:

1. Two teachers, larger than what is shipped, learn to tell the patients of nih14's split 'train' apart.
2. The network learns the same and, image by image, to agree with its teachers on who resembles whom.

At last the verification network takes over the first network's branches; only its decision is fitted.

All stages, one after the other, take about 13 minutes on one H200; run again, they continue where they stopped.
`--only STAGE ...` makes some of them, such as one member: teacher-1 teacher-2 reidentification-1.

Every step runs to its end: nothing is stopped or picked by its score. Patients of 'val' are only measured; covid19 is
looked at after training and decides nothing. `--seed` retrains everything from other random numbers. `evaluate` scores
both models with intervals by patient, on any machine, and writes the cards (`--retrained RUN2` adds the scores of
another run, whole or in part); `--export` copies models and cards into the package.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from medveil.encoders.identity.inference import as_input, run
from medveil.encoders.identity.networks.model_file import save_network
from medveil.encoders.identity.preparing import Preparation
from medveil.encoders.identity.training.augment import Augmentation
from medveil.encoders.identity.training.images import TrainingImages
from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.training.train import MODEL, RECORD, build_network, train_on
from medveil.runtime.storage import write_json
from medveil.training.device import placed
from medveil.training.loop import STATE
from recipes.identity.decision import fit_decision

# each member of the ensemble: its backbone, and the steps that make it, in order
CHAINS = {
    "efficientnet-lite0": ("teacher-1", "teacher-2", "reidentification-1"),
    "efficientnet-lite1": ("teacher-3", "teacher-4", "reidentification-2"),
}
VERIFICATION = "verification"
STAGES = (*(stage for chain in CHAINS.values() for stage in chain), VERIFICATION)


def settings_of(stage: str, start: Path, out: Path, seed: int) -> TrainingSettings:
    """What makes each stage; everything else is as `TrainingSettings` has it."""
    # scored and saved now and then, to go on from after a kill; the last weights count whatever the scores
    whole = TrainingSettings(seed=seed + STAGES.index(stage), patience=None, validate_every=25)
    if stage == VERIFICATION:
        return replace(whole, continue_from=out / "reidentification-1" / MODEL)
    member, (first, second, _) = next(chain for chain in CHAINS.items() if stage in chain[1])
    if stage == first:
        return replace(whole, backbone="efficientnet-lite1", start=imagenet(start, "efficientnet-lite1"), epochs=94)
    if stage == second:
        # people as they are, each with a place of their own to go to: it errs elsewhere than the first
        return replace(
            whole, backbone="efficientnet-lite2", start=imagenet(start, "efficientnet-lite2"), epochs=94,
            augmentation=Augmentation(person=0.0), losses={"supervised-contrastive": 1.0, "cosface": 0.1},
        )  # fmt: skip
    teachers = (out / first / MODEL, out / second / MODEL)
    return replace(whole, backbone=member, start=imagenet(start, member), teachers=teachers, epochs=150)


def imagenet(folder: Path, backbone: str) -> Path:
    return next(folder.glob(f"{backbone}*"))


def read_nih14(folder: Path, preparation: Preparation | None = None) -> TrainingImages:
    """Only the split and the files: the machine that trains needs no pandas."""
    how = preparation or Preparation()
    with (folder / "split.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with ThreadPoolExecutor(8) as pool:
        pixels = np.stack(list(pool.map(lambda row: _pixels(folder / "images" / row["file"], how), rows)))
    _, patients = np.unique([row["patient"] for row in rows], return_inverse=True)
    return TrainingImages(pixels, patients.astype(np.int64), np.array([row["split"] == "val" for row in rows]))


def _pixels(file: Path, how: Preparation) -> np.ndarray:
    with Image.open(file) as picture:
        return how(np.array(picture.convert("L")))


def train(data: Path, start: Path, out: Path, device: str, seed: int, stages: Sequence[str] = STAGES) -> None:
    """The stages named, in the recipe's order; those done before are left as they are."""
    images = read_nih14(data / "nih14")
    for stage in (stage for stage in STAGES if stage in stages):
        began = time.perf_counter()
        folder = out / stage
        if (folder / RECORD).is_file():
            print(f"{stage}: done before")
            continue
        settings = settings_of(stage, start, out, seed)
        if stage == VERIFICATION:
            fit_verification(images, folder, settings, device)
        else:
            scores = train_on("reidentification", images, folder, settings=settings, device=device).scores
            (folder / STATE).unlink()
            print(f"{stage}: precision@1 {scores.precision_at_1:.4f}, pair AUC {scores.pair_auc:.4f}")
        print(f"{stage}: {time.perf_counter() - began:.0f} s", flush=True)


def fit_verification(images: TrainingImages, out: Path, settings: TrainingSettings, device: str) -> None:
    """The retrieval network's branches as they are, with a decision fitted on the training patients' pairs."""
    network = build_network("verification", settings).eval()
    pixels, codes = images.part(validation=False)
    films = torch.from_numpy(np.asarray(pixels))
    branch = placed(network.branch, device)
    batches = (as_input(part.to(device), settings.size) for part in films.split(32))
    outputs = run(branch, batches, settings.dim)
    fit_decision(network.cpu(), outputs, codes, seed=settings.seed)
    save_network(out / MODEL, network, settings.architecture("verification"))
    write_json(out / RECORD, {"kind": "verification", "settings": settings.as_dict()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("train", "evaluate"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="folder with the ImageNet weights")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=STAGES, default=STAGES, metavar="STAGE", help="train some stages")
    parser.add_argument("--retrained", type=Path, nargs="*", default=[], help="other runs, to be named in the cards")
    parser.add_argument("--export", action="store_true", help="copy the models and cards into the package")
    options = parser.parse_args()
    if options.step == "train":
        train(options.data, options.start, options.out, options.device, options.seed, options.only)
    else:
        from recipes.identity.card import evaluate

        evaluate(options.data, options.out, retrained=options.retrained, export=options.export)


if __name__ == "__main__":
    main()

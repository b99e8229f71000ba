"""The bundled identity models, from the public data to weights and cards, in one command.

    python benchmarks/identity_recipe.py train --data DATA --start efficientnet-lite0.pth --out RUN --device cuda
    python benchmarks/identity_recipe.py evaluate --data DATA --out RUN

DATA holds the folders nih14 and covid19. `train` makes two teachers, a student that learns from the patients and
from both teachers' similarities, and a verification network on the student's branches: about six minutes on one H200.
Run again, it goes on where it was. Patients of nih14's split 'train' are trained on; those of 'val' choose the
settings; covid19 is looked at once, at the end. `evaluate` scores the two models with intervals by patient, on any
machine, and writes the cards; `--export` also copies both into the package.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from medveil.encoders.identity.backbones import placed
from medveil.encoders.identity.checkpoint import save_network
from medveil.encoders.identity.decision import fit_decision
from medveil.encoders.identity.inference import as_input, run
from medveil.encoders.identity.preparing import prepare
from medveil.encoders.identity.settings import TrainingSettings
from medveil.encoders.identity.training import MODEL, RECORD, STATE, build_network, train_on
from medveil.encoders.identity.training_images import TrainingImages
from medveil.storage import write_json

STAGES = ("teacher-1", "teacher-2", "reidentification", "verification")


def settings_of(stage: str, start: Path, out: Path) -> TrainingSettings:
    plain = TrainingSettings(start=start)
    teachers = (out / "teacher-1" / MODEL, out / "teacher-2" / MODEL)
    match stage:
        case "teacher-1":
            return plain
        case "teacher-2":
            return replace(plain, patients=128, images=2, backbone_share=1.0, seed=1)
        case "reidentification":
            return replace(plain, teachers=teachers, epochs=130, seed=2)
    raise ValueError(stage)


def read_nih14(folder: Path) -> TrainingImages:
    """Only the split and the files: the machine that trains needs no pandas."""
    with (folder / "split.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with ThreadPoolExecutor(8) as pool:
        pixels = np.stack(list(pool.map(lambda row: _pixels(folder / "images" / row["file"]), rows)))
    _, patients = np.unique([row["patient"] for row in rows], return_inverse=True)
    return TrainingImages(pixels, patients.astype(np.int64), np.array([row["split"] == "val" for row in rows]))


def _pixels(file: Path) -> np.ndarray:
    with Image.open(file) as picture:
        return prepare(np.array(picture))


def train(data: Path, start: Path, out: Path, device: str, stages: Iterable[str]) -> None:
    images = read_nih14(data / "nih14")
    for stage in stages:
        folder = out / stage
        if (folder / RECORD).is_file():
            print(f"{stage}: done before")
            continue
        if stage == "verification":
            fit_verification(images, out, device)
            continue
        settings = settings_of(stage, start, out)
        result = train_on(
            "reidentification",
            images,
            folder,
            settings=settings,
            device=device,
            progress=lambda line, at=stage: print(at, line),
        )
        (folder / STATE).unlink()
        print(f"{stage}: precision@1 {result.scores.precision_at_1:.4f}, pair AUC {result.scores.pair_auc:.4f}")


def fit_verification(images: TrainingImages, out: Path, device: str) -> None:
    """The student's branches as they are, with a decision fitted on the training patients' pairs."""
    settings = TrainingSettings(continue_from=out / "reidentification" / MODEL, seed=3)
    network = build_network("verification", settings).eval()
    pixels, codes = images.part(validation=False)
    branch = placed(network.branch, device)
    batches = (as_input(part.to(device), settings.size) for part in torch.from_numpy(pixels).split(32))
    outputs = run(branch, batches, settings.dim)
    fit_decision(network.cpu(), outputs, codes, seed=settings.seed)
    save_network(out / "verification" / MODEL, network, settings.architecture("verification"))
    write_json(out / "verification" / RECORD, {"kind": "verification", "settings": settings.as_dict()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("train", "evaluate"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="ImageNet weights of EfficientNet-lite0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--stages", nargs="*", choices=STAGES, default=list(STAGES))
    parser.add_argument("--export", action="store_true", help="copy the models and cards into the package")
    options = parser.parse_args()
    if options.step == "train":
        train(options.data, options.start, options.out, options.device, options.stages)
    else:
        from identity_cards import evaluate

        evaluate(options.data, options.out, export=options.export)


if __name__ == "__main__":
    main()

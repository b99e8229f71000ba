"""The bundled inpainting generator, from the public data to weights and card.

    python -m recipes.inpainting.recipe prepare --data DATA --out SMALL
    python -m recipes.inpainting.recipe train --data SMALL --out RUN --device cuda --seconds 420
    python -m recipes.inpainting.recipe evaluate --data DATA --out RUN --features IMAGENET --export

DATA holds the folders nih14, nih14_512 and covid19. `prepare` writes what training needs as WebP, about 11 MB: all of
nih14_512, one image of every training patient of nih14 (256 px), and phantom radiographs. `train` needs only PyTorch,
NumPy and Pillow; it measures how fast the machine is and takes as many epochs as fit into the seconds (`--epochs` sets
them), saving as it goes, and continues where it stopped when run again with the same epochs. Patients of 'val' are only
measured. `evaluate` compares the generator with classical filling and plain black, with intervals by patient, and
writes the card (`--features`: EfficientNet-lite0 from ImageNet, for the perceptual distance); `--export`
copies both into the package.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from medveil.defenses.pixels.paint.training.images import TrainingImages, prepare
from medveil.defenses.pixels.paint.training.settings import InpaintingSettings

PHANTOMS = 120
PHANTOM_SEED = 4106
Row = dict[str, str]


def shrink(data: Path, out: Path) -> None:
    """The images of both folders and phantoms as WebP, each folder with its split.csv."""
    large, small = _rows(data / "nih14_512"), _rows(data / "nih14")
    first = {row["patient"]: row for row in reversed(small) if row["split"] == "train"}
    for name, rows, quality in (("nih14_512", large, 90), ("nih14", sorted(first.values(), key=_file), 85)):
        for row in rows:
            _store(_read(data / name, row), out / name / "images" / row["file"], quality)
        _write(out / name, rows)
    rows = []
    for number, pixels in enumerate(_phantoms()):
        rows.append({"patient": f"phantom{number}", "split": "train", "file": f"{number}.jpg"})
        _store(pixels, out / "phantom" / "images" / f"{number}.jpg", 85)
    _write(out / "phantom", rows)


def _file(row: Row) -> str:
    return row["file"]


def _phantoms() -> list[np.ndarray]:
    from medveil.cohort.phantom.plan import plan_patient
    from medveil.cohort.phantom.radiograph import draw

    patients = [plan_patient(PHANTOM_SEED, number, 3) for number in range(PHANTOMS)]
    return [prepare(draw(one, one.visits[0], sites_seed=PHANTOM_SEED, size=512).pixels) for one in patients]


def _store(pixels: np.ndarray, path: Path, quality: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path.with_suffix(".webp"), quality=quality, method=6)


def _write(folder: Path, rows: list[Row]) -> None:
    with (folder / "split.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ("file", "patient", "split"), extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "file": Path(row["file"]).with_suffix(".webp").name} for row in rows)


def _rows(folder: Path) -> list[Row]:
    with (folder / "split.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _read(folder: Path, row: Row) -> np.ndarray:
    with Image.open(folder / "images" / row["file"]) as picture:
        return prepare(np.array(picture.convert("L")))


def read_images(data: Path) -> TrainingImages:
    """Every folder's training patients; for validation, those of the larger images."""
    found = []
    for folder in sorted(path.parent for path in data.glob("*/split.csv")):
        wanted = ("train", "val") if folder.name == "nih14_512" else ("train",)
        found += [(folder, row) for row in _rows(folder) if row["split"] in wanted]
    with ThreadPoolExecutor(4) as pool:
        images = list(pool.map(lambda one: _read(*one), found))
    patients = np.array([row["patient"] for _, row in found])
    return TrainingImages.of(images, patients, np.array([row["split"] == "val" for _, row in found]))


def train(
    data: Path, out: Path, device: str, settings: InpaintingSettings, *, seconds: float, epochs: int | None
) -> None:
    from medveil.defenses.pixels.paint.training.train import MODEL, train_inpainting

    began = time.perf_counter()
    images = read_images(data)
    print(f"{len(images.pixels)} images, {int(images.validation.sum())} of them for validation", flush=True)
    if epochs is None:
        between = 1 if device == "cpu" else 10
        trial = replace(settings, epochs=2 * between, validate_every=between)
        ends: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            train_inpainting(
                images, Path(folder), settings=trial, device=device, progress=lambda _: ends.append(time.perf_counter())
            )
        an_epoch = (ends[1] - ends[0]) / between
        epochs = max(4, int(0.87 * (seconds - (time.perf_counter() - began)) / an_epoch))
        print(f"{an_epoch:.2f} s an epoch, so {epochs} epochs", flush=True)
    settings = replace(settings, epochs=epochs, validate_every=max(1, epochs // 20))

    def tell(line: dict[str, float]) -> None:
        print(f"{time.perf_counter() - began:.0f} s", line, flush=True)

    result = train_inpainting(images, out, settings=settings, device=device, progress=tell)
    print(f"{out / MODEL}: error {result.error:.5f} after {result.epochs} epochs", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "train", "evaluate"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--epochs", type=int, help="instead of as many as fit into the seconds")
    parser.add_argument("--trial", action="store_true", help="a tiny network on tiny crops, to see that all runs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--features", type=Path, help="ImageNet weights of an EfficientNet-lite, to score with")
    parser.add_argument("--export", action="store_true", help="copy the generator and its card into the package")
    options = parser.parse_args()
    match options.step:
        case "prepare":
            shrink(options.data, options.out)
        case "train":
            settings = InpaintingSettings(seed=options.seed)
            if options.trial:
                tiny = replace(settings.architecture, width=4)
                settings = replace(settings, batch=64, size=32, architecture=tiny, judge_width=8)
            train(options.data, options.out, options.device, settings, seconds=options.seconds, epochs=options.epochs)
        case "evaluate":
            from recipes.inpainting.card import evaluate

            evaluate(options.data, options.out, features=options.features, export=options.export)


if __name__ == "__main__":
    main()

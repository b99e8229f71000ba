"""Radiographs to write training text on: real ones without much text of their own, and drawn ones with devices.

    python benchmarks/pixels_backgrounds.py --data DATA --out FILE.npz

DATA holds the folders nih14 and nih14_512; only patients of the split 'train' are taken. Real radiographs carry
letters already: whatever a general text detector suspects in them is noted as `unsure`, and takes no part in training.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw

SMALL = 220  # of the 256 px images
DRAWN = 70
DRAWN_SEED = 61_000  # of phantom hospitals nothing else is measured on


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    images = [np.asarray(Image.open(file)) for file in train_files(args.data / "nih14_512")]
    known = {file.name for file in train_files(args.data / "nih14_512")}
    small = [file for file in train_files(args.data / "nih14") if file.name not in known]
    rng = np.random.default_rng(0)
    for place in sorted(rng.choice(len(small), SMALL, replace=False)):
        images.append(cv2.resize(np.asarray(Image.open(small[place])), (512, 512), interpolation=cv2.INTER_CUBIC))
    unsure = [suspected(image) for image in images]
    images += [drawn(number) for number in range(DRAWN)]
    unsure += [np.zeros((0, 4, 2), np.int16)] * DRAWN
    kept = {f"image_{k:04}": encoded(image) for k, image in enumerate(images)}
    kept |= {f"unsure_{k:04}": boxes for k, boxes in enumerate(unsure)}
    np.savez(args.out, **kept)
    print(len(images), "images,", sum(map(len, unsure)), "places left out,", args.out.stat().st_size, "bytes")


def train_files(folder: Path) -> list[Path]:
    with (folder / "split.csv").open() as file:
        return [folder / "images" / row["file"] for row in csv.DictReader(file) if row["split"] == "train"]


def drawn(number: int) -> NDArray[np.uint8]:
    """A phantom's radiograph before anything is burned in."""
    patient = plan_patient(DRAWN_SEED, number, 3)
    visit = patient.visits[number % len(patient.visits)]
    pixels = draw(patient, visit, sites_seed=DRAWN_SEED + number % 5, size=768).pixels
    return np.asarray(pixels >> 4, dtype=np.uint8)


def suspected(image: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Quadrilaterals that a general detector takes for text at the slightest suspicion."""
    found = _general()(
        np.repeat(cv2.resize(image, None, fx=1.5, fy=1.5)[..., None], 3, axis=2), use_cls=False, use_rec=False
    )
    if found.boxes is None:
        return np.zeros((0, 4, 2), np.int16)
    return np.asarray(np.rint(np.asarray(found.boxes) / 1.5), dtype=np.int16)


_ENGINE = None


def _general():  # type: ignore[no-untyped-def]
    global _ENGINE
    if _ENGINE is None:
        from rapidocr import RapidOCR

        _ENGINE = RapidOCR(
            params={"Det.box_thresh": 0.25, "Det.thresh": 0.15, "Det.unclip_ratio": 2.2, "Global.log_level": "critical"}
        )
    return _ENGINE


def encoded(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "WEBP", quality=80, method=4)
    return np.frombuffer(buffer.getvalue(), np.uint8)


if __name__ == "__main__":
    main()

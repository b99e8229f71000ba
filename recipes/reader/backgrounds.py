"""Radiographs to train the reader on: real ones of the split 'train', drawn ones, and where they may hold text.

python -m recipes.reader.backgrounds --data DATA --out FILE.npz
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.defenses.pixels.find.detector import find_lines
from recipes.pixels.backgrounds import drawn

DRAWN = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", default="train")
    args = parser.parse_args()
    images = [np.asarray(Image.open(file).convert("L")) for file in files_of(args.data / "nih14_512", args.split)]
    if args.split == "train":
        images += [drawn(number) for number in range(DRAWN)]
    kept = {f"image_{k:04}": encoded(image) for k, image in enumerate(images)}
    kept |= {f"unsure_{k:04}": suspected(image) for k, image in enumerate(images)}
    np.savez(args.out, **kept)
    print(len(images), "images", args.out.stat().st_size, "bytes")


def files_of(folder: Path, split: str) -> list[Path]:
    with (folder / "split.csv").open() as file:
        return [folder / "images" / row["file"] for row in csv.DictReader(file) if row["split"] == split]


def suspected(image: NDArray[np.uint8]) -> NDArray[np.int16]:
    boxes = [line.grown(line.height, line.height).box(image.shape) for line in find_lines(image)]
    return np.array(boxes, np.int16).reshape(-1, 4)


def encoded(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "WEBP", quality=70, method=4)
    return np.frombuffer(buffer.getvalue(), np.uint8)


if __name__ == "__main__":
    main()

"""Radiographs to write training text on: real ones, real ones that were painted over in parts, and drawn ones.

    python -m recipes.pixels.backgrounds --data DATA --out FILE.npz

DATA holds the folders nih14 and nih14_512; only patients of the split 'train' are taken. Real radiographs carry
letters already. `own_text.json` says where: an earlier detector named every place it had the least suspicion
of, and of these were kept the ones with edges as sharp as print has, looked through by eye for two thirds of the
images. Such places take no part in training; all else on these images is no text. Painted ones are there so that a
patch the removal has left is not taken for text when it looks again.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.fill import fill
from medveil.defenses.pixels.paint.mask import soft_mask

OWN_TEXT = Path(__file__).with_name("own_text.json")
SIDE = 512
PAINTED = 110
MOST_PAINTED = 0.3  # of an image
PAINTED_SEED = 5
DRAWN = 90
DRAWN_SEED = 61_000  # of phantom hospitals nothing else is measured on

Gray = NDArray[np.uint8]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    files = {file.name: file for folder in ("nih14", "nih14_512") for file in train_files(args.data / folder)}
    own = json.loads(OWN_TEXT.read_text())
    texts = {name: np.array(corners, np.int16).reshape(-1, 4, 2) for name, corners in own.items()}
    films = {name: film(files[name]) for name in texts}
    nothing = np.zeros((0, 4, 2), np.int16)
    pairs = [(films[name], texts[name]) for name in texts]
    pairs += [(image, nothing) for image in painted(films, texts)]
    pairs += [(drawn(number), nothing) for number in range(DRAWN)]
    kept: dict[str, NDArray[Any]] = {f"image_{k:04}": encoded(image) for k, (image, _) in enumerate(pairs)}
    kept |= {f"unsure_{k:04}": corners for k, (_, corners) in enumerate(pairs)}
    np.savez(args.out, **kept)  # type: ignore[arg-type]
    print(len(pairs), "images,", sum(map(len, texts.values())), "places left out,", args.out.stat().st_size, "bytes")


def train_files(folder: Path) -> list[Path]:
    with (folder / "split.csv").open() as file:
        return [folder / "images" / row["file"] for row in csv.DictReader(file) if row["split"] == "train"]


def film(file: Path) -> Gray:
    image = np.asarray(Image.open(file).convert("L"))
    return image if image.shape == (SIDE, SIDE) else _enlarged(image, SIDE)


def _enlarged(image: Gray, side: int) -> Gray:
    return np.asarray(cv2.resize(image, (side, side), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def painted(films: dict[str, Gray], texts: dict[str, NDArray[np.int16]]) -> list[Gray]:
    """Quarters of radiographs at twice the size, with patches such as the removal of text leaves, own text removed."""
    rng = np.random.default_rng(PAINTED_SEED)
    found: list[Gray] = []
    for name in rng.permutation(sorted(films))[:PAINTED]:
        large = _enlarged(films[name], 2 * SIDE) + rng.normal(0, rng.uniform(0, 4), (2 * SIDE, 2 * SIDE))
        x, y = (int(place) for place in rng.integers(0, SIDE + 1, 2))
        part = np.clip(large, 0, 255)[y : y + SIDE, x : x + SIDE].astype(np.float32) / 255
        own = [Line.around(corners.astype(np.float32)).scaled(2).moved(-x, -y) for corners in texts[name]]
        lines = own + [_some_line(rng) for _ in range(int(rng.integers(3, 7)))]
        mask = soft_mask(lines, part.shape, harder=float(rng.choice((1.0, 1.0, 1.7))))
        if (mask > 0).mean() <= MOST_PAINTED:
            how = ("generator", "generator", "classical")[int(rng.integers(3))]
            new = part * (1 - mask) + fill(part, mask, how=how).image * mask  # type: ignore[arg-type]
            found.append(np.rint(255 * new).clip(0, 255).astype(np.uint8))
    return found


def _some_line(rng: np.random.Generator) -> Line:
    height = float(np.exp(rng.uniform(np.log(9), np.log(40))))
    length = min(400.0, height * float(rng.uniform(2, 14)))
    angle = float(rng.choice((0, 0, 0, np.pi / 2, rng.uniform(-1.5, 1.5))))
    return Line(float(rng.uniform(0, SIDE)), float(rng.uniform(0, SIDE)), length, height, angle)


def drawn(number: int) -> Gray:
    """A phantom's radiograph before anything is burned in."""
    patient = plan_patient(DRAWN_SEED, number, 3)
    visit = patient.visits[number % len(patient.visits)]
    pixels = draw(patient, visit, sites_seed=DRAWN_SEED + number % 5, size=768).pixels
    return np.asarray(pixels >> 4, dtype=np.uint8)


def encoded(image: Gray) -> NDArray[np.uint8]:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "WEBP", quality=80, method=4)
    return np.frombuffer(buffer.getvalue(), np.uint8)


if __name__ == "__main__":
    main()

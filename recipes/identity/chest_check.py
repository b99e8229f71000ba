"""How the bundled chest check was made: frontal X-rays against everything that is not one.

    python -m recipes.identity.chest_check NIH14 VQA_RAD chest_check.npz

The other side is made of the same X-rays turned, mirrored top to bottom, inverted, halved or cropped to a corner,
of drawn side views, of the few real side views that NIH took for frontals, and of head and abdomen images. Frontals
and real side views are also taken covered, blurred, noisy, framed and shifted, as a defense or scanner may leave them.
Images of the NIH validation patients, and every second head and abdomen image, are left out for measuring.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.input import read_cohort
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.encoders.identity.chest_check import ChestCheck, chest_features

Image = NDArray[Any]
SIDE = 160
# side views among the NIH images, found by looking at those least like a frontal; one is of a validation patient
LATERALS = frozenset({"00000517_001", "00000591_003", "00000966_000", "00001085_000", "00001104_011", "00001136_001"})
VARIANTS = 60  # of every real side view: there are few
KEPT = 0.998  # of the training frontals pass: wrongly setting images aside would hide what an attacker can do


def fit(frontals: NDArray[np.float32], others: NDArray[np.float32]) -> ChestCheck:
    """The linear check that passes all but a few of the frontals given."""
    from sklearn.linear_model import LogisticRegression

    features = np.concatenate([frontals, others])
    frontal = np.arange(len(features)) < len(frontals)
    model = LogisticRegression(C=0.3, class_weight="balanced", max_iter=3000).fit(features, frontal)
    weights = model.coef_[0].astype(np.float32)
    return ChestCheck(weights, -float(np.quantile(frontals @ weights, 1 - KEPT)))


def worn(image: Image, rng: np.random.Generator) -> Image:
    """A frontal as a defense, a scanner or a publisher may leave it: still a frontal."""
    image = to_8_bit(image)
    match rng.integers(7):
        case 0:
            return cv2.GaussianBlur(image, (0, 0), rng.uniform(1, 5))
        case 1:
            return np.clip(image + rng.normal(0, rng.uniform(5, 50), image.shape), 0, 255).astype(np.uint8)
        case 2:
            image = image.copy()
            for _ in range(rng.integers(1, 5)):
                top, left = rng.integers(0, SIDE - 20, 2)
                image[top : top + rng.integers(5, 40), left : left + rng.integers(10, 70)] = 0
            return image
        case 3:
            above, below, left, right = (int(size) for size in rng.integers(0, 30, 4))
            return cv2.copyMakeBorder(image, above, below, left, right, cv2.BORDER_CONSTANT, value=0)
        case 4:
            return (255 * (image / 255.0) ** rng.uniform(0.4, 2.5)).astype(np.uint8)
        case 5:
            turn = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), rng.uniform(-12, 12), rng.uniform(0.85, 1.2))
            turn[:, 2] += rng.uniform(-12, 12, 2)
            return cv2.warpAffine(image, turn, (SIDE, SIDE))
        case _:
            coarse = cv2.resize(image, (int(rng.integers(16, 64)),) * 2, interpolation=cv2.INTER_AREA)
            return cv2.resize(coarse, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)


def spoiled(image: Image, rng: np.random.Generator) -> Image:
    """A frontal turned into something that is not one."""
    image = to_8_bit(image)
    half = SIDE // 2
    match rng.integers(8):
        case 0 | 1:
            return np.rot90(image, int(rng.choice([1, 3]))).copy()
        case 2:
            return np.rot90(image, 2).copy()
        case 3:
            return image[::-1].copy()
        case 4:
            return 255 - image
        case 5 | 6:
            left = int(rng.choice([0, half]))
            return image[:, left : left + half].copy()
        case _:
            top, left = (int(start) for start in rng.choice([0, half], 2))
            return image[top : top + half, left : left + half].copy()


def drawn_lateral(rng: np.random.Generator) -> Image:
    """A rough chest from the side: one lung field between breastbone and spine, the heart before it."""
    image = np.full((SIDE, SIDE), rng.uniform(0, 40), np.float32)

    def ellipse(across: float, down: float, wide: float, high: float, angle: float, gray: float) -> None:
        centre, axes = (int(across * SIDE), int(down * SIDE)), (int(wide * SIDE), int(high * SIDE))
        cv2.ellipse(image, centre, axes, angle, 0, 360, float(gray), -1)

    spread = rng.uniform(0.9, 1.1, 8)
    ellipse(0.5, 0.6, 0.42 * spread[0], 0.6 * spread[1], rng.uniform(-6, 6), rng.uniform(110, 170))
    ellipse(0.5, 0.42, 0.3 * spread[2], 0.33 * spread[3], rng.uniform(-15, 5), rng.uniform(30, 80))
    ellipse(0.37, 0.58, 0.17 * spread[4], 0.14 * spread[5], rng.uniform(-40, 0), rng.uniform(120, 170))
    for step in range(12):  # the spine, bone by bone, bent as spines are
        down = 0.08 + step * 0.075
        ellipse(0.76 + 0.05 * np.sin(down * 4), down, 0.05, 0.03, 0, rng.uniform(140, 190))
    ellipse(0.5, 0.95, 0.4 * spread[6], 0.22 * spread[7], rng.uniform(-5, 15), rng.uniform(170, 230))
    ellipse(rng.uniform(0.3, 0.6), 0.03, 0.3, 0.12, 0, rng.uniform(120, 180))  # the raised arms
    image = cv2.GaussianBlur(image, (0, 0), rng.uniform(2, 5)) + rng.normal(0, 4, image.shape)
    image = np.clip(image, 0, 255).astype(np.uint8)
    return image[:, ::-1].copy() if rng.random() < 0.5 else image


def other_organs(folder: Path) -> Iterator[Image]:
    """The head and abdomen images of VQA-RAD, by name."""
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    names = sorted({q["image_name"] for q in questions if q["image_organ"] != "CHEST"})
    return (load_image(folder / "images", name) for name in names)


def train(cohort: Cohort, organs: list[Image], *, seed: int = 0) -> ChestCheck:
    """From the frontals of the training patients and half of the other organs."""
    rng = np.random.default_rng(seed)
    known = cohort.where(cohort.table["split"] == "train").frontal()
    frontals, others = [], []
    for name, image in zip(known.table["image_id"], known.images(), strict=True):
        small = resize(image, SIDE)
        if name in LATERALS:
            for variant in range(VARIANTS):
                seen = small[:, ::-1].copy() if variant % 2 else small
                others.append(chest_features(worn(seen, rng)))
            continue
        frontals += [chest_features(small), chest_features(worn(small, rng))]
        others += [chest_features(spoiled(small, rng))]
    for image in organs[::2]:
        for turn in range(4):
            others.append(chest_features(np.rot90(resize(image, SIDE), turn).copy()))
    others += [chest_features(drawn_lateral(rng)) for _ in range(len(known) // 4)]
    return fit(np.stack(frontals), np.stack(others))


if __name__ == "__main__":
    nih, vqa, out = (Path(argument) for argument in sys.argv[1:])
    train(read_cohort(nih), list(other_organs(vqa))).save(out)

"""The bundled generator: small, as its card says, and better than plain black on images it never saw."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from medveil.cohort import Cohort
from medveil.defenses.pixels.paint.fill import fill
from medveil.defenses.pixels.paint.generator import load_generator
from medveil.defenses.pixels.paint.training.settings import SMALL
from medveil.weights.bundled import bundled


def error(image: NDArray[np.float32], how: str) -> float:
    mask = np.zeros(image.shape, np.float32)
    side = image.shape[0] // 64
    for line in range(3):
        top = (10 + 18 * line) * side
        mask[top : top + 3 * side, 12 * side : 50 * side] = 1
    filled = fill(image, mask, how=how).image  # type: ignore[arg-type]
    return float(np.abs(filled - image)[mask > 0].mean())


def test_it_is_small_and_what_the_recipe_makes() -> None:
    assert bundled("generator").stat().st_size < 6_000_000
    assert load_generator(bundled("generator")).architecture == SMALL


def test_its_card_compares_it_with_the_other_ways() -> None:
    card = json.loads(bundled("generator").with_suffix(".json").read_text())
    for ways in card["scores"].values():
        assert {"generator", "classical", "black"} <= set(ways)
        assert ways["generator"]["error"]["value"] < ways["black"]["error"]["value"]


def test_it_paints_phantoms(hospital: Cohort) -> None:
    images = [hospital.image(row).astype(np.float32) for row in range(3)]
    scaled = [(image - image.min()) / (image.max() - image.min()) for image in images]
    assert np.mean([error(image, "generator") for image in scaled]) < 0.06
    assert all(error(image, "generator") < error(image, "black") for image in scaled)


@pytest.mark.real_data
def test_it_paints_real_radiographs_of_unseen_patients(real_data: Path) -> None:
    folder = real_data / "nih14_512"
    with (folder / "split.csv").open(newline="") as file:
        unseen = [row["file"] for row in csv.DictReader(file) if row["split"] == "val"][:8]
    images = [np.asarray(Image.open(folder / "images" / name).convert("L"), np.float32) / 255 for name in unseen]
    generator, classical = (np.mean([error(image, how) for image in images]) for how in ("generator", "classical"))
    assert generator < 0.06 and generator < 1.1 * classical

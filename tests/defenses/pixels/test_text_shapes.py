from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.keys import Keys
from medveil.defenses.pixels.cover import CoveredText, blocks
from medveil.defenses.pixels.text_shapes import find_text
from medveil.errors import Quarantined
from medveil.parts import Record


def film(size: int = 512, seed: int = 0) -> np.ndarray:
    """A smooth, noisy background like a radiograph's, without any text."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size] / size
    smooth = 120 + 60 * np.sin(3 * x + seed) * np.cos(2 * y) + rng.normal(0, 3, (size, size))
    return np.clip(smooth, 0, 255).astype(np.uint8)


def write(image: np.ndarray, text: str, place: tuple[int, int], height: int, tone: int) -> np.ndarray:
    drawing = Image.fromarray(image.copy())
    ImageDraw.Draw(drawing).text(place, text, fill=tone, font=ImageFont.load_default(height))
    return np.asarray(drawing).copy()


def covered(ink: np.ndarray, boxes: list[tuple[int, int, int, int]]) -> float:
    mask = np.zeros(ink.shape, bool)
    for left, top, right, bottom in blocks(boxes, ink.shape):
        mask[top:bottom, left:right] = True
    return float((ink & mask).sum() / ink.sum())


@pytest.mark.parametrize("text", ["DOE, JANE", "MRN 884312", "12/03/1950", "St. Mary's Hospital"])
@pytest.mark.parametrize("height", [11, 14, 19])
@pytest.mark.parametrize("tone", [255, 0])
def test_text_is_found_whatever_its_size_and_tone(text: str, height: int, tone: int) -> None:
    image = film(seed=height)
    written = write(image, text, (150, 300), height, tone)
    assert covered(written != image, find_text(written)) > 0.98


@pytest.mark.parametrize("size", [256, 1024, 2048])
def test_text_scales_with_the_image(size: int) -> None:
    image = film(size)
    written = write(image, "DOE, JANE 1950", (size // 8, size // 8), size // 32, 255)
    assert covered(written != image, find_text(written)) > 0.98


def test_a_film_without_text_is_left_alone() -> None:
    assert sum(len(find_text(film(seed=seed))) for seed in range(20)) <= 1


def test_covering_leaves_no_ink_and_touches_nothing_else() -> None:
    image = film().astype(np.uint16) * 16
    written = write(film(), "DOE, JANE", (20, 480), 14, 255).astype(np.uint16) * 16
    record = CoveredText(Keys(b"k")).apply(Record({}, written))
    ink = written != image
    assert (record.image[ink] == 0).all()
    changed = record.image != written
    boxes = blocks(find_text(written), written.shape)
    inside = np.zeros(changed.shape, bool)
    for left, top, right, bottom in boxes:
        inside[top:bottom, left:right] = True
    assert not (changed & ~inside).any()
    assert record.done["text-like regions covered"] >= 1
    assert find_text(record.image) == []


def test_an_image_full_of_text_is_quarantined() -> None:
    page = film()
    for line in range(5, 500, 22):
        page = write(page, "NAME BORN 1950 LIVES AT NO 5 MAIN STREET TOWN AND MORE", (2, line), 16, 255)
    with pytest.raises(Quarantined, match="could not be removed"):
        CoveredText(Keys(b"k")).apply(Record({}, page))


def test_a_single_side_marker_stays() -> None:
    image = write(film(), "L", (400, 40), 28, 255)
    assert CoveredText(Keys(b"k")).apply(Record({}, image)).done == {}


def test_most_of_the_phantoms_burned_in_identifiers_are_covered(hospital: Cohort, hospital_folder: Path) -> None:
    """The answer key knows every burned-in line. Faint ends over bright tissue are missed now and then."""
    gold = load_gold(hospital_folder)
    defense = CoveredText(Keys(b"k"))
    covered_lines, lines = 0, 0
    for row in range(len(hospital)):
        burned = gold.images[hospital.table["image_id"][row]].in_pixels
        if not burned:
            continue
        try:
            image = defense.apply(Record({}, hospital.image(row))).image
        except Quarantined:
            continue
        for left, top, right, bottom in {identifier.box for identifier in burned}:
            lines += 1
            covered_lines += bool((image[top:bottom, left:right] == 0).mean() > 0.98)
    assert lines > 30
    assert covered_lines / lines > 0.9

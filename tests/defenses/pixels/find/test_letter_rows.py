from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.find.letter_rows import find_letter_rows


def film(size: int = 512, seed: int = 0) -> np.ndarray:
    """A smooth, noisy background like a radiograph's, without any text."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size] / size
    smooth = 120 + 60 * np.sin(3 * x + seed) * np.cos(2 * y) + rng.normal(0, 3, (size, size))
    return np.clip(smooth, 0, 255).astype(np.uint8)


def whole(image: np.ndarray) -> tuple[int, int, int, int]:
    return 0, 0, image.shape[1], image.shape[0]


def write(image: np.ndarray, text: str, place: tuple[int, int], height: int, tone: int) -> np.ndarray:
    drawing = Image.fromarray(image.copy())
    ImageDraw.Draw(drawing).text(place, text, fill=tone, font=ImageFont.load_default(height))
    return np.asarray(drawing).copy()


def covered(ink: np.ndarray, boxes: list[tuple[int, int, int, int]]) -> float:
    mask = np.zeros(ink.shape, bool)
    for left, top, right, bottom in boxes:
        height = bottom - top
        mask[max(0, top - height) : bottom + height, max(0, left - 4 * height) : right + 4 * height] = True
    return float((ink & mask).sum() / ink.sum())


@pytest.mark.parametrize("text", ["DOE, JANE", "MRN 884312", "12/03/1950", "St. Mary's Hospital"])
@pytest.mark.parametrize("height", [11, 14, 19])
@pytest.mark.parametrize("tone", [255, 0])
def test_text_is_found_whatever_its_size_and_tone(text: str, height: int, tone: int) -> None:
    image = film(seed=height)
    written = write(image, text, (150, 300), height, tone)
    assert covered(written != image, find_letter_rows(written, whole(written))) > 0.98


@pytest.mark.parametrize("size", [256, 1024, 2048])
def test_text_scales_with_the_image(size: int) -> None:
    image = film(size)
    written = write(image, "DOE, JANE 1950", (size // 8, size // 8), size // 32, 255)
    assert covered(written != image, find_letter_rows(written, whole(written))) > 0.98


def test_a_film_without_text_is_left_alone() -> None:
    assert sum(len(find_letter_rows(film(seed=seed), (0, 0, 512, 512))) for seed in range(20)) <= 1


def test_a_window_is_searched_as_the_whole_is() -> None:
    written = write(film(), "DOE, JANE", (300, 200), 14, 255)
    found = find_letter_rows(written, (250, 150, 500, 260))
    assert found
    assert set(found) == set(find_letter_rows(written, whole(written)))
    assert find_letter_rows(written, (0, 300, 200, 512)) == []

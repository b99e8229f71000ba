"""Words and markers written on films, with which pixels are whose: what removal and detection are measured on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.defenses.pixels.lines import Box
from recipes.pixels.rendering import font_of, line_ink

SIZE = 1024
SEED = 4_100_000  # of what is written here
MARKERS = (
    "L",
    "R",
    "AP",
    "PA",
    "ERECT",
    "PORTABLE",
    "SUPINE",
    "AP SUPINE",
    "SEMI-ERECT",
    "110 KV",
    "85 kV 2.5 mAs",
    "LEFT",
    "UPRIGHT",
)
NAMES = (
    *("Ottilie", "Brankovic", "Featherstone", "Nkemelu", "Sorensen", "Vandermeer"),
    *("Achterberg", "Quillfeather", "Ismailov", "Przybyla", "Underhill"),
)
FAINT = 0.3  # share of the words that stand out by 15 to 25 % of the gray scale
SIZE_CLASSES = ((12, 14), (15, 24), (25, 40), (41, 60), (61, 120))
SIZES = (12, 13, 14, 16, 20, 26, 34, 48)

Ids = tuple[NDArray[np.uint8], NDArray[np.uint8]]


@dataclass
class Written:
    """A word or marker: which pixels are its ink, and what kind of case it is."""

    ink: tuple[NDArray[np.int64], NDArray[np.int64]]
    marker: bool
    kind: dict[str, str]


def write(
    image: NDArray[np.uint16],
    rng: np.random.Generator,
    fonts: list[str],
    own: tuple[Box, ...],
    sizes: tuple[int, ...] = SIZES,
) -> Iterator[Written]:
    """Lines of one to three words and two markers, at places that touch neither one another nor the film's own text."""
    taken = np.zeros(image.shape, np.uint8)
    for left, top, right, bottom in own:
        taken[top:bottom, left:right] = 1
    for number in range(9):
        marker = number >= 7
        points = int(rng.choice(sizes)) if not marker else int(rng.integers(16, 60))
        text = str(rng.choice(MARKERS)) if marker else phrase(rng)
        # A marker of one or two letters is as large as lead letters are.
        points = max(points, 26) if marker and len(text) <= 2 else points
        font = str(rng.choice(fonts))
        ids = word_ids(text, font, points)
        angle, turn = rotation(rng, marker)
        ids = turned(ids, angle)
        place = free_place(taken, ids[0].shape, rng, border=rng.random() < 0.4)
        if place is None:
            continue
        yield from lay(
            image,
            taken,
            ids,
            place,
            rng,
            {"size": size_class(points), "rotation": turn, "text": f"marker {text}" if marker else "word"},
            marker,
        )


def size_class(points: int) -> str:
    return next(f"{low} to {high}" for low, high in SIZE_CLASSES if points <= high)


def phrase(rng: np.random.Generator) -> str:
    kind = int(rng.integers(5))
    name = str(rng.choice(NAMES))
    if kind == 0:
        return f"{name.upper()}, {str(rng.choice(NAMES)).upper()}"
    if kind == 1:
        return f"{name} {chr(65 + int(rng.integers(26)))}."
    if kind == 2:
        return f"{int(rng.integers(1, 29)):02}.{int(rng.integers(1, 13)):02}.{int(rng.integers(1930, 2024))}"
    if kind == 3:
        return f"Nr {int(rng.integers(10_000, 9_999_999))}"
    return f"KLINIKUM {name.upper()}"


def rotation(rng: np.random.Generator, marker: bool) -> tuple[float, str]:
    if marker:
        return (float(rng.normal(0, 5)), "upright") if rng.random() < 0.8 else (float(rng.choice((90, 270))), "quarter")
    kind = str(rng.choice(("upright", "upright", "90", "180", "270", "slanted")))
    angle = {"upright": 0.0, "slanted": float(rng.uniform(8, 82) * rng.choice((-1, 1)))}.get(kind)
    return (float(kind) if angle is None else angle), kind


def word_ids(text: str, font: str, points: int) -> Ids:
    """Ink of the line, and for each column the number of the word it belongs to."""
    ink, _ = line_ink(text, font, points)
    face = font_of(font, points)
    ids = np.zeros(ink.shape, np.uint8)
    start, done = 0.0, ""
    scale = ink.shape[1] / max(face.getlength(text), 1)
    for number, word in enumerate(text.split(" "), 1):
        done += word + " "
        end = min(ink.shape[1], face.getlength(done) * scale)
        ids[:, int(start) : int(end) + 1] = number
        start = end
    return ink, ids


def turned(ids: Ids, angle: float) -> Ids:
    ink, number = (Image.fromarray(one) for one in ids)
    soft = ink.rotate(angle, resample=Image.Resampling.BICUBIC, expand=True)
    return np.asarray(soft), np.asarray(number.rotate(angle, resample=Image.Resampling.NEAREST, expand=True))


def free_place(
    taken: NDArray[np.uint8], shape: tuple[int, ...], rng: np.random.Generator, *, border: bool
) -> tuple[int, int, str] | None:
    rows, columns = shape
    for _ in range(60 if max(shape) < SIZE else 0):
        top, left = int(rng.integers(0, SIZE - rows)), int(rng.integers(0, SIZE - columns))
        if border:
            gap = int(rng.integers(0, 8))
            side = int(rng.integers(4))
            top = (gap, SIZE - rows - gap, top, top)[side]
            left = (left, left, gap, SIZE - columns - gap)[side]
        reach = 60
        if not taken[max(0, top - reach) : top + rows + reach, max(0, left - reach) : left + columns + reach].any():
            return top, left, "border" if border else "inside"
    return None


def lay(
    image: NDArray[np.uint16],
    taken: NDArray[np.uint8],
    ids: Ids,
    place: tuple[int, int, str],
    rng: np.random.Generator,
    kind: dict[str, str],
    marker: bool,
) -> Iterator[Written]:
    top, left, where = place
    ink, number = ids
    rows, columns = ink.shape
    taken[top : top + rows, left : left + columns] = 1
    part = image[top : top + rows, left : left + columns]
    light = marker or rng.random() < 0.6
    faint = not marker and rng.random() < FAINT
    plate = rng.random() < 0.15
    if plate:
        _lay_plate(image, place, ink.shape, 6000 if light else 60_000)
    under = float(np.median(part))
    strength = float(rng.uniform(0.15, 0.25)) if faint else float(rng.uniform(0.4, 0.9))
    tone = under + (1 if light else -1) * strength * 65535
    if not 0 <= tone <= 65535:  # no room on that side: the other
        if marker:
            tone = float(np.clip(tone, 0, 65535))
        else:
            light = not light
            tone = float(np.clip(under + (1 if light else -1) * strength * 65535, 0, 65535))
    if marker and tone - float(np.percentile(part, 90)) < 12_000:
        _lay_plate(image, place, ink.shape, 4000)
        plate = True
        tone = 62_000.0
    soft = rng.random() < 0.25
    shows = np.abs(tone - part) > 0.06 * 65535  # what vanishes in its surroundings cannot be read
    cover = cv2.GaussianBlur(ink, (0, 0), 0.7) if soft else ink
    part[:] = np.rint(part + (tone - part) * (cover / 255)).astype(np.uint16)
    kind = kind | {
        "place": where,
        "tone": "light on dark" if light else "dark on light",
        "contrast": "faint" if faint else "plain",
        "plate": "plate" if plate else "no plate",
        "edge": "soft" if soft else "sharp",
    }
    for word in [1] if marker else range(1, int(number.max()) + 1):
        y, x = np.nonzero((ink > 100) & shows & ((number == word) | marker))
        if len(y) >= max(12, 0.5 * ((ink > 100) & ((number == word) | marker)).sum()):
            yield Written((y + top, x + left), marker, kind)


def _lay_plate(image: NDArray[np.uint16], place: tuple[int, int, str], shape: tuple[int, ...], tone: int) -> None:
    top, left, _ = place
    image[max(0, top - 4) : top + shape[0] + 4, max(0, left - 4) : left + shape[1] + 4] = tone

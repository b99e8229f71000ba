"""Type on films for the evidence network to learn from: lines, initials, numbers, lead letters, and what is whose.

A letter that stands alone is marked apart: it is neither type nor anything else, so nothing is learned from it.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from medveil.defenses.pixels.lines import Line
from recipes.pixels.rendering import line_ink, some_text

TYPE, LETTER = 1, 2  # what a pixel of the truth belongs to
MARKERS = "AP PA ERECT SUPINE PORTABLE UPRIGHT LEFT RIGHT SEMI CHEST LAT 110KV".split()
SIDES = ("L", "R", "L", "LT", "RT")
PATTERNS = ("{2}Y", "{3}", "{4}", "M {2}", "{2}/{2}", "{2}:{2}", "#{2}", "{2}")  # digits, so many
INITIALS = ("AA", "AAA", "A.A.", "AA9", "AA 99")
FEWEST, MOST = 4, 14  # pieces written on a film
SMALLEST, LARGEST, LARGEST_LONG = 8, 64, 30  # points
LONG = 14  # characters
TRIES = 12
COVERED = 0.35  # share of a line that is type, at least, for it to be type,
HEIGHTS = (0.5, 2.2)  # times the letters' height, that it is high,
MOST_OF_IT = 0.6  # and it holds so much of what was written,
LONGER = 1.8  # or is so many times longer than the letters are high

Gray = NDArray[np.uint8]


@dataclass(frozen=True)
class Truth:
    """What was written where: the kind of each pixel, the number of its piece, and how high that one's letters are."""

    kinds: Gray
    pieces: NDArray[np.int16]
    heights: list[float] = field(default_factory=lambda: [0.0])  # piece 0 is none

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Truth:
        return cls(np.zeros(shape, np.uint8), np.zeros(shape, np.int16))

    def is_type(self, line: Line) -> bool | None:
        """Whether a line is type; nothing where it holds some and does not fit, or a letter alone."""
        under = np.zeros(self.kinds.shape, np.uint8)
        line.paint(under, 1)
        inside = under > 0
        kinds = self.kinds[inside]
        if not kinds.any():
            return False
        if (kinds == TYPE).mean() <= COVERED:
            return None
        pieces = self.pieces[inside]
        piece = int(np.bincount(pieces[pieces > 0]).argmax())
        height = self.heights[piece]
        whole = (pieces == piece).sum() > MOST_OF_IT * (self.pieces == piece).sum()
        fits = HEIGHTS[0] < line.height / height < HEIGHTS[1] and (whole or line.length > LONGER * height)
        return True if fits else None


@dataclass(frozen=True)
class Piece:
    """Ink, what each of its pixels belongs to, how high its letters are, and whether it is of lead."""

    ink: Gray
    kinds: Gray
    height: float
    lead: bool = False


def write_type(film: Gray, rng: np.random.Generator, fonts: list[str]) -> tuple[Gray, Truth]:
    """A copy of the film with some pieces of type on it, none of which touch."""
    image = film.astype(np.float32)
    truth = Truth.empty(film.shape)
    taken = np.zeros(film.shape, np.uint8)
    for _ in range(int(rng.integers(FEWEST, MOST + 1))):
        points, piece = _some_piece(rng, fonts, max(film.shape))
        if piece.ink.size == 0:
            continue
        piece = _turned(piece, rng)
        at = _free_place(taken, piece.ink.shape, rng, gap=max(6, points // 2))
        if at is None:
            continue
        taken[at] = 1
        _lay(image[at], piece, points, rng)
        marked = piece.kinds > 0
        truth.kinds[at][marked] = piece.kinds[marked]
        truth.pieces[at][piece.kinds == TYPE] = len(truth.heights)
        truth.heights.append(piece.height)
    written = np.clip(image, 0, 255).astype(np.uint8)
    return (_compressed(written, rng) if rng.random() < 0.3 else written), truth


def _some_piece(rng: np.random.Generator, fonts: list[str], side: int) -> tuple[int, Piece]:
    font = str(rng.choice(fonts))
    points = round(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST))))
    kind = rng.random()
    if kind >= 0.86:
        points = max(14, int(rng.uniform(0.018, 0.05) * side) + 8)
        return points, _lead(rng, font, points)
    if kind < 0.5:
        text = some_text(rng)
    elif kind < 0.62:
        text = _filled(rng, str(rng.choice(INITIALS)))
    elif kind < 0.72:
        text = _number(rng)
    elif kind < 0.82:
        text = str(rng.choice(MARKERS))
    else:
        text = _capitals(rng, int(rng.integers(3, 7)))
        text = text.title() if rng.random() < 0.5 else text
    if len(text) > LONG:
        points = min(points, LARGEST_LONG)
    spacing = float(rng.uniform(0, 0.25)) if rng.random() < 0.2 else 0.0
    ink, _ = line_ink(text, font, points, spacing=spacing)
    alone = sum(character.isalnum() for character in text) < 2
    return points, Piece(ink, np.full(ink.shape, LETTER if alone else TYPE, np.uint8), float(ink.shape[0]))


def _capitals(rng: np.random.Generator, count: int) -> str:
    return "".join(rng.choice(list(string.ascii_uppercase), count))


def _filled(rng: np.random.Generator, pattern: str) -> str:
    """A capital for every A, a digit for every 9."""
    return "".join(_capitals(rng, 1) if one == "A" else str(rng.integers(10)) if one == "9" else one for one in pattern)


def _number(rng: np.random.Generator) -> str:
    pattern = str(rng.choice(PATTERNS))
    for count in "234":
        pattern = pattern.replace(f"{{{count}}}", "9" * int(count))
    return "".join(str(rng.integers(10)) if one == "9" else one for one in pattern)


def _lead(rng: np.random.Generator, font: str, points: int) -> Piece:
    """Initials of lead, most of them beside a larger letter that tells the side."""
    if rng.random() < 0.25:
        stroke = max(1, points // 16) if rng.random() < 0.6 else 0
        ink, _ = line_ink(_capitals(rng, 2 if rng.random() < 0.7 else 3), font, points, stroke=stroke)
        return Piece(ink, np.full(ink.shape, TYPE, np.uint8), float(ink.shape[0]), lead=True)
    side, _ = line_ink(str(rng.choice(SIDES)), font, points, stroke=points // int(rng.integers(10, 30)))
    small = max(7, int(points * rng.uniform(0.3, 0.75)))
    initials = _initials(rng, font, small)
    return _beside(side, initials, rng, gap=max(1, int(points * rng.uniform(0.03, 0.3))))


def _initials(rng: np.random.Generator, font: str, points: int) -> Gray:
    count = int(rng.choice((1, 2, 2, 2, 3, 3)))
    if count == 1 or rng.random() < 0.7:
        return line_ink(_capitals(rng, count), font, points, stroke=int(rng.random() < 0.3))[0]
    letters = [line_ink(_capitals(rng, 1), font, points)[0] for _ in range(count)]  # one below the other
    width = max(letter.shape[1] for letter in letters)
    gap = max(1, points // 5)
    return np.concatenate([np.pad(letter, ((0, gap), (0, width - letter.shape[1]))) for letter in letters])


def _beside(side: Gray, initials: Gray, rng: np.random.Generator, gap: int) -> Piece:
    """The two on one sheet, the initials to the right, to the left, above or below."""
    rows, columns = side.shape
    high, wide = initials.shape
    ink = np.zeros((rows + 2 * (high + gap), columns + 2 * (wide + gap)), np.uint8)
    kinds = np.zeros_like(ink)
    top, left = high + gap, wide + gap
    ink[top : top + rows, left : left + columns] = side
    kinds[top : top + rows, left : left + columns] = LETTER
    down, right = top + int(rng.integers(max(1, rows - high))), left + int(rng.integers(max(1, columns)))
    places = ((down, left + columns + gap), (down, 0), (0, right), (top + rows + gap, right))
    y, x = places[int(rng.integers(len(places)))]
    ink[y : y + high, x : x + wide] = initials
    kinds[y : y + high, x : x + wide] = TYPE
    x, y, wide, high = cv2.boundingRect(ink)
    at = np.s_[y : y + high, x : x + wide]
    return Piece(ink[at], kinds[at], float(initials.shape[0]), lead=True)


def _turned(piece: Piece, rng: np.random.Generator) -> Piece:
    ink, kinds = np.pad(piece.ink, 2), np.pad(piece.kinds, 2, mode="edge")
    if rng.random() < (0.45 if piece.lead else 0.05):
        ink, kinds = ink[:, ::-1], kinds[:, ::-1]
    degrees = _some_angle(rng)
    soft = Image.fromarray(ink).rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True)
    hard = Image.fromarray(kinds).rotate(degrees, resample=Image.Resampling.NEAREST, expand=True)
    return Piece(np.asarray(soft), np.asarray(hard), piece.height, piece.lead)


def _some_angle(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.4:
        return 0.0
    if kind < 0.6:
        return float(rng.normal(0, 6))
    return float(rng.choice((90, 180, 270)) if kind < 0.82 else rng.uniform(0, 360))


def _free_place(taken: Gray, shape: tuple[int, ...], rng: np.random.Generator, gap: int) -> tuple[slice, slice] | None:
    """Often near the upper or the lower border, as most type is."""
    down, across = taken.shape[0] - shape[0], taken.shape[1] - shape[1]
    for _ in range(TRIES if min(down, across) > 4 else 0):
        top, left = int(rng.integers(down)), int(rng.integers(across))
        if rng.random() < 0.45:
            near = int(rng.integers(max(1, min(down, taken.shape[0] // 10))))
            top = near if rng.random() < 0.5 else down - near
        bottom, right = top + shape[0], left + shape[1]
        if not taken[max(0, top - gap) : bottom + gap, max(0, left - gap) : right + gap].any():
            return np.s_[top:bottom, left:right]
    return None


def _lay(part: NDArray[np.float32], piece: Piece, points: int, rng: np.random.Generator) -> None:
    """Into the film, lighter or darker than it, now and then on a plate."""
    light = rng.random() < (0.85 if piece.lead else 0.6)
    under = float(np.median(part))
    if rng.random() < 0.12:
        under = float(rng.uniform(0, 40) if light else rng.uniform(215, 255))
        part[cv2.dilate((piece.kinds > 0).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0] = under
    strength = 255 * float(rng.uniform(0.14, 0.3) if rng.random() < 0.3 else rng.uniform(0.3, 0.95))
    tone = under + (strength if light else -strength)
    if not 0 <= tone <= 255:  # no room on that side: the other
        tone = under - (strength if light else -strength)
    cover = piece.ink.astype(np.float32) / 255
    if rng.random() < (0.8 if piece.lead else 0.3):
        cover = cv2.GaussianBlur(cover, (0, 0), float(rng.uniform(0.5, max(0.6, 0.05 * points))))
    part += (np.clip(tone, 0, 255) - part) * cover


def _compressed(image: Gray, rng: np.random.Generator) -> Gray:
    _, stored = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))])
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_GRAYSCALE), dtype=np.uint8)

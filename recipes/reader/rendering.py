"""Strips of burned-in text as they are cut out of radiographs, and what a reader should say of each.

Pillow and NumPy only. Used to train the reader and, with other fonts and films, to measure it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from medveil.defenses.pixels.read.alphabet import OTHER, as_read, is_letter
from medveil.defenses.pixels.read.reader import HEIGHT
from recipes.pixels.rendering import dotted_ink, find_fonts, font_of
from recipes.reader.texts import some_line

WIDEST = 304
SEEN, GLIMPSED = 0.8, 0.06  # share of a letter's width in the strip from which it is told, or noticed
_SAME_TURNED = set("HINOSXZ0689l|.:-=+%/oxsznuWMwm1 ")
_SAME_ON_SIDE = set("NZOX0+HIl1|-oxnzuCUEMW3. ")
_SAME_MIRRORED = set("AHIMOTUVWXY08.:-+oiltvwx| ")
_ROUND = 5  # tries to find a place without text of the film's own
_GLYPH_MARGIN = 4  # pixels around a letter drawn beforehand

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Film:
    picture: Image.Image
    unsure: NDArray[np.int16]  # boxes that may hold text of the film's own


@dataclass(frozen=True)
class Stock:
    """Fonts, letters drawn beforehand and films to draw from."""

    fonts: list[str]
    glyphs: dict[tuple[str, str], dict[str, Bytes]]
    films: list[Film]

    @classmethod
    def load(cls, fonts: Path, glyphs: Path | None, films: Path) -> Stock:
        letters: dict[tuple[str, str], dict[str, Bytes]] = {}
        if glyphs is not None:
            with np.load(glyphs) as kept:
                for name in kept.files:
                    face, thick, code = name.split("_")
                    letters.setdefault((face, thick), {})[chr(int(code))] = kept[name]
        with np.load(films) as kept:
            count = len(kept.files) // 2
            pictures = [Image.open(io.BytesIO(kept[f"image_{k:04}"].tobytes())).convert("L") for k in range(count)]
            films_ = [Film(picture, kept[f"unsure_{k:04}"]) for k, picture in enumerate(pictures)]
        return cls([*find_fonts(fonts), "default", "default", "default"], letters, films_)


@dataclass
class Stamp:
    """Ink of a line, where each of its letters begins and ends, and the letters as a reader tells them."""

    ink: Bytes
    ends: list[tuple[float, float]]
    signs: str


def some_strip(
    rng: np.random.Generator, stock: Stock, line: Callable[[np.random.Generator], str] = some_line
) -> tuple[Bytes, str]:
    """A strip 32 pixels high and what it says; nothing where there is no text or it stands the wrong way."""
    while True:
        strip, text = _anatomy(rng, stock) if rng.random() < 0.09 else _text(rng, stock, line(rng))
        if 8 <= strip.shape[1] <= WIDEST:
            return strip, text


def _anatomy(rng: np.random.Generator, stock: Stock) -> tuple[Bytes, str]:
    height = int(math.exp(rng.uniform(math.log(8), math.log(70))))
    width = max(6, int(height * math.exp(rng.uniform(math.log(0.6), math.log(9)))))
    scene = background(rng, stock, (2 * height + width, 3 * height))
    if rng.random() < 0.5:
        scene = _scribbled(rng, scene)
    scene = worn(rng, scene, height, 0.2)
    return _cut(scene, (height, height, height + width, 2 * height), float(rng.normal(0, 0.1))), ""


def _text(rng: np.random.Generator, stock: Stock, text: str) -> tuple[Bytes, str]:
    points = round(math.exp(rng.uniform(math.log(10), math.log(64))))
    stamp = stamped(rng, stock, text, points)
    if stamp is None:
        return np.zeros((HEIGHT, 0), np.uint8), ""
    rows, columns = stamp.ink.shape
    tall = max(rows, points // 2)
    if columns > 1.3 * WIDEST / HEIGHT * tall:
        return np.zeros((HEIGHT, 0), np.uint8), ""
    pad = tall + 8
    ink = np.zeros((rows + 2 * pad, columns + 2 * pad), np.uint8)
    ink[pad : pad + rows, pad : pad + columns] = stamp.ink
    letters = [(x0 + pad, x1 + pad, sign) for (x0, x1), sign in zip(stamp.ends, stamp.signs, strict=True)]
    middle = (pad + rows / 2, tall)
    below = _neighbours(rng, stock, ink, letters, points, middle)
    scene = background(rng, stock, (ink.shape[1], ink.shape[0]))
    scene, contrast = printed(rng, scene, ink, (pad, pad, pad + columns, pad + rows), tall)
    if rng.random() < 0.1:
        scene = _at_border(rng, scene, (pad, pad, pad + columns, pad + rows), tall)
    scene = worn(rng, scene, tall, contrast)
    rect = _rectangle(rng, pad, columns, middle[0], tall)
    said = _seen(letters, rect)
    if below is not None and min(below[1], rect[3]) - max(below[0], rect[1]) > 0.6 * (below[1] - below[0]):
        said += OTHER
    slant = float(rng.normal(0, 0.025)) if rng.random() < 0.85 else float(rng.normal(0, 0.08))
    return _stood(rng, _cut(scene, rect, slant * min(1.0, 6 * tall / (columns + tall))), said)


def _stood(rng: np.random.Generator, strip: Bytes, said: str) -> tuple[Bytes, str]:
    """Now and then upside down, on its side or mirrored."""
    kind = rng.random()
    bare = said.strip()
    if kind < 0.1 and not set(bare) <= _SAME_TURNED:
        return strip[::-1, ::-1], ""
    if kind < 0.2 and strip.shape[1] < 1.8 * HEIGHT and not set(bare) <= _SAME_ON_SIDE:
        side = Image.fromarray(np.rot90(strip, 1 if rng.random() < 0.5 else 3))
        width = max(8, round(HEIGHT * side.width / side.height))
        return np.asarray(side.resize((width, HEIGHT), Image.Resampling.BILINEAR)), ""
    if kind > 0.985:
        return strip[:, ::-1], "".join(sign if sign in _SAME_MIRRORED else OTHER for sign in reversed(bare))
    return strip, said


def stamped(rng: np.random.Generator, stock: Stock, text: str, points: int) -> Stamp | None:
    kind = rng.random()
    if kind < 0.12 and stock.glyphs and text.isascii():
        stamp = _from_glyphs(rng, stock, text, points)
    elif kind < 0.17 and text.isascii():
        cell = max(1, round(points / 11))
        ink, _ = dotted_ink(text, cell, rng)
        stamp = Stamp(ink, [(6 * cell * k, 6 * cell * (k + 1)) for k in range(len(text))], as_read(text))
    else:
        stamp = _from_font(rng, stock, text, points)
    if stamp is None or min(stamp.ink.shape, default=0) < 2:
        return None
    if len(text) <= 3 and rng.random() < 0.25 and points >= 16:
        stamp.ink = _leaden(rng, stamp.ink)
    if rng.random() < 0.12:  # narrower or wider than the font
        factor = float(rng.uniform(0.75, 1.35))
        picture = Image.fromarray(stamp.ink)
        stamp.ink = np.asarray(picture.resize((max(2, round(picture.width * factor)), picture.height)))
        stamp.ends = [(x0 * factor, x1 * factor) for x0, x1 in stamp.ends]
    return stamp


def _from_font(rng: np.random.Generator, stock: Stock, text: str, points: int) -> Stamp | None:
    font = font_of(stock.fonts[int(rng.integers(len(stock.fonts)))], points)
    stroke = int(rng.integers(1, max(2, points // 16 + 1))) if points >= 16 and rng.random() < 0.15 else 0
    spacing = float(rng.uniform(0.03, 0.35)) * points if rng.random() < 0.15 else 0.0
    starts = [float(font.getlength(text[:k])) + k * spacing for k in range(len(text) + 1)]
    pad = points
    sheet = Image.new("L", (int(starts[-1]) + 3 * pad, 3 * points))
    draw = ImageDraw.Draw(sheet)
    if spacing:
        for start, letter in zip(starts, text, strict=False):
            draw.text((pad + start, pad // 2), letter, fill=255, font=font, stroke_width=stroke)
    else:
        draw.text((pad, pad // 2), text, fill=255, font=font, stroke_width=stroke)
    box = sheet.getbbox()
    if box is None:
        return None
    off = pad - box[0]
    ends = [(x0 + off, x1 + off - spacing) for x0, x1 in pairwise(starts)]
    return Stamp(np.asarray(sheet.crop(box)), ends, as_read(text))


def _from_glyphs(rng: np.random.Generator, stock: Stock, text: str, points: int) -> Stamp | None:
    names = sorted(stock.glyphs)
    letters = stock.glyphs[names[int(rng.integers(len(names)))]]
    parts = [letters.get(letter, np.zeros_like(letters["n"])) for letter in text]
    widths = [part.shape[1] - 2 * _GLYPH_MARGIN for part in parts]
    starts = np.concatenate([[0], np.cumsum(widths)])
    sheet = np.zeros((parts[0].shape[0], int(starts[-1]) + 2 * _GLYPH_MARGIN), np.uint8)
    for start, part in zip(starts, parts, strict=False):
        place = sheet[:, start : start + part.shape[1]]
        np.maximum(place, part, out=place)
    factor = points / 48
    picture = Image.fromarray(sheet)
    picture = picture.resize((max(2, round(picture.width * factor)), max(2, round(picture.height * factor))))
    box = picture.getbbox()
    if box is None:
        return None
    ends = [((x + _GLYPH_MARGIN) * factor - box[0], (y + _GLYPH_MARGIN) * factor - box[0]) for x, y in _pairs(starts)]
    return Stamp(np.asarray(picture.crop(box)), ends, as_read(text))


def _pairs(starts: NDArray[np.int64]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in pairwise(starts)]


def _leaden(rng: np.random.Generator, ink: Bytes) -> Bytes:
    """Corners rounded, strokes swollen or eaten away, as cast letters show."""
    soft = Image.fromarray(ink).filter(ImageFilter.GaussianBlur(float(rng.uniform(0.03, 0.1)) * ink.shape[0]))
    level = float(rng.uniform(70, 150))
    return np.clip((np.asarray(soft, np.float32) - level) * 4 + 128, 0, 255).astype(np.uint8)


def _neighbours(
    rng: np.random.Generator,
    stock: Stock,
    ink: Bytes,
    letters: list[tuple[float, float, str]],
    points: int,
    middle: tuple[float, float],
) -> tuple[float, float] | None:
    """Lines above, below and beside; what stands beside is told too. Rows of small print below the line."""
    kind = rng.random()
    if kind > 0.36:
        return None
    row, tall = middle
    left, right = letters[0][0], letters[-1][1]
    size = points if rng.random() < 0.6 else max(7, round(points * float(rng.uniform(0.3, 0.7))))
    other = stamped(rng, stock, some_line(rng)[:8].strip() or "X", size)
    if other is None:
        return None
    rows, columns = other.ink.shape
    if kind < 0.16:
        gap = tall * float(rng.uniform(0.1, 0.9))
        top = row + tall / 2 + gap if rng.random() < 0.5 else row - tall / 2 - gap - rows
        _lay(ink, other.ink, round(left + rng.uniform(-0.5, 0.5) * tall), round(top))
        return None
    if kind < 0.2 and tall >= 20 and size < 0.6 * points:
        top = row + tall / 2 + 1 + tall * float(rng.uniform(0.0, 0.15))
        _lay(ink, other.ink, round(left), round(top))
        return top, top + rows
    gap = tall * float(rng.uniform(0.4, 1.0))
    start = right + gap if rng.random() < 0.5 else left - gap - columns
    _lay(ink, other.ink, round(start), round(row + tall / 2 - rows if rng.random() < 0.6 else row - rows / 2))
    found = [(x0 + start, x1 + start, sign) for (x0, x1), sign in zip(other.ends, other.signs, strict=True)]
    space = (right, start, " ") if start > right else (start + columns, left, " ")
    letters[:] = [*letters, space, *found] if start > right else [*found, space, *letters]
    return None


def _lay(sheet: Bytes, ink: Bytes, left: int, top: int) -> None:
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + ink.shape[0], sheet.shape[0]), min(left + ink.shape[1], sheet.shape[1])
    if y0 < y1 and x0 < x1:
        part = sheet[y0:y1, x0:x1]
        np.maximum(part, ink[y0 - top : y1 - top, x0 - left : x1 - left], out=part)


def background(rng: np.random.Generator, stock: Stock, size: tuple[int, int]) -> Floats:
    """A piece of a film, gray values 0 to 255; sometimes plain."""
    if rng.random() < 0.12:
        slope = np.linspace(-1, 1, size[0], dtype=np.float32) * np.float32(rng.uniform(-30, 30))
        return np.broadcast_to(np.float32(rng.choice((0, 255, rng.uniform(0, 255)))) + slope, size[::-1]).clip(0, 255)
    for _ in range(_ROUND):
        film = stock.films[int(rng.integers(len(stock.films)))]
        zoom = math.exp(rng.uniform(math.log(0.7), math.log(3.2)))
        width, height = min(size[0] / zoom, film.picture.width), min(size[1] / zoom, film.picture.height)
        left = float(rng.uniform(0, film.picture.width - width))
        top = float(rng.uniform(0, film.picture.height - height))
        x0, y0, x1, y1 = film.unsure.T if len(film.unsure) else np.zeros((4, 0))
        if not ((x0 < left + width) & (x1 > left) & (y0 < top + height) & (y1 > top)).any():
            break
    box = (left, top, left + width, top + height)
    piece = np.asarray(film.picture.resize(size, Image.Resampling.BILINEAR, box=box), np.float32)
    kind = rng.random()
    if kind < 0.3:
        low, high = rng.uniform(0, 90), rng.uniform(140, 255)
        piece = low + (high - low) / 255 * piece
    elif kind < 0.42:
        piece = 255 - piece
    return piece.astype(np.float32)


def printed(
    rng: np.random.Generator, scene: Floats, ink: Bytes, box: tuple[int, int, int, int], tall: int
) -> tuple[Floats, float]:
    """The ink in a tone that stands out, plates and frames under it; and by how much it stands out."""
    left, top, right, bottom = box
    contrast = float(math.exp(rng.uniform(math.log(0.12), math.log(0.95)))) * 255
    light = rng.random() < 0.65
    kind = rng.random()
    if kind < 0.2:
        picture = Image.fromarray(scene.astype(np.uint8))
        by = tall * float(rng.uniform(0.06, 0.5))
        tone = int(rng.integers(0, 70)) if light else int(rng.integers(180, 256))
        ImageDraw.Draw(picture).rectangle((left - by, top - by, right + by, bottom + by), fill=tone)
        scene = np.asarray(picture, np.float32)
    under = float(np.median(scene[top:bottom, left:right]))
    tone_ = under + (contrast if light else -contrast)
    if not -20 <= tone_ <= 275:
        tone_ = under - (contrast if light else -contrast)
    tone_ = float(np.clip(tone_, 0, 255))
    if 0.2 < kind < 0.3:
        ink = _framed(rng, ink, box, tall)
    if 0.3 < kind < 0.4:
        halo = np.asarray(Image.fromarray(ink).filter(ImageFilter.MaxFilter(3)), np.float32) / 255
        scene = scene + ((0 if tone_ > under else 255) - scene) * halo * float(rng.uniform(0.3, 1))
    cover = ink.astype(np.float32) * (float(rng.uniform(0.6, 1)) / 255 if rng.random() < 0.3 else 1 / 255)
    return (scene + (tone_ - scene) * cover).astype(np.float32), abs(tone_ - under) / 255


def _framed(rng: np.random.Generator, ink: Bytes, box: tuple[int, int, int, int], tall: int) -> Bytes:
    """A ring, a box or a rule around or under the letters."""
    left, top, right, bottom = box
    sheet = Image.fromarray(ink)
    draw = ImageDraw.Draw(sheet)
    by, width = tall * float(rng.uniform(0.15, 0.6)), max(1, round(tall * float(rng.uniform(0.03, 0.12))))
    around = (left - by, top - by, right + by, bottom + by)
    kind = int(rng.integers(3))
    if kind == 0 and right - left < 2.2 * tall:
        reach = max(right - left, bottom - top) / 2 + by
        x, y = (left + right) / 2, (top + bottom) / 2
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), outline=255, width=width)
    elif kind == 1:
        draw.rectangle(around, outline=255, width=width)
    else:
        y = bottom + by / 2 if rng.random() < 0.7 else top - by / 2
        draw.line((0, y, sheet.width, y), fill=255, width=width)
    return np.asarray(sheet)


def _scribbled(rng: np.random.Generator, scene: Floats) -> Floats:
    """Wires, edges, rings and dots."""
    sheet = Image.new("L", (scene.shape[1], scene.shape[0]))
    draw = ImageDraw.Draw(sheet)
    for _ in range(int(rng.integers(1, 4))):
        x, y, u, v = rng.uniform(0, 1, 4) * np.array([*sheet.size, *sheet.size])
        width = int(rng.integers(1, 5))
        kind = int(rng.integers(4))
        if kind == 0:
            draw.line((x, y, u, v), fill=255, width=width)
        elif kind == 1:
            around = (min(x, u), min(y, v), max(x, u) + 4, max(y, v) + 4)
            draw.arc(around, *rng.uniform(0, 360, 2), fill=255, width=width)
        elif kind == 2:
            draw.ellipse((x, y, x + 2 * width, y + 2 * width), fill=255)
        else:
            draw.rectangle((min(x, u), 0, max(x, u), sheet.height), fill=255)
    cover = np.asarray(sheet, np.float32) / 255 * float(rng.uniform(0.3, 1))
    return (scene + (float(rng.choice((0, 255, rng.uniform(0, 255)))) - scene) * cover).astype(np.float32)


def _at_border(rng: np.random.Generator, scene: Floats, box: tuple[int, int, int, int], tall: int) -> Floats:
    """The film ends close to the line: what is cut out beyond its border repeats the last pixels."""
    gap = int(rng.uniform(0, 0.25) * tall)
    left, top, right, bottom = box
    side = int(rng.integers(4))
    y0, y1 = max(0, top - gap) if side == 0 else 0, bottom + gap if side == 1 else scene.shape[0]
    x0, x1 = max(0, left - gap) if side == 2 else 0, right + gap if side == 3 else scene.shape[1]
    kept = scene[y0:y1, x0:x1]
    around = ((y0, scene.shape[0] - y0 - kept.shape[0]), (x0, scene.shape[1] - x0 - kept.shape[1]))
    return np.pad(kept, around, mode="edge")


def worn(rng: np.random.Generator, scene: Floats, tall: int, contrast: float) -> Bytes:
    """Smoothed, noisy, compressed."""
    if rng.random() < 0.5:
        scene = scene + rng.normal(0, rng.uniform(0, 0.16) * contrast * 255, scene.shape).astype(np.float32)
    picture = Image.fromarray(np.clip(scene, 0, 255).astype(np.uint8))
    if rng.random() < 0.35:
        picture = picture.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, max(0.5, 0.06 * tall)))))
    if rng.random() < 0.15:
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=int(rng.integers(35, 92)))
        picture = Image.open(buffer)
    return np.asarray(picture)


def _rectangle(
    rng: np.random.Generator, pad: int, columns: int, row: float, tall: int
) -> tuple[float, float, float, float]:
    """Where the line is believed to be: seldom exactly where it is, now and then too short."""
    aside = rng.normal(0.18, 0.14, 2).clip(-0.08, 0.7)
    if rng.random() < 0.25:
        aside = rng.uniform(0.2, 0.95, 2)
    across = rng.normal(0.17, 0.09, 2).clip(-0.06, 0.5) if rng.random() < 0.8 else rng.uniform(0, 0.7, 2)
    left, right = pad - aside[0] * tall, pad + columns + aside[1] * tall
    if rng.random() < 0.1:
        lost = float(rng.uniform(0, 0.55)) * columns
        left, right = (left + lost, right) if rng.random() < 0.5 else (left, right - lost)
    return left, row - (0.5 + across[0]) * tall, right, row + (0.5 + across[1]) * tall


def _seen(letters: list[tuple[float, float, str]], rect: tuple[float, float, float, float]) -> str:
    told = []
    for start, end, sign in letters:
        bearing = 0.15 * (end - start)  # of a letter's width is no ink
        x0, x1 = start + bearing, end - bearing
        share = (min(x1, rect[2]) - max(x0, rect[0])) / max(x1 - x0, 1e-6)
        if share >= SEEN or (sign == " " and share > 0):
            told.append(sign)
        elif share > GLIMPSED and is_letter(sign):
            told.append(OTHER)
    return " ".join("".join(told).split())


def _cut(scene: Bytes, rect: tuple[float, float, float, float], slant: float) -> Bytes:
    left, top, right, bottom = rect
    scale = (bottom - top) / HEIGHT
    width = max(1, round((right - left) / scale))
    cos, sin = scale * math.cos(slant), scale * math.sin(slant)
    x, y = (left + right) / 2, (top + bottom) / 2
    across = (cos, -sin, x - cos * width / 2 + sin * HEIGHT / 2)
    down = (sin, cos, y - sin * width / 2 - cos * HEIGHT / 2)
    picture = Image.fromarray(np.pad(scene, 1, mode="edge"))
    moved = (*across[:2], across[2] + 1, *down[:2], down[2] + 1)
    return np.asarray(picture.transform((width, HEIGHT), Image.Transform.AFFINE, moved, Image.Resampling.BILINEAR))

"""What is burned into the pixels: the patient's data in a corner, and the lead markers that must stay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from medveil.cohort.phantom.chart import Chart
from medveil.cohort.phantom.gold import Box, Boxed, PixelIdentifier
from medveil.cohort.phantom.invented_names import fold
from medveil.cohort.phantom.marked_text import MarkedText, fill, mark
from medveil.person.identifiers import Category

Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]
WHITE = 4095
SHARE = 0.45  # of all images carry burned-in identifiers
_CONTRAST = 700  # ink closer than this to what lies under it gets a dark plate
_NOTHING = 8  # ink fainter than this of 255 does not change a pixel, so that boxes are exact


def lay_over(chart: Chart, pixels: NDArray[np.uint16]) -> tuple[list[PixelIdentifier], list[Boxed]]:
    """Burn text and markers into the pixels, in place; what identifies and what does not."""
    rng = np.random.default_rng([chart.patient.person_key, 5, chart.visit.number])
    style = chart.site.number * 2 + int(rng.integers(2))
    markers = _markers(chart, pixels, rng)
    if rng.random() >= SHARE:
        return [], markers
    corners = _free_corners(markers, pixels.shape[1])
    corner = corners[int(rng.integers(len(corners)))]
    lines = _lines(chart, rng)
    found = []
    for line, box in zip(lines, burn(pixels, [line.text for line in lines], corner, style_key=style), strict=True):
        found += [PixelIdentifier(**vars(name), line=line.text, box=box) for name in line.identifiers()]
    return found, markers


def _free_corners(markers: list[Boxed], width: int) -> list[Corner]:
    """Markers lie at the top; text keeps to the corners they leave free."""
    taken = {"left" if marker.box[0] + marker.box[2] < width else "right" for marker in markers}
    corners: tuple[Corner, ...] = get_args(Corner)
    return [corner for corner in corners if corner.startswith("bottom") or corner.split("-")[1] not in taken]


def _markers(chart: Chart, pixels: NDArray[np.uint16], rng: np.random.Generator) -> list[Boxed]:
    side: Literal["left", "right"] = "left" if rng.random() < 0.6 else "right"
    key = int(rng.integers(2**31))
    found = [Boxed(side[0].upper(), burn_marker(pixels, side[0].upper(), style_key=key, side=side))]
    if chart.visit.view == "AP" and rng.random() < 0.5:
        text = ("PORTABLE", "AP SUPINE", "ERECT", "SEMI-ERECT")[int(rng.integers(4))]
        other: Literal["left", "right"] = "right" if side == "left" else "left"
        found.append(Boxed(text, burn_marker(pixels, text, style_key=key + 1, side=other)))
    return found


def _lines(chart: Chart, rng: np.random.Generator) -> list[MarkedText]:
    """Two to six lines in plain capitals, as consoles print them."""
    person, encounter, site = chart.person, chart.encounter, chart.site
    name = mark(fold(f"{person.family}, {person.given}").upper(), Category.NAME, person.full)
    day = mark(f"{encounter.taken:%m/%d/%Y}", Category.DATE, f"{encounter.taken:%Y-%m-%d}")
    clock = mark(f"{encounter.taken:%H:%M:%S}", Category.TIME)
    birth = mark(f"{person.birth:%Y-%m-%d}", Category.DATE)
    lines = [
        name,
        fill("ID {mrn}" if site.number % 2 else "MRN {mrn}", mrn=mark(person.mrn, Category.MRN)),
        fill("DOB {birth} {sex}", birth=birth, sex=person.sex),
        fill("{day} {clock}", day=day, clock=clock),
        fill("ACC {accession}", accession=mark(encounter.accession, Category.ACCESSION)),
        mark(fold(site.hospital).upper(), Category.HOSPITAL, site.hospital),
        fill("TECH {tech} {kv} KV", tech=_initials(chart), kv="110" if chart.visit.view == "PA" else "85"),
    ]
    kept = sorted(int(place) for place in rng.choice(len(lines), int(rng.integers(2, 6)), replace=False))
    return [lines[place] for place in kept]


def _initials(chart: Chart) -> MarkedText:
    staff = chart.encounter.technologist
    return mark(fold(staff.initials).upper(), Category.INITIALS, staff.full)


class _Stamp(NamedTuple):
    ink: NDArray[np.uint8]  # coverage 0..255, cropped to the box
    box: Box


def burn(pixels: NDArray[np.uint16], lines: Sequence[str], corner: Corner, *, style_key: int) -> list[Box]:
    """Write the lines into a corner, in place; the box of each line is tight around its ink.

    A line without ink (blank) has an empty box.
    """
    rng = np.random.default_rng([style_key, 1])
    rows, columns = pixels.shape
    height = float(rng.uniform(13.5, 19.5)) * rows / 512
    value = int(rng.choice((WHITE, WHITE, 3700, 3200)))
    plate = rng.random() < 0.3
    soft = rng.random() < 0.3
    margin = round(float(rng.uniform(5, 12)) * rows / 512)
    inks = _fitting(lines, height, columns - 2 * margin)
    pitch = round(height * 1.35)
    top = margin if corner.startswith("top") else rows - margin - pitch * len(inks)
    stamps = []
    for ink, above in inks:
        left = margin if corner.endswith("left") else columns - margin - ink.shape[1]
        ink = cv2.GaussianBlur(ink, (3, 3), 0.6) if soft and ink.size else ink
        stamps.append(_placed(pixels, ink, left, top + above))
        top += pitch
    if plate or not _readable(pixels, stamps, value):
        for stamp in stamps:
            _lay_plate(pixels, stamp.box)
    for stamp in stamps:
        _blend(pixels, stamp, value)
    return [stamp.box for stamp in stamps]


def burn_marker(pixels: NDArray[np.uint16], text: str, *, style_key: int, side: Literal["left", "right"]) -> Box:
    """Lay a lead marker beside the patient's shoulder on his `side`, in place; the box around its ink."""
    rng = np.random.default_rng([style_key, 2])
    size = pixels.shape[0]
    height = float(rng.uniform(22, 32) if len(text) == 1 else rng.uniform(13, 18)) * size / 512
    ink, _ = _ink(text, max(8, round(height)))
    ink = _turned(_bold(ink, size), float(rng.normal(0, 6)))
    inset = float(rng.uniform(0.03, 0.09)) * size
    left = round(inset if side == "right" else size - inset - ink.shape[1])
    top = round(float(rng.uniform(0.04, 0.14)) * size)
    stamp = _placed(pixels, ink, left, top)
    value = int(rng.integers(3850, WHITE + 1))
    if not _readable(pixels, [stamp], value):
        _lay_plate(pixels, stamp.box)
    _blend(pixels, stamp, value)
    return stamp.box


def _fitting(lines: Sequence[str], height: float, width: int) -> list[tuple[NDArray[np.uint8], int]]:
    """The lines as ink at this height, or smaller where the widest would leave the image."""
    points = max(8, round(height))
    inks = [_ink(line, points) for line in lines]
    widest = max((ink.shape[1] for ink, _ in inks), default=0)
    if widest <= width:
        return inks
    return [_ink(line, max(6, int(points * width / widest))) for line in lines]


@lru_cache(maxsize=64)
def _font(points: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(points)


def _ink(text: str, points: int) -> tuple[NDArray[np.uint8], int]:
    """The text as coverage 0..255, cropped to its ink, and how far below the line's top the ink starts."""
    font = _font(points)
    left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
    sheet = Image.new("L", (max(right - left, 0) + 4, max(bottom - top, 0) + 4))
    ImageDraw.Draw(sheet).text((2 - left, 2 - top), text, fill=255, font=font)
    ink = np.asarray(sheet)
    rows, columns = np.flatnonzero(ink.max(axis=1) > _NOTHING), np.flatnonzero(ink.max(axis=0) > _NOTHING)
    if not rows.size:
        return np.zeros((0, 0), np.uint8), 0
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy(), int(rows[0]) - 2 + top


def _bold(ink: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Lead letters are thicker than print."""
    if not ink.size:
        return ink
    reach = max(1, round(size / 512))
    padded = np.pad(ink, reach)
    thick: NDArray[np.uint8] = cv2.dilate(padded, np.ones((reach + 1, reach + 1), np.uint8))
    return thick


def _turned(ink: NDArray[np.uint8], degrees: float) -> NDArray[np.uint8]:
    if not ink.size:
        return ink
    height, width = ink.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    grow_x, grow_y = abs(turn[0, 1]) * height, abs(turn[0, 1]) * width
    turn[:, 2] += (grow_x / 2, grow_y / 2)
    canvas = (int(width + grow_x) + 1, int(height + grow_y) + 1)
    turned: NDArray[np.uint8] = cv2.warpAffine(ink, turn, canvas, flags=cv2.INTER_LINEAR)
    return turned


def _placed(pixels: NDArray[np.uint16], ink: NDArray[np.uint8], left: int, top: int) -> _Stamp:
    """The ink at this place, or as near as the image has room for all of it."""
    height, width = pixels.shape
    left, top = max(min(left, width - ink.shape[1]), 0), max(min(top, height - ink.shape[0]), 0)
    ink = ink[: height - top, : width - left]
    x, y, across, down = cv2.boundingRect((ink > _NOTHING).astype(np.uint8)) if ink.size else (0, 0, 0, 0)
    box = (left + x, top + y, left + x + across, top + y + down)
    return _Stamp(ink[y : y + down, x : x + across], box)


def _under(pixels: NDArray[np.uint16], box: Box, edge: int = 0) -> NDArray[np.uint16]:
    left, top, right, bottom = box
    return pixels[max(top - edge, 0) : bottom + edge, max(left - edge, 0) : right + edge]


def _readable(pixels: NDArray[np.uint16], stamps: Sequence[_Stamp], value: int) -> bool:
    """Whether the ink stands out from what lies under each line."""
    return all(
        value - float(np.percentile(_under(pixels, stamp.box), 90)) > _CONTRAST for stamp in stamps if stamp.ink.size
    )


def _lay_plate(pixels: NDArray[np.uint16], box: Box) -> None:
    if box[0] < box[2]:
        _under(pixels, box, edge=max(2, round(pixels.shape[0] / 200)))[:] = 0


def _blend(pixels: NDArray[np.uint16], stamp: _Stamp, value: int) -> None:
    patch = _under(pixels, stamp.box)
    share = stamp.ink * np.float32(1 / 255)
    patch[:] = np.where(stamp.ink > _NOTHING, np.rint(patch * (1 - share) + value * share), patch)

"""Things on a film that are no text but have its edges: implants, cables, clothing, the table, gas and bones.

`draw_devices` lays several of them over a real film as X-rays would: each is a map of thickness, which brightens (gas
darkens) what lies under it towards a ceiling, softly at its rim. Sizes are shares of the film's shorter side. They are
the hard negatives that the decision about text is trained and chosen on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Gray = NDArray[np.uint8]
Points = NDArray[np.float64]  # (x, y) in rows
FEWEST, MOST = 2, 6  # devices on a film
FAINTEST = 0.01  # thickness that leaves a pixel as it was
SUBPIXELS = 4  # bits of a pixel's fraction, as OpenCV takes coordinates


def draw_devices(image: Gray, rng: np.random.Generator) -> Gray:
    """A copy of the film with a few devices of different kinds on it."""
    kinds = rng.choice(sorted(KINDS), int(rng.integers(FEWEST, MOST + 1)), replace=False)
    for kind in kinds:
        image = draw_device(str(kind), image, rng)
    return image


def draw_device(kind: str, image: Gray, rng: np.random.Generator) -> Gray:
    """A copy of the film with one device; every pixel it does not lie over is as before."""
    return laid_over(image, thickness_of(kind, (image.shape[0], image.shape[1]), rng), rng)


def thickness_of(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """How much of a device X-rays pass at each pixel: above zero brighter, below zero darker than the film alone."""
    sheet = Sheet.of(shape)
    KINDS[kind](sheet, rng)
    soft = sheet.unit * rng.uniform(0.0005, 0.0022)
    whole = cv2.GaussianBlur(sheet.thickness, (0, 0), max(0.35, soft)) * rng.uniform(0.7, 1.3)
    whole[np.abs(whole) < FAINTEST] = 0
    return np.asarray(whole, np.float32)


def laid_over(image: Gray, thickness: NDArray[np.float32], rng: np.random.Generator) -> Gray:
    light = image.astype(np.float32) / 255
    ceiling = min(1.0, rng.uniform(0.9, 1.05) * max(float(np.percentile(image, 99.5)) / 255, 0.6))
    grain = 1 + 0.04 * rng.standard_normal(image.shape, np.float32)
    passed = np.exp(-np.abs(thickness * grain))
    bright = light + (np.maximum(ceiling, light) - light) * (1 - passed)
    changed = np.where(thickness > 0, bright, light * passed)
    return np.rint(255 * changed.clip(0, 1)).astype(np.uint8)


@dataclass(frozen=True)
class Sheet:
    """Thickness of what was drawn so far, on a film `across` by `down` shorter sides of `unit` pixels."""

    thickness: NDArray[np.float32]
    unit: float
    across: float
    down: float

    @classmethod
    def of(cls, shape: tuple[int, int]) -> Sheet:
        unit = min(shape)
        return cls(np.zeros(shape, np.float32), unit, shape[1] / unit, shape[0] / unit)

    def at(self, x: float, y: float, size: float = 1.0, angle: float = 0.0, *, mirrored: bool = False) -> Place:
        return Place(self, x, y, size, angle, mirrored)

    def add(self, points: Points, width: float, dense: float) -> None:
        """A line of a width in pixels through the points, or the area inside where the width is zero."""
        margin = int(width) + 3
        low = np.maximum(np.floor(points.min(0)) - margin, 0).astype(int)
        high = np.minimum(np.ceil(points.max(0)) + margin, self.thickness.shape[::-1]).astype(int)
        if (high <= low).any():
            return
        part = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        corners = [np.rint((points - low) * (1 << SUBPIXELS)).astype(np.int32)]
        if width:
            cv2.polylines(part, corners, False, 255, max(1, round(width)), cv2.LINE_AA, SUBPIXELS)
            dense *= min(1.0, width)
        else:
            cv2.fillPoly(part, corners, 255, cv2.LINE_AA, SUBPIXELS)
        self.thickness[low[1] : high[1], low[0] : high[0]] += part * np.float32(dense / 255)


@dataclass(frozen=True)
class Place:
    """Where a device stands: its own coordinates, scaled, turned and moved onto the film."""

    sheet: Sheet
    x: float
    y: float
    size: float
    angle: float
    mirrored: bool

    def on_film(self, points: ArrayLike) -> Points:
        """In shorter sides of the film."""
        local = np.array(points, np.float64).reshape(-1, 2)
        if self.mirrored:
            local[:, 0] *= -1
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return np.asarray(local @ np.array([[cos, sin], [-sin, cos]]) * self.size + (self.x, self.y))

    def line(self, points: ArrayLike, width: float, dense: float, *, closed: bool = False) -> None:
        drawn = self.on_film(points)
        drawn = np.vstack([drawn, drawn[:1]]) if closed else drawn
        self.sheet.add(drawn * self.sheet.unit, max(width * self.size * self.sheet.unit, 0.15), dense)

    def area(self, points: ArrayLike, dense: float) -> None:
        self.sheet.add(self.on_film(points) * self.sheet.unit, 0, dense)


def _curve(points: ArrayLike, steps: int = 14) -> Points:
    """A smooth line through the points (Catmull and Rom's)."""
    through = np.array(points, np.float64)
    through = np.vstack([2 * through[0] - through[1], through, 2 * through[-1] - through[-2]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(through, through[1:], through[2:], through[3:], strict=False)
    ]
    return np.vstack([*parts, through[-2:-1]])


def _oval(x: float, y: float, across: float, down: float, power: float = 1.0) -> Points:
    """An ellipse by its half axes; a power below one makes it a box with round corners."""
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    cos, sin = np.cos(turn), np.sin(turn)
    return np.stack(
        [x + across * np.sign(cos) * np.abs(cos) ** power, y + down * np.sign(sin) * np.abs(sin) ** power], 1
    )


def _box(left: float, top: float, right: float, bottom: float) -> Points:
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])


def _along(points: Points, every: float) -> tuple[Points, NDArray[np.float64]]:
    """Places at equal distances on a line, and its direction at each."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    run = np.concatenate([[0], np.cumsum(steps)])
    at = np.arange(0, run[-1], every)
    ahead = np.minimum(at + every / 2, run[-1])
    here, there = (np.stack([np.interp(where, run, points[:, k]) for k in (0, 1)], 1) for where in (at, ahead))
    way = there - here
    return here, np.arctan2(way[:, 1], way[:, 0])


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _often(rng: np.random.Generator, share: float) -> bool:
    return bool(rng.random() < share)


def _side(sheet: Sheet, rng: np.random.Generator) -> float:
    """Left or right third of the film."""
    return sheet.across * (_between(rng, 0.1, 0.32) if _often(rng, 0.5) else _between(rng, 0.68, 0.9))


def _anywhere(sheet: Sheet, rng: np.random.Generator) -> tuple[float, float]:
    return sheet.across * _between(rng, 0.08, 0.92), sheet.down * _between(rng, 0.08, 0.92)


def _generator(sheet: Sheet, rng: np.random.Generator) -> None:
    """Pacemaker or defibrillator: can, battery, electronics, header with connectors, and leads to the heart."""
    x, y = _side(sheet, rng), sheet.down * _between(rng, 0.12, 0.42)
    if _often(rng, 0.12):
        y = sheet.down * _between(rng, 0.7, 0.9)
    size = _between(rng, 0.09, 0.19)
    place = sheet.at(x, y, size, _between(rng, -3.2, 3.2), mirrored=_often(rng, 0.5))
    wide, high, power = _between(rng, 0.42, 0.55), _between(rng, 0.36, 0.5), _between(rng, 0.45, 0.95)
    dense = _between(rng, 0.2, 1.3)
    place.area(_oval(0, 0, wide, high, power), dense)
    place.line(_oval(0, 0, wide, high, power), 0.02, 0.3 + dense / 2, closed=True)
    split = _between(rng, -0.15, 0.1)
    place.area(_oval(split - wide / 2, 0.03, wide * 0.42, high * 0.8, 0.5), _between(rng, 0.2, 0.7))
    place.line(_oval(split - wide / 2, 0.03, wide * 0.42, high * 0.8, 0.5), 0.015, 0.4, closed=True)
    for _ in range(int(rng.integers(2, 12))):  # chips, capacitors and what joins them
        a, b = _between(rng, split, wide * 0.6), _between(rng, -high * 0.7, high * 0.5)
        w, h = _between(rng, 0.02, 0.16), _between(rng, 0.02, 0.12)
        place.area(_box(a, b, a + w, b + h), _between(rng, 0.15, 1.2))
        for pin in np.arange(a, a + w, 0.025) if _often(rng, 0.4) else ():
            place.line([(pin, b - 0.03), (pin, b)], 0.01, 0.8)
    if _often(rng, 0.5):  # the telemetry coil
        for ring in range(int(rng.integers(2, 5))):
            radius = 0.1 - 0.018 * ring
            place.line(_oval(wide * 0.45, high * 0.35, radius, radius), 0.008, 0.4, closed=True)
    if _often(rng, 0.5):
        for k in range(int(rng.integers(4, 9))):
            place.line([(split + 0.05 * k, high * 0.5), (split + 0.05 * k, high * 0.75)], 0.012, 0.4)
    head = -high - _between(rng, 0.16, 0.28)
    place.area(_oval(0.02, (head - high) / 2, wide * 0.9, (-head - high) / 2 + 0.03, 0.5), _between(rng, 0.12, 0.35))
    ports = int(rng.integers(1, 4))
    for k in range(ports):
        row = -high + (head + high) * (k + 0.5) / ports
        place.line([(-wide * 0.6, row), (wide * 0.6, row)], 0.05, _between(rng, 0.3, 0.8))
        for block in (-0.35, 0.15):
            place.area(_box(block * wide, row - 0.045, block * wide + 0.09, row + 0.045), _between(rng, 0.6, 1.5))
        start = _between(rng, -0.2, 0.2)
        place.line(_curve([(start, -high * 0.9), (start + 0.06, row + 0.06), (0, row)]), 0.014, 0.7)
    middle = sheet.across / 2
    inward = 1 if x < middle else -1
    for k in range(ports):
        exit_ = place.on_film([(wide * 1.1, -high + (head + high) * (k + 0.5) / ports)])[0]
        loop = place.on_film(
            [(wide * 1.3, high * 0.2), (0.1, high * 1.3), (-wide * 1.35, 0), (-wide * 0.6, -high * 1.9)]
        )
        vein = (middle - inward * _between(rng, 0.06, 0.12), sheet.down * _between(rng, 0.17, 0.3))
        heart = (middle + _between(rng, -0.06, 0.02), sheet.down * _between(rng, 0.45, 0.55))
        tip = (middle + _between(rng, -0.04, 0.24), sheet.down * _between(rng, 0.5, 0.78))
        turn = ((heart[0] + tip[0]) / 2, max(heart[1], tip[1]) + _between(rng, -0.02, 0.06))
        stops = [exit_, *(loop if _often(rng, 0.5) else loop[-1:]), vein, heart, turn, tip]
        _lead(sheet, _curve(stops), rng)


def _lead(sheet: Sheet, way: Points, rng: np.random.Generator) -> None:
    film = sheet.at(0, 0)
    width = _between(rng, 0.003, 0.006)
    film.line(way, width, _between(rng, 0.25, 0.6))
    film.line(way, width * 0.4, _between(rng, 0.2, 0.6))
    places, angles = _along(way, 0.012)
    for back in (1, 3, 4)[: int(rng.integers(1, 4))]:  # tip and rings
        if back < len(places):
            (x, y), angle = places[-back], angles[-back]
            sheet.at(x, y, 0.008, angle).line([(-0.6, 0), (0.6, 0)], 0.9, _between(rng, 1, 2))
    if _often(rng, 0.35):  # a coil for shocks
        first, last = sorted(rng.integers(2, max(4, len(places)), 2))
        for (x, y), angle in zip(*_along(way, 0.0035), strict=True):
            if np.hypot(*(places[first:last] - (x, y)).T).min(initial=1) < 0.008:
                sheet.at(x, y, 0.009, angle + 0.3).line([(0, -0.5), (0, 0.5)], 0.2, 0.9)


def _port(sheet: Sheet, rng: np.random.Generator) -> None:
    """A port's housing with its septum, and the catheter to the vena cava."""
    x, y = _side(sheet, rng), sheet.down * _between(rng, 0.18, 0.45)
    place = sheet.at(x, y, _between(rng, 0.05, 0.085), _between(rng, -3.2, 3.2))
    base = _oval(0, 0, 0.5, _between(rng, 0.36, 0.5), _between(rng, 0.6, 1.1))
    place.area(base, _between(rng, 0.1, 0.6))
    place.line(base, 0.04, _between(rng, 0.2, 0.8), closed=True)
    for radius in (0.33, 0.27, 0.2)[: int(rng.integers(1, 4))]:
        place.line(_oval(0, 0, radius, radius), _between(rng, 0.03, 0.08), _between(rng, 0.4, 1.3), closed=True)
    for angle in np.linspace(0, 2 * np.pi, int(rng.integers(3, 6)), endpoint=False):
        place.line(_oval(0.41 * np.cos(angle), 0.38 * np.sin(angle), 0.035, 0.035), 0.02, 0.5, closed=True)
    place.line([(0.45, 0), (0.75, 0)], 0.13, _between(rng, 0.6, 1.4))
    out = place.on_film([(0.75, 0)])[0]
    middle = sheet.across / 2
    vein = (middle + np.sign(x - middle) * _between(rng, 0.08, 0.14), sheet.down * _between(rng, 0.12, 0.22))
    way = _curve([out, vein, (middle - 0.05, sheet.down * 0.28), (middle - 0.06, sheet.down * 0.45)])
    _tube(sheet, way, _between(rng, 0.004, 0.007), rng)


def _tube(sheet: Sheet, way: Points, width: float, rng: np.random.Generator) -> None:
    """A hose: both walls, or one marking line, dashed over side holes."""
    film = sheet.at(0, 0)
    film.line(way, width, _between(rng, 0.08, 0.3))
    if _often(rng, 0.5):
        places, angles = _along(way, 0.01)
        across = np.stack([-np.sin(angles), np.cos(angles)], 1) * width / 2
        for wall in (places + across, places - across):
            film.line(wall, max(0.0012, width * 0.2), _between(rng, 0.2, 0.5))
    else:
        film.line(way[: len(way) * 3 // 4], width * 0.3, _between(rng, 0.4, 1.2))
        for start in range(len(way) * 3 // 4, len(way) - 2, 4):
            film.line(way[start : start + 3], width * 0.3, _between(rng, 0.4, 1.2))


def _tubes(sheet: Sheet, rng: np.random.Generator) -> None:
    """Airway and feeding tubes, drains and a central line."""
    middle = sheet.across * _between(rng, 0.44, 0.56)
    if _often(rng, 0.6):
        airway = _curve([(middle, -0.02), (middle + 0.01, 0.1), (middle, _between(rng, 0.2, 0.3))])
        _tube(sheet, airway, 0.02, rng)
    for _ in range(int(rng.integers(1, 4))):
        side = sheet.across * (0.03 if _often(rng, 0.5) else 0.97)
        stops = [(side, sheet.down * _between(rng, 0.2, 0.9)), *(_anywhere(sheet, rng) for _ in range(2))]
        _tube(sheet, _curve(stops), _between(rng, 0.004, 0.016), rng)


def _hose(sheet: Sheet, rng: np.random.Generator) -> None:
    """A corrugated ventilator hose: a ladder of rings."""
    stops = [_anywhere(sheet, rng) for _ in range(3)]
    stops[0] = (stops[0][0], -0.03)
    width = _between(rng, 0.02, 0.05)
    for (x, y), angle in zip(*_along(_curve(stops), width * _between(rng, 0.15, 0.3)), strict=True):
        sheet.at(x, y, width, angle).line([(0, -0.5), (0.06, 0), (0, 0.5)], 0.07, 0.25)


def _electrodes(sheet: Sheet, rng: np.random.Generator) -> None:
    """Snaps, clips and the wires that lead from them to the rim, in part bundled."""
    corner = (sheet.across * (1.02 if _often(rng, 0.5) else -0.02), sheet.down * _between(rng, 0.1, 1.0))
    knot = (sheet.across * _between(rng, 0.3, 0.7), sheet.down * _between(rng, 0.6, 0.95))
    bundled = _often(rng, 0.5)
    wide = _between(rng, 0.002, 0.005)
    kind, ring = int(rng.integers(3)), _between(rng, 0.008, 0.014)
    for k in range(int(rng.integers(2, 6))):
        x, y = _anywhere(sheet, rng)
        snap = sheet.at(x, y, ring, _between(rng, -3.2, 3.2))
        snap.area(_oval(0, 0, 1, 1), _between(rng, 0.2, 0.9))
        snap.line(_oval(0, 0, 0.9, 0.9), 0.2, 0.6, closed=True)
        snap.area(_oval(0, 0, 0.35, 0.35), _between(rng, 0.4, 1.2))
        if kind:
            snap.area(_oval(1.4, 0, 2.0, 0.9, 0.5), _between(rng, 0.1, 0.3))
            snap.line(_oval(1.4, 0, 2.0, 0.9, 0.5), 0.12, 0.25, closed=True)
        if kind == 2:
            snap.line([(1.2, -0.8), (2.6, 0.9), (3.3, 0.9)], 0.3, 0.7)
            snap.line([(1.2, 0.8), (2.6, -0.9), (3.3, -0.9)], 0.3, 0.7)
            snap.line(_oval(2, 0, 0.45, 0.45), 0.2, 0.6, closed=True)
        start = snap.on_film([(3.3 if kind else 1, 0)])[0]
        bend = start + snap.on_film([(5, 0)])[0] - (x, y)
        spread = 0.006 * k
        ends = [knot, ((knot[0] + corner[0]) / 2, (knot[1] + corner[1]) / 2 + spread), (corner[0], corner[1] + spread)]
        way = _curve([start, bend, *(ends if bundled else ends[-1:])])
        sheet.at(0, 0).line(way, wide, _between(rng, 0.2, 0.8))
        for (a, b), angle in zip(*_along(way, wide * 2.5), strict=True) if _often(rng, 0.3) else ():
            sheet.at(a, b, wide, angle + 0.7).line([(-0.6, 0), (0.6, 0)], 0.5, 0.35)  # braid
    if bundled:
        block = sheet.at(*knot, _between(rng, 0.03, 0.06), _between(rng, -3.2, 3.2))
        block.area(_oval(0, 0, 0.6, 0.3, 0.4), _between(rng, 0.15, 0.5))
        for pin in np.linspace(-0.45, 0.45, int(rng.integers(4, 9))):
            block.line([(pin, -0.2), (pin, 0.2)], 0.04, _between(rng, 0.5, 1.2))


def _connector(sheet: Sheet, rng: np.random.Generator) -> None:
    """A cable with its plug: rows of pins, a spring, strain relief."""
    x, y = _anywhere(sheet, rng)
    place = sheet.at(x, y, _between(rng, 0.04, 0.1), _between(rng, -3.2, 3.2))
    place.area(_oval(0, 0, 0.5, 0.16, 0.4), _between(rng, 0.1, 0.4))
    for row in (-0.08, 0.06)[: int(rng.integers(1, 3))]:
        for pin in np.linspace(-0.4, 0.35, int(rng.integers(5, 13))):
            place.line([(pin, row - 0.045), (pin, row + 0.045)], 0.022, _between(rng, 0.5, 1.3))
    for k in range(int(rng.integers(4, 9))):
        place.line([(0.52 + 0.05 * k, -0.1 + 0.008 * k), (0.54 + 0.05 * k, 0.1 - 0.008 * k)], 0.02, 0.5)
    end = (sheet.across * float(rng.choice((-0.02, 1.02))), sheet.down * _between(rng, 0, 1))
    sheet.at(0, 0).line(_curve([*place.on_film([(0.5, 0), (1.2, 0.1)]), end]), 0.006, _between(rng, 0.15, 0.5))


def _sternal_wires(sheet: Sheet, rng: np.random.Generator) -> None:
    """Loops and figures of eight down the midline, each with its twist."""
    middle, top = sheet.across * _between(rng, 0.44, 0.56), sheet.down * _between(rng, 0.15, 0.3)
    step, eight = sheet.down * _between(rng, 0.05, 0.085), _often(rng, 0.5)
    dense = _between(rng, 0.8, 2)
    for k in range(int(rng.integers(4, 8))):
        place = sheet.at(
            middle + _between(rng, -0.012, 0.012), top + k * step, _between(rng, 0.03, 0.05), _between(rng, -0.5, 0.5)
        )
        turn = np.linspace(0.15, 2 * np.pi - 0.1, 40)
        tall = _between(rng, 0.2, 0.55)
        loop = np.stack([0.5 * np.cos(turn), (tall * np.sin(2 * turn) if eight else tall * np.sin(turn))], 1)
        place.line(loop, _between(rng, 0.05, 0.08), dense)
        twist = np.linspace(0, _between(rng, 0.15, 0.4), 18)
        for phase in (0, np.pi):
            place.line(np.stack([0.5 + twist, 0.05 * np.sin(40 * twist + phase)], 1), 0.05, dense)


def _clips(sheet: Sheet, rng: np.random.Generator) -> None:
    """Surgical clips scattered or in a row, or a row of skin staples."""
    stops = [_anywhere(sheet, rng)]
    stops += [(stops[0][0] + _between(rng, -0.2, 0.2), stops[0][1] + _between(rng, -0.2, 0.2)) for _ in range(2)]
    places, angles = _along(_curve(stops), _between(rng, 0.012, 0.03))
    size, kind, dense = _between(rng, 0.008, 0.018), int(rng.integers(3)), _between(rng, 0.8, 2.2)
    for (x, y), angle in list(zip(places, angles, strict=True))[: int(rng.integers(4, 16))]:
        if kind == 0:
            clip = sheet.at(x + _between(rng, -0.02, 0.02), y + _between(rng, -0.02, 0.02), size, _between(rng, 0, 3.2))
            clip.line([(-0.5, 0), (0.5, 0)], _between(rng, 0.15, 0.3), dense)
        elif kind == 1:
            sheet.at(x, y, size, angle).line([(-0.1, 0.5), (-0.15, -0.5), (0.15, -0.5), (0.1, 0.5)], 0.16, dense)
        else:
            staple = sheet.at(x, y, size, angle + np.pi / 2)
            staple.line([(-0.3, 0.35), (-0.5, 0.35), (-0.5, 0), (0.5, 0), (0.5, 0.35), (0.3, 0.35)], 0.12, dense)


def _screw(place: Place, length: float, rng: np.random.Generator) -> None:
    """Along x from its head at the origin."""
    place.area(_oval(0, 0, 0.13, 0.13), _between(rng, 0.5, 1.3))
    place.line(_oval(0, 0, 0.1, 0.1), 0.04, 0.6, closed=True)
    place.line([(0, 0), (length, 0)], 0.1, _between(rng, 0.4, 0.9))
    for x in np.arange(0.15, length, 0.06):
        place.line([(x, -0.085), (x + 0.03, 0.085)], 0.025, 0.6)


def _rods(sheet: Sheet, rng: np.random.Generator) -> None:
    """Two rods along the spine with pedicle screws, hooks and links."""
    middle, half = sheet.across * _between(rng, 0.45, 0.55), _between(rng, 0.025, 0.05)
    top, bottom = sheet.down * _between(rng, 0, 0.5), sheet.down * _between(rng, 0.7, 1.05)
    bow, dense = _between(rng, -0.05, 0.05), _between(rng, 0.6, 1.6)
    rows = np.linspace(top, bottom, 24)
    spine = np.stack([middle + bow * np.sin(np.linspace(0, np.pi, 24)), rows], 1)
    for side in (-1, 1) if _often(rng, 0.8) else (1,):
        sheet.at(0, 0).line(np.add(spine, (side * half, 0)), _between(rng, 0.008, 0.014), dense)
        for x, y in _along(spine, _between(rng, 0.05, 0.09))[0]:
            if _often(rng, 0.8):
                screw = sheet.at(x + side * half, y, 0.1, _between(rng, -0.3, 0.3), mirrored=side > 0)
                _screw(screw, _between(rng, 0.35, 0.7), rng)
    for x, y in _along(spine, _between(rng, 0.15, 0.3))[0]:
        sheet.at(x, y).line([(-half, 0), (half, _between(rng, -0.005, 0.005))], 0.009, dense)


def _plate(sheet: Sheet, rng: np.random.Generator) -> None:
    """A bone plate with holes, some with screws."""
    x, y = _anywhere(sheet, rng)
    if _often(rng, 0.6):
        y = sheet.down * _between(rng, 0.03, 0.25)
    place = sheet.at(x, y, _between(rng, 0.12, 0.28), _between(rng, -3.2, 3.2))
    half, dense, bow = _between(rng, 0.03, 0.06), _between(rng, 0.5, 1.3), _between(rng, -0.1, 0.1)
    along = np.linspace(-0.5, 0.5, 20)
    middle = np.stack([along, bow * np.cos(np.pi * along)], 1)
    place.area(np.vstack([np.add(middle, (0, -half)), np.add(middle[::-1], (0, half))]), dense)
    for hole, height in zip(*(middle[2:-1:3].T), strict=True):
        place.area(_oval(hole, height, half * 0.6, half * 0.6), -dense)
        if _often(rng, 0.7):
            place.area(_oval(hole, height, half * 0.7, half * 0.7), dense)
            for bar in (_box(-0.3, -0.07, 0.3, 0.07), _box(-0.07, -0.3, 0.07, 0.3)):
                place.area(bar * 2 * half + (hole, height), -0.3)
            tilt = sheet.at(*place.on_film([(hole, height)])[0], place.size, place.angle + _between(rng, 1, 2))
            tilt.line([(0, 0), (_between(rng, 0.05, 0.16), 0)], half * 0.4, 0.6)


def _valve(sheet: Sheet, rng: np.random.Generator) -> None:
    """Valve rings, with discs or struts, or the mesh of a stent."""
    for _ in range(int(rng.integers(1, 3))):
        x = sheet.across * _between(rng, 0.42, 0.68)
        place = sheet.at(x, sheet.down * _between(rng, 0.42, 0.72), _between(rng, 0.05, 0.1), _between(rng, -3.2, 3.2))
        tilt, dense = _between(rng, 0.12, 0.5), _between(rng, 0.5, 1.6)
        if _often(rng, 0.5):
            place.line(_oval(0, 0, 0.5, tilt), _between(rng, 0.04, 0.11), dense, closed=True)
            for part in (-0.15, 0.15):
                place.line([(-0.35, part * tilt), (0.35, part * tilt)], 0.04, dense / 2)
            for post in (-0.48, 0, 0.48) if _often(rng, 0.5) else ():
                place.line([(post, 0), (post * 0.9, -0.5)], 0.05, dense)
        else:
            cells, rows = int(rng.integers(4, 9)), int(rng.integers(2, 6))
            turn = np.linspace(0, 2 * np.pi, 2 * cells * 6)
            for row in range(rows):
                wave = np.abs((turn * cells / np.pi) % 2 - 1)
                for flip in (0, 1):
                    down = (row + (wave if flip else 1 - wave)) / rows * _between(rng, 0.95, 1.05) * 1.2 - 0.6
                    place.line(np.stack([0.4 * np.cos(turn), down + 0.1 * np.sin(turn)], 1), 0.018, dense * 0.7)


def _coils(sheet: Sheet, rng: np.random.Generator) -> None:
    """Embolisation coils: tangles of a spiral."""
    for _ in range(int(rng.integers(1, 5))):
        place = sheet.at(*_anywhere(sheet, rng), _between(rng, 0.015, 0.05), _between(rng, 0, 6.2))
        turn = np.linspace(0, _between(rng, 15, 70), 400)
        drift = np.cumsum(rng.normal(0, 0.02, (400, 2)), 0)
        spiral = np.stack([np.cos(turn) * 0.4, np.sin(turn * _between(rng, 0.9, 1.3)) * 0.35], 1)
        place.line(spiral + drift, _between(rng, 0.03, 0.07), _between(rng, 0.3, 0.9))


def _necklace(sheet: Sheet, rng: np.random.Generator) -> None:
    """A chain of links or beads round the neck, with a pendant."""
    middle, wide = sheet.across / 2 + _between(rng, -0.05, 0.05), _between(rng, 0.1, 0.22)
    lowest = sheet.down * _between(rng, 0.12, 0.4)
    way = _curve([(middle - wide, -0.02), (middle - wide * 0.7, lowest * 0.7), (middle, lowest)], 30)
    way = np.vstack([way, (way[::-1] - (middle, 0)) * (-1, 1) + (middle, 0)])
    size = _between(rng, 0.005, 0.016)
    kind, dense = int(rng.integers(3)), _between(rng, 0.4, 1.4)
    for k, ((x, y), angle) in enumerate(zip(*_along(way, size * _between(rng, 0.8, 1.4)), strict=True)):
        link = sheet.at(x, y, size, angle)
        if kind == 0:
            link.area(_oval(0, 0, 0.5, 0.5), dense)
        elif kind == 1:
            link.line(_oval(0, 0, 0.6, 0.35 if k % 2 else 0.12), 0.18, dense, closed=True)
        else:
            link.line([(-0.4, -0.3), (0.4, 0.3)], 0.3, dense)
    if _often(rng, 0.6):
        charm = sheet.at(middle, lowest + 0.02, _between(rng, 0.02, 0.05), _between(rng, -0.3, 0.3))
        if _often(rng, 0.5):
            charm.line([(0, -0.5), (0, 0.6)], 0.16, dense)
            charm.line([(-0.35, -0.12), (0.35, -0.12)], 0.16, dense)
        else:
            charm.area(_oval(0, 0.1, 0.4, 0.5), dense * 0.7)
            charm.line(_oval(0, 0.1, 0.32, 0.42), 0.06, dense, closed=True)


def _zipper(sheet: Sheet, rng: np.random.Generator) -> None:
    """Two rows of teeth and the slider."""
    x, tooth = sheet.across * _between(rng, 0.1, 0.9), _between(rng, 0.005, 0.011)
    stops = [
        (x + _between(rng, -0.04, 0.04), sheet.down * part)
        for part in (_between(rng, -0.05, 0.4), 0.5, _between(rng, 0.6, 1.05))
    ]
    dense = _between(rng, 0.4, 1.3)
    places, angles = _along(_curve(stops), tooth * _between(rng, 0.7, 1.1))
    for k, ((a, b), angle) in enumerate(zip(places, angles, strict=True)):
        sheet.at(a, b, tooth, angle).line([(0, 0.9 if k % 2 else -0.9), (0, 0)], 0.45, dense)
    slider = sheet.at(*places[0], tooth * 3, angles[0])
    slider.area(_oval(0, 0, 0.6, 0.45, 0.6), dense)
    slider.line(_oval(-1.2, 0, 0.9, 0.3, 0.6), 0.15, dense, closed=True)


def _clothing(sheet: Sheet, rng: np.random.Generator) -> None:
    """Buttons, press studs, hooks and eyes, strap sliders and underwires."""
    kind = int(rng.integers(4))
    dense = _between(rng, 0.25, 1.2)
    if kind == 0:
        x, size = sheet.across * _between(rng, 0.35, 0.65), _between(rng, 0.012, 0.024)
        for row in np.arange(_between(rng, 0.05, 0.2), 1, _between(rng, 0.1, 0.2)):
            button = sheet.at(x + _between(rng, -0.01, 0.01), sheet.down * row, size, _between(rng, 0, 3))
            button.area(_oval(0, 0, 0.5, 0.5), dense * 0.5)
            button.line(_oval(0, 0, 0.45, 0.45), 0.08, dense * 0.5, closed=True)
            for hole in ((-0.13, -0.13), (0.13, 0.13), (-0.13, 0.13), (0.13, -0.13))[: int(rng.choice((2, 4)))]:
                button.area(_oval(*hole, 0.07, 0.07), -dense * 0.4)
    elif kind == 1:
        for _ in range(int(rng.integers(1, 7))):
            stud = sheet.at(*_anywhere(sheet, rng), _between(rng, 0.012, 0.022))
            for radius in (0.5, 0.35, 0.18):
                stud.line(_oval(0, 0, radius, radius), 0.1, dense, closed=True)
    elif kind == 2:
        x, y = sheet.across * _between(rng, 0.4, 0.6), sheet.down * _between(rng, 0.4, 0.8)
        for k in range(int(rng.integers(2, 5))):
            hook = sheet.at(x, y + 0.022 * k, 0.02, _between(rng, -0.15, 0.15))
            hook.line(_curve([(-0.5, -0.2), (0.3, -0.2), (0.5, 0), (0.3, 0.2), (-0.5, 0.2)]), 0.09, dense)
            hook.line(_oval(-0.6, 0.25, 0.12, 0.12), 0.08, dense, closed=True)
            for column in range(int(rng.integers(1, 4))):
                hook.line(_curve([(1.2 + column, -0.3), (0.9 + column, 0), (1.2 + column, 0.3)]), 0.09, dense)
    else:
        for side in (-1, 1):
            x, y = sheet.across * (0.5 + side * _between(rng, 0.2, 0.3)), sheet.down * _between(rng, 0.55, 0.75)
            turn = np.linspace(0.1, np.pi - 0.1, 40)
            wire = np.stack([0.16 * np.cos(turn), 0.13 * np.sin(turn)], 1)
            sheet.at(x, y, 1, _between(rng, -0.3, 0.3)).line(wire, 0.004, dense)
            ring = sheet.at(x + 0.02 * side, sheet.down * _between(rng, 0.08, 0.3), 0.025, _between(rng, -0.4, 0.4))
            ring.line(_oval(0, 0, 0.5, 0.35, 0.5), 0.1, dense, closed=True)
            ring.line([(-0.5, 0), (0.5, 0)], 0.1, dense)


def _hairpins(sheet: Sheet, rng: np.random.Generator) -> None:
    """Pins with one straight and one wavy leg, and safety pins."""
    for _ in range(int(rng.integers(1, 5))):
        high = sheet.down * _between(rng, 0.01, 0.15 if _often(rng, 0.7) else 0.9)
        pin = sheet.at(sheet.across * _between(rng, 0.2, 0.8), high, _between(rng, 0.05, 0.1), _between(rng, 0, 6.2))
        along = np.linspace(0, 1, 60)
        wavy = np.stack([along, 0.05 + 0.025 * np.sin(18 * along) * (along > 0.3)], 1)
        dense = _between(rng, 0.6, 1.6)
        pin.line(np.vstack([wavy[::-1], _curve([(0, 0.05), (-0.06, 0), (0, -0.04)]), [(1, -0.03)]]), 0.03, dense)
        if _often(rng, 0.3):
            pin.line(_oval(-0.05, 0, 0.07, 0.07), 0.03, dense, closed=True)
            pin.area(_oval(1, 0.01, 0.1, 0.07), dense)


def _bed(sheet: Sheet, rng: np.random.Generator) -> None:
    """Rails, bars and bolts of a bed or stretcher, across or down the film."""
    upright = _often(rng, 0.5)
    length = (sheet.down if upright else sheet.across) * 1.2
    for _ in range(int(rng.integers(1, 4))):
        rim = _between(rng, 0.01, 0.14) if _often(rng, 0.7) else _between(rng, 0.2, 0.8)
        rim = 1 - rim if _often(rng, 0.5) else rim
        x, y = (sheet.across * rim, sheet.down / 2) if upright else (sheet.across / 2, sheet.down * rim)
        bar = sheet.at(x, y, 1, _between(rng, -0.06, 0.06) + (np.pi / 2 if upright else 0))
        wide = _between(rng, 0.008, 0.05)
        bar.line([(-length / 2, 0), (length / 2, 0)], wide, _between(rng, 0.1, 0.5))
        for wall in (-wide / 2, wide / 2):
            bar.line([(-length / 2, wall), (length / 2, wall)], _between(rng, 0.002, 0.005), _between(rng, 0.2, 0.6))
        for bolt in np.arange(-length / 2, length / 2, _between(rng, 0.08, 0.3)) if _often(rng, 0.6) else ():
            bar.area(_oval(bolt, 0, 0.3 * wide, 0.3 * wide), _between(rng, 0.3, 1.0))


def _gridlines(sheet: Sheet, rng: np.random.Generator) -> None:
    """The lines of a scatter grid or of a moiré, over the film or a part of it."""
    rows, columns = sheet.thickness.shape
    down, across = np.mgrid[0:rows, 0:columns].astype(np.float32)
    angle = _between(rng, -0.05, 0.05) + (np.pi / 2 if _often(rng, 0.5) else 0)
    place = down * np.cos(angle) + across * np.sin(angle)
    pitch = _between(rng, 2.3, max(4.0, 0.02 * sheet.unit))
    waves = np.sin(2 * np.pi * place / pitch) ** (3 if _often(rng, 0.5) else 1)
    fade = np.exp(-(((across / columns - rng.uniform()) / rng.uniform(0.2, 2)) ** 2))
    sheet.thickness[:] += _between(rng, 0.02, 0.08) * waves * fade


def _net(sheet: Sheet, rng: np.random.Generator) -> None:
    """A grid of squares or a calibration frame, drawn thin."""
    pitch, dense = _between(rng, 0.03, 0.15), _between(rng, 0.1, 0.6)
    film = sheet.at(0, 0, 1, _between(rng, -0.03, 0.03))
    for x in np.arange(_between(rng, 0, pitch), sheet.across, pitch):
        film.line([(x, 0), (x, sheet.down)], 0.0016, dense)
    for y in np.arange(_between(rng, 0, pitch), sheet.down, pitch):
        film.line([(0, y), (sheet.across, y)], 0.0016, dense)


def _shutters(sheet: Sheet, rng: np.random.Generator) -> None:
    """The collimator's edge: beyond it the film is dark, or white where it was inverted."""
    dense = _between(rng, 0.6, 5) * (1 if _often(rng, 0.3) else -1)
    for side in rng.choice(4, int(rng.integers(1, 4)), replace=False):
        depth, tilt = _between(rng, 0.01, 0.12), _between(rng, -0.02, 0.02)
        place = sheet.at(sheet.across / 2, sheet.down / 2, 1, side * np.pi / 2 + tilt)
        half = (sheet.down if side % 2 == 0 else sheet.across) / 2
        place.area(_box(-1.5, -1.5, 1.5, depth - half), dense)
        if _often(rng, 0.4):
            place.line([(-1.5, depth - half), (1.5, depth - half)], 0.003, _between(rng, 0.3, 1))


def _cassette(sheet: Sheet, rng: np.random.Generator) -> None:
    """Corner marks, crosses, arrows, triangles and notches that a cassette leaves at the rim."""
    size, dense, kind = _between(rng, 0.015, 0.05), _between(rng, 0.4, 2), int(rng.integers(4))
    inset = _between(rng, 0.02, 0.06)
    for x in (inset, sheet.across / 2, sheet.across - inset):
        for y in (inset, sheet.down / 2, sheet.down - inset):
            middle = x == sheet.across / 2, y == sheet.down / 2
            if all(middle) or (any(middle) and _often(rng, 0.5)) or _often(rng, 0.3):
                continue
            mark = sheet.at(x, y, size, np.pi / 2 * int(rng.integers(4)))
            if kind == 0:
                mark.line([(-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)], _between(rng, 0.08, 0.2), dense)
            elif kind == 1:
                mark.line([(-0.5, 0), (0.5, 0)], 0.1, dense)
                mark.line([(0, -0.5), (0, 0.5)], 0.1, dense)
            elif kind == 2:
                mark.area([(-0.4, 0.4), (0.4, 0.4), (0, -0.4)], dense)
            else:
                mark.line([(-0.6, 0), (0.5, 0), (0.2, -0.25), (0.5, 0), (0.2, 0.25)], 0.12, dense)


def _ruler(sheet: Sheet, rng: np.random.Generator) -> None:
    """Ticks at equal steps without digits, longer at every fifth and tenth."""
    upright = _often(rng, 0.6)
    rim = _between(rng, 0.01, 0.08) if _often(rng, 0.8) else 0.5
    rim = 1 - rim if _often(rng, 0.5) else rim
    x, y = (sheet.across * rim, sheet.down / 2) if upright else (sheet.across / 2, sheet.down * rim)
    place = sheet.at(x, y, 1, (np.pi / 2 if upright else 0) + _between(rng, -0.02, 0.02), mirrored=_often(rng, 0.5))
    step, long, dense = _between(rng, 0.006, 0.03), _between(rng, 0.01, 0.03), _between(rng, 0.4, 2)
    ticks = int(rng.integers(10, 1 + int(min(1.0 / step, 80))))
    start, thin = -step * ticks * _between(rng, 0.3, 0.7), _between(rng, 0.0012, 0.004)
    for k in range(ticks):
        share = 1 if k % 10 == 0 else 0.75 if k % 5 == 0 else 0.5
        place.line([(start + k * step, 0), (start + k * step, long * share)], thin, dense)
    if _often(rng, 0.6):
        place.line([(start, 0), (start + (ticks - 1) * step, 0)], thin, dense)


def _gas(sheet: Sheet, rng: np.random.Generator) -> None:
    """Bubbles of bowel gas below the diaphragm, with walls and haustra."""
    x0, y0 = _side(sheet, rng), sheet.down * _between(rng, 0.75, 0.97)
    for _ in range(int(rng.integers(3, 14))):
        x, y = x0 + _between(rng, -0.16, 0.16), y0 + _between(rng, -0.07, 0.07)
        place = sheet.at(x, y, _between(rng, 0.02, 0.09), _between(rng, -0.7, 0.7))
        bubble = _oval(0, 0, 0.5, _between(rng, 0.25, 0.5), _between(rng, 0.6, 1.1))
        place.area(bubble, -_between(rng, 0.08, 0.4))
        place.line(bubble, 0.06, _between(rng, 0.02, 0.15), closed=True)
        for fold in rng.uniform(-0.4, 0.4, int(rng.integers(0, 4))):
            place.line(_curve([(fold, -0.3), (fold + 0.03, 0), (fold, 0.2)]), 0.05, _between(rng, 0.05, 0.2))


def _bones(sheet: Sheet, rng: np.random.Generator) -> None:
    """Vertebrae as a ladder of plates with pedicles, or ribs as curved bands."""
    faint = _between(rng, 0.04, 0.2)
    if _often(rng, 0.6):
        high = _between(rng, 0.045, 0.08)
        x = sheet.across * _between(rng, 0.45, 0.55)
        for k in range(int(rng.integers(3, 13))):
            place = sheet.at(x + _between(rng, -0.004, 0.004), sheet.down * 0.05 + k * high, high, rng.normal(0, 0.03))
            body = _oval(0, 0, 0.7, 0.4, 0.4)
            place.area(body, faint * 0.5)
            for plate in (-0.4, 0.4):
                place.line([(-0.62, plate), (0.62, plate)], 0.07, faint)
            for side in (-0.42, 0.42):
                place.line(_oval(side, -0.08, 0.1, 0.16), 0.06, faint, closed=True)
            place.line(_curve([(0, -0.1), (0.04, 0.2), (0, 0.5)]), 0.1, faint)
    else:
        side = 1 if _often(rng, 0.5) else -1
        for k in range(int(rng.integers(3, 9))):
            place = sheet.at(sheet.across / 2, sheet.down * (0.08 + 0.085 * k), 1, mirrored=side < 0)
            rib = _curve([(0.05, 0), (0.2, -0.01 + 0.01 * k), (0.33, 0.1), (0.36, 0.2)])
            place.line(rib, 0.025, faint * 0.6)
            for wall in (-0.012, 0.012):
                place.line(np.add(rib, (0, wall)), 0.004, faint)


def _barium(sheet: Sheet, rng: np.random.Generator) -> None:
    """Contrast medium: a filled bowel with haustra, flecks of it, or a swallow."""
    x, y = _side(sheet, rng), sheet.down * _between(rng, 0.7, 0.95)
    stops = [(x, y)] + [(x + _between(rng, -0.2, 0.2), y + _between(rng, -0.12, 0.12)) for _ in range(2)]
    dense, size = _between(rng, 0.3, 1.6), _between(rng, 0.02, 0.06)
    for a, b in _along(_curve(stops), size * 0.7)[0]:
        wide = size * _between(rng, 0.7, 1.2)
        sheet.at(a, b).area(_oval(0, 0, wide * 0.55, wide * 0.5), dense)
        for _ in range(int(rng.integers(0, 5))):
            fleck = sheet.at(a + rng.normal(0, size), b + rng.normal(0, size), _between(rng, 0.003, 0.01))
            fleck.area(_oval(0, 0, 1, _between(rng, 0.3, 1)), dense)


def _fragments(sheet: Sheet, rng: np.random.Generator) -> None:
    """Shot, splinters and calcified nodes: bright specks alone or in a cluster."""
    x, y = _anywhere(sheet, rng)
    spread, dense = _between(rng, 0.01, 0.2), _between(rng, 0.4, 2.2)
    for _ in range(int(rng.integers(3, 25))):
        speck = sheet.at(
            x + rng.normal(0, spread), y + rng.normal(0, spread), _between(rng, 0.002, 0.01), _between(rng, 0, 6)
        )
        speck.area(_oval(0, 0, 1, _between(rng, 0.3, 1), _between(rng, 0.5, 1.2)), dense)


Drawing = Callable[[Sheet, np.random.Generator], None]
KINDS: dict[str, Drawing] = {
    "barium": _barium,
    "bed": _bed,
    "bones": _bones,
    "cassette": _cassette,
    "clips": _clips,
    "clothing": _clothing,
    "coils": _coils,
    "connector": _connector,
    "electrodes": _electrodes,
    "fragments": _fragments,
    "gas": _gas,
    "generator": _generator,
    "gridlines": _gridlines,
    "hairpins": _hairpins,
    "hose": _hose,
    "necklace": _necklace,
    "net": _net,
    "plate": _plate,
    "port": _port,
    "rods": _rods,
    "ruler": _ruler,
    "shutters": _shutters,
    "sternal wires": _sternal_wires,
    "tubes": _tubes,
    "valve": _valve,
    "zipper": _zipper,
}

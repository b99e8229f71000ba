"""Body, lungs, heart, airways and stomach as lengths of tissue and of air along the beam, in cm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.radiograph.anatomy import SIDES
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, band, clouds, fill, points, smooth
from medveil.cohort.phantom.radiograph.chest import SPINE_DEPTH, Chest
from medveil.cohort.phantom.radiograph.pose import Pose

_PER_CM = 64
_HIGHEST = 40  # cm above and below the middle of the film
_LEVELS = np.arange(-_HIGHEST * _PER_CM, _HIGHEST * _PER_CM) / _PER_CM  # cm
_FAT_CELLS, _FAT_REACH = 96, 24.0  # a square of so many cells reaches so many cm from the midline


@dataclass(frozen=True)
class Grid:
    """Where in the chest each beam passes, in cm."""

    x: Floats
    y: Floats

    @cached_property
    def _level(self) -> NDArray[np.intp]:
        # floor of the exact product: the same as counting from the highest level in double precision
        at = np.floor(self.y * np.float32(_PER_CM)).astype(np.intp)
        at += _HIGHEST * _PER_CM
        return np.clip(at, 0, len(_LEVELS) - 1, out=at)

    def by_level(self, table: Floats) -> Floats:
        """A function of the level alone, given at _LEVELS: far cheaper than computing it for each beam."""
        return table.astype(np.float32).take(self._level)


def body(chest: Chest, grid: Grid) -> Floats:
    """Trunk, neck, arms and breasts: how much of the beam's way lies in the body."""
    a, x, y = chest.anatomy, grid.x, grid.y
    fat = 1.0 + 0.5 * a.build
    slope = a.apex - 1.6
    side = a.half_width + 2.1 + 0.9 * fat + max(a.flank, -1.2)
    levels = points((-30, slope - 5, slope - 1.5, slope, slope + 1.6, slope + a.shoulder_fall, slope + 9, 6, 13, 30))[0]
    widths = points(
        (
            a.neck,
            a.neck * 0.93,
            a.neck * 1.1,
            a.neck + 3.2,
            a.shoulder - 5,
            a.shoulder - 1.5,
            side + 1.5,
            side,
            side - 0.4 + 0.6 * fat,
            side + 1,
        )
    )[0]
    depths = points((11, 10.5, 10, 9.5, 10, 12, 16.5, 20.0, 20.5, 21))[0] * np.float32(1 + 0.1 * a.build)
    half, depth = (grid.by_level(np.interp(_LEVELS, levels, table)) for table in (widths, depths))
    out = np.abs(x)
    out /= half
    trunk = out * out
    trunk *= np.sqrt(out)
    np.subtract(1, trunk, out=trunk)
    np.maximum(trunk, 0, out=trunk)
    np.sqrt(trunk, out=trunk)
    trunk *= depth
    for sign in SIDES:
        shoulder = (sign * (a.shoulder - 2.8), slope + a.shoulder_fall + 0.4)
        elbow = (sign * (a.shoulder + 1.4 * a.arm_out[int(sign > 0)]), slope + 38)
        np.maximum(trunk, _limb(x, y, shoulder, elbow, 4.6 + 0.5 * fat), out=trunk)
    trunk += _breasts(chest, x, y)
    return trunk


def fat(chest: Chest, grid: Grid) -> Floats:
    """How uneven fat and muscle are: about unit spread, moving with the body."""
    cells = _FAT_CELLS / (2 * _FAT_REACH)
    u, v = (grid.x + _FAT_REACH) * np.float32(cells), (grid.y + _FAT_REACH) * np.float32(cells)
    uneven: Floats = cv2.remap(_fat(chest.anatomy.texture_key), u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return uneven


@lru_cache(maxsize=16)
def _fat(key: int) -> Floats:
    return clouds(np.random.default_rng([key, 2]), (_FAT_CELLS, _FAT_CELLS), 16, 4, 0.62)


def _limb(x: Floats, y: Floats, start: tuple[float, float], end: tuple[float, float], radius: float) -> Floats:
    dx, dy = end[0] - start[0], end[1] - start[1]
    from_x, from_y = x - start[0], y - start[1]
    along = from_x * dx
    along += from_y * dy
    along /= dx * dx + dy * dy
    np.clip(along, 0, 1, out=along)
    from_x -= along * dx
    from_y -= along * dy
    thick = np.subtract(radius**2, np.square(from_x, out=from_x), out=from_x)
    thick -= np.square(from_y, out=from_y)
    np.maximum(thick, 0, out=thick)
    np.sqrt(thick, out=thick)
    thick *= 2
    return thick


def _breasts(chest: Chest, x: Floats, y: Floats) -> Floats:
    """Half ellipsoids with a crisp lower edge; in men the pectoral muscle, which has none."""
    a = chest.anatomy
    size, level, out = a.breast
    if not a.female:
        muscle = np.exp(-(((np.abs(x) - 8.5) / 4.2) ** 2) - ((y + 6.5) / 4.0) ** 2)
        return (1.6 + 0.5 * a.build) * muscle
    wide, tall = 5.0 + 0.4 * size, 4.2 + 0.75 * size
    up = np.where(y < level, 1.5, 1.0).astype(np.float32)
    inside = 1 - ((np.abs(x) - out) / wide) ** 2 - ((y - level) / (tall * up)) ** 2
    return 0.9 * size * np.sqrt(np.maximum(inside, 0))


def lung_depth(chest: Chest, grid: Grid) -> Floats:
    """How much lung the beam crosses if nothing else is in the way: less at the walls and the apex."""
    rise = np.clip((_LEVELS - chest.anatomy.apex) / 11, 0, 1)
    out = np.abs(grid.x)
    out /= grid.by_level(chest.wall(_LEVELS) + 0.15)
    depth = out * out
    depth *= out
    np.subtract(1, depth, out=depth)
    np.maximum(depth, 0, out=depth)
    np.sqrt(depth, out=depth)
    depth *= grid.by_level(5.5 + 9.5 * np.sqrt(rise))
    return depth


def core(chest: Chest, pose: Pose, grid: Grid) -> Floats:
    """Spine and what lies along it: no lung in the midline, fading sideways."""
    spine = grid.by_level(chest.spine(_LEVELS) + SPINE_DEPTH * math.sin(math.radians(pose.rotation)))
    away = np.abs(grid.x - spine)
    away *= np.float32(1 / 2.15)
    thick = away * away
    thick *= away
    np.negative(thick, out=thick)
    np.exp(thick, out=thick)
    thick *= 16
    return thick


def lung_layers(chest: Chest, pose: Pose) -> tuple[Layer, Layer]:
    """Right and left lung field, 0..255, each on its own layer."""
    layers = []
    for side in SIDES:
        layer = np.zeros((pose.size, pose.size), np.uint8)
        fill(layer, pose.project(chest.lung(side)), 255)
        layers.append(layer)
    return layers[0], layers[1]


def solid(layer: Layer, scale: float, rounding: float) -> Floats:
    """Thickness 0..1 of a rounded body with this silhouette: grows over `rounding` cm from its edge."""
    inside = (layer > 127).astype(np.uint8)
    far = cv2.distanceTransform(inside, cv2.DIST_L2, 3)
    far *= np.float32(1 / (scale * rounding))
    near = np.clip(np.subtract(1, far, out=far), 0, 1, out=far)
    round_ = np.subtract(1, np.square(near, out=near), out=near)
    rounded: Floats = cv2.GaussianBlur(np.sqrt(round_, out=round_), (0, 0), 0.9)
    return rounded


def carina(chest: Chest) -> float:
    """The level where the windpipe divides."""
    a = chest.anatomy
    return a.knob[1] + 2.6 - 0.3 * a.excursion * (1 - chest.breath)


def windpipe(chest: Chest) -> Floats:
    """Its middle line from the neck to the carina."""
    a = chest.anatomy
    y = np.linspace(a.apex - 6, carina(chest), 16, dtype=np.float32)
    x = 0.6 * chest.spine(y) - a.trachea[1] * np.clip((y - a.apex) / 6, 0, 1)
    return np.stack([x, y, np.linspace(3.5, -0.5, 16, dtype=np.float32)], axis=1)


def draw_airways(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Windpipe and main bronchi."""
    pipe = windpipe(chest)
    x, y = (float(part) for part in pipe[-1, :2])
    band(layer, pose.project(pipe), 2 * chest.anatomy.trachea[0] * pose.scale, 255)
    taper = 1.25 * pose.scale * np.linspace(1, 0.75, 10, dtype=np.float32)
    for side, drop, reach in ((-1, 2.6, 3.4), (1, 2.2, 4.4)):
        branch = points((x, y - 0.6, -0.5), (x + side * 1.5, y + 0.9, -0.8), (x + side * reach, y + drop, -1))
        band(layer, pose.project(smooth(branch, 10)), taper, 200)


def draw_stomach(layer: Layer, chest: Chest, pose: Pose, rng: np.random.Generator) -> None:
    """The gas bubble under the left dome with its flat fluid level, and now and then gas in the bowel."""
    if rng.random() < 0.8:
        wide, tall = rng.uniform(1.3, 3.4), rng.uniform(0.7, 2.2)
        x = rng.uniform(4.2, 7.5)
        y = float(chest.dome_curve(1, np.asarray([x], np.float32))[0]) + 0.7
        knots = points(
            (-wide, tall),
            (-0.8 * wide, 0.3 * tall),
            (0, 0),
            (0.8 * wide, 0.25 * tall),
            (wide, tall),
            (0, tall * rng.uniform(1.0, 1.5)),
        )
        outline = smooth(knots, 30, closed=True) + points((x, y))
        fill(layer, pose.project(np.concatenate([outline, np.zeros((30, 1), np.float32)], axis=1)), 230)
    for _ in range(int(rng.integers(0, 4))):
        angle = np.linspace(0, 2 * np.pi, 9, endpoint=False)
        radius = rng.uniform(0.4, 1.3) * rng.uniform(0.7, 1.2, 9)
        centre = (rng.uniform(3, 11), chest.domes[1] + rng.uniform(3.5, 7))
        knots = np.stack([centre[0] + 1.3 * radius * np.cos(angle), centre[1] + radius * np.sin(angle), 0 * angle], 1)
        fill(layer, pose.project(smooth(knots.astype(np.float32), 30, closed=True)), int(rng.integers(60, 150)))

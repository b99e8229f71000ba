"""Ribs, spine, collar bones, shoulder blades and arms, drawn as hollow bones on 8-bit layers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.anatomy import RIBS, SIDES
from medveil.cohort.phantom.brush import band, fill, points, smooth, stroke, tube
from medveil.cohort.phantom.chest import Chest
from medveil.cohort.phantom.pose import Pose

Floats = NDArray[np.float32]
Layer = NDArray[np.uint8]
# a rib is a flat band: seen edge-on at the side of the chest it looks thin
_BEHIND = smooth(points((0.75,), (0.95,), (1.0,), (0.85,), (0.5,)), 28)[:, 0]
_BEFORE = smooth(points((0.5,), (0.9,), (1.1,), (1.15,), (1.25,)), 28)[:, 0]


def draw_ribs(back: Layer, front: Layer, chest: Chest, pose: Pose) -> None:
    """The parts of the ribs behind and before the lungs, each on its layer, for the two overlap."""
    a, scale = chest.anatomy, pose.scale
    for side in SIDES:
        for number in range(1, RIBS + 1):
            wide = a.rib_width * (1 + float(a.rib_jitter[int(side > 0), number - 1, 2])) * scale
            end = chest.rib_end(number)
            behind = pose.project(chest.rib(side, number, 4, min(96, end)))
            tube(back, behind, wide * _BEHIND, 92, 165, 0.12 * scale)
            if end > 100 and number < 11:
                before = pose.project(chest.rib(side, number, 84, end))
                tube(front, before, wide * _BEFORE, 84, 135, 0.12 * scale)


def draw_spine(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Vertebral bodies with end plates, pedicles and spinous processes, from the neck to the loins."""
    a, scale = chest.anatomy, pose.scale
    first = a.apex + 0.2 - 4 * a.vertebra * 0.9
    levels = first + a.vertebra * 0.95 * np.arange(20, dtype=np.float32)
    middle = chest.spine(levels)
    for level, x in zip(levels, middle, strict=True):
        grow = 0.78 + 0.22 * float(np.clip((level - a.apex) / 18, 0, 1.2))
        half, tall = a.spine_width * grow / 2, a.vertebra * 0.40
        body = points(
            (x - half, level - tall, -5),
            (x - half * 0.86, level, -5),
            (x - half, level + tall, -5),
            (x + half, level + tall, -5),
            (x + half * 0.86, level, -5),
            (x + half, level - tall, -5),
        )
        outline = pose.project(body)
        fill(layer, outline, 150)
        stroke(layer, [outline], 178, 0.16 * scale, closed=True)
        for sign in SIDES:
            centre = pose.project(points((x + sign * half * 0.62, level - tall * 0.25, -6.5)))[0]
            _ring(layer, centre, 0.3 * scale, 0.45 * scale, 190, 0.14 * scale)
            tip = points((x + sign * half * 0.6, level - 0.2, -7.5), (x + sign * (half + 0.9), level - 0.5, -8))
            if level < 10:
                band(layer, pose.project(tip), 0.7 * scale, 45)
        spinous = pose.project(points((x, level + tall * 0.9, -9.5)))[0]
        _ring(layer, spinous, 0.22 * scale, 0.42 * scale, 200, 0.18 * scale)


def _ring(layer: Layer, centre: Floats, half_x: float, half_y: float, value: int, width: float) -> None:
    angle = np.linspace(0, 2 * np.pi, 14, endpoint=False, dtype=np.float32)
    stroke(layer, [centre + np.stack([half_x * np.cos(angle), half_y * np.sin(angle)], 1)], value, width, closed=True)


def clavicle(chest: Chest, side: int, lift: float) -> Floats:
    """The collar bone's middle line from the sternum to the shoulder."""
    a = chest.anatomy
    rise, bow, _, inner = (float(part) for part in a.clavicle[int(side > 0)])
    top = a.apex + 3.4 + inner
    knots = points(
        (1.6, top, 6.5),
        (4.5, top - 0.9 - 0.2 * rise + bow * 0.5, 6.8),
        (8.5, top - 1.3 - 0.6 * rise - bow * 0.3, 4.5),
        (12.5, top - 1.2 - rise - bow * 0.2 - lift, 1.5),
        (a.shoulder - 3.2, top - 0.7 - rise - lift, 0.5),
    )
    return smooth(knots, 28) * np.asarray((side, 1, 1), np.float32)


def draw_shoulders(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Collar bones, shoulder blades and upper arms. On AP films the shoulder blades lie over the lungs."""
    a, scale = chest.anatomy, pose.scale
    over = 2.6 if pose.view == "AP" else 0.0
    for side in SIDES:
        flip = np.asarray((side, 1, 1), np.float32)
        thick = float(a.clavicle[int(side > 0), 2])
        wide = thick * scale * smooth(points((1.55,), (1.05,), (0.85,), (0.9,), (1.2,)), 28)[:, 0]
        tip, low, turn = (float(part) for part in a.scapula[int(side > 0)])
        top = a.apex + 2.6 + 0.5 * tip
        edge = a.half_width + 0.4 - over
        blade = points(
            (edge - 1.6 + turn, top + 0.6, -7),
            (edge - 1.2 + turn, top + 5.5, -8),
            (edge + 0.2 + 0.5 * turn, top + 11.0 + low, -8),
            (edge + 1.4, top + 8.5, -7),
            (edge + 3.0, top + 4.2, -6),
            (a.shoulder - 3.2, top + 2.2, -4),
            (a.shoulder - 3.6, top + 0.8, -4),
            (edge + 0.6, top - 0.8, -6),
        )
        outline = pose.project(smooth(blade * flip, 56, closed=True))
        fill(layer, outline, 34)
        stroke(layer, [outline[10:38]], 100, 0.16 * scale)
        spine = pose.project(smooth(points((edge - 1.4 + turn, top + 1.8, -8), (edge + 1.6, top + 0.6, -8), (a.shoulder - 2.6, top - 1.0, -3)) * flip, 20))
        band(layer, spine, 0.7 * scale, 70)
        stroke(layer, [spine], 125, 0.14 * scale)
        _draw_arm(layer, chest, pose, side, top)
        tube(layer, pose.project(clavicle(chest, side, 0.8 if pose.view == "AP" else 0.0)), wide, 105, 185, 0.13 * scale)


def _draw_arm(layer: Layer, chest: Chest, pose: Pose, side: int, top: float) -> None:
    a, scale = chest.anatomy, pose.scale
    flip = np.asarray((side, 1, 1), np.float32)
    out = a.arm_out[int(side > 0)]
    shaft = points(
        (a.shoulder - 1.9, top + 0.4, -2),
        (a.shoulder - 1.2, top + 2.4, -2),
        (a.shoulder + 0.3 * out, top + 7.0, -2),
        (a.shoulder + 0.9 * out, top + 20.0, -2),
    )
    wide = smooth(points((3.9,), (3.6,), (2.2,), (2.1,)), 30)[:, 0] * scale
    line = pose.project(smooth(shaft * flip, 30))
    band(layer, line, wide, 70)
    head = line[2]
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False, dtype=np.float32)
    fill(layer, head + 2.1 * scale * np.stack([np.cos(angle), np.sin(angle)], 1), 80)
    tube(layer, line[9:], wide[9:], 70, 120, 0.3 * scale)

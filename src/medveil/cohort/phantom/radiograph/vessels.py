"""The tree of vessels in the lungs: grown once for a patient, moved with each breath."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.radiograph.anatomy import SIDES, Anatomy
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, band, ellipses, fill, points, smooth, stroke
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.pose import Pose

_STEPS = 6
_Half = tuple[NDArray[np.intp], float]  # the thinner or the wider branches of a generation, and their mean width
Tree = tuple[tuple[Floats, Floats, tuple[_Half, ...]], ...]
# for each generation: paths (n, steps, 3), widths at their start (n,), its two halves


@lru_cache(maxsize=16)
def _tree(key: int, side: int, hilum: tuple[float, float], reach: float, ends: tuple[float, float]) -> Tree:
    rng = np.random.default_rng([key, side + 1, 5])
    aims = np.deg2rad(np.asarray([-84, -66, -45, -20, 14, 38, 55, 70, 82, 96], np.float32))  # 0 outward, 90 down
    count = len(aims)
    angle: Floats = aims + rng.normal(0, 0.12, count)
    start: Floats = np.stack([hilum[0] + rng.normal(0, 0.3, count), hilum[1] + 1.8 * np.sin(aims) + 0.5], 1)
    depth: Floats = rng.uniform(-4, 4, count)
    lower = aims > 0.5
    width: Floats = rng.uniform(0.32, 0.6, count) * np.where(lower, 1.2, 0.75)
    length: Floats = rng.uniform(2.2, 4.4, count) * np.where(lower, 1.2, 1.0)
    generations = []
    for _ in range(4):
        paths = _walk(rng, start, angle, length)
        z = np.broadcast_to(depth[:, None, None], (*paths.shape[:2], 1))
        whole = np.concatenate([paths * (side, 1), z], axis=2).astype(np.float32)
        generations.append((whole, width.astype(np.float32), _halves(width.astype(np.float32))))
        start, angle, length, width, depth = _fork(rng, paths, length, width, depth)
        inside = (start[:, 0] > 2) & (start[:, 0] < reach) & (start[:, 1] > ends[0]) & (start[:, 1] < ends[1])
        start, angle, length, width, depth = (part[inside] for part in (start, angle, length, width, depth))
    return tuple(generations)


def _halves(widths: Floats) -> tuple[_Half, ...]:
    order = np.argsort(widths, kind="stable")
    return tuple((group, float(widths[group].mean())) for group in np.array_split(order, 2))


def _walk(rng: np.random.Generator, start: Floats, angle: Floats, length: Floats) -> Floats:
    """Slightly bent paths (n, steps, 2)."""
    bend = np.cumsum(rng.normal(0, 0.15, (len(angle), _STEPS - 1)), axis=1) + angle[:, None]
    stride = (length / (_STEPS - 1))[:, None]
    steps = np.stack([stride * np.cos(bend), stride * np.sin(bend)], axis=2)
    return np.concatenate([start[:, None], start[:, None] + np.cumsum(steps, axis=1)], axis=1).astype(np.float32)


def _fork(
    rng: np.random.Generator, paths: Floats, length: Floats, width: Floats, depth: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Two branches at each tip and, now and then, one on the way."""
    count = len(paths)
    sign = rng.choice((-1, 1), count)
    heading = paths[:, 1:] - paths[:, :-1]
    angles = np.arctan2(heading[..., 1], heading[..., 0])
    side = np.flatnonzero(rng.random(count) < 0.7)
    tip, way = np.arange(count), _STEPS // 2
    parent = np.concatenate([tip, tip, side])
    start = np.concatenate([paths[:, -1], paths[:, -1], paths[side, way]])
    turns = np.concatenate([0.3 * sign, -0.5 * sign, 0.9 * sign[side]]) + rng.normal(0, 0.14, len(parent))
    angle = np.concatenate([angles[:, -1], angles[:, -1], angles[side, way - 1]]) + turns
    share = np.repeat(((0.76, 0.9), (0.56, 0.75), (0.48, 0.65)), (count, count, len(side)), axis=0)
    shorter = length[parent] * share[:, 1] * rng.uniform(0.6, 1.25, len(parent))
    return start, angle, shorter, width[parent] * share[:, 0], depth[parent] + rng.normal(0, 1, len(parent))


def vessel_paths(anatomy: Anatomy, side: int) -> Tree:
    x, y = (float(part) for part in anatomy.hilum[int(side > 0)])
    ends = (anatomy.apex + 0.5, anatomy.dome[int(side > 0)] + 2)
    return _tree(anatomy.texture_key, side, (x, y), anatomy.half_width - 0.8, ends)


def _breathed(paths: Floats, chest: Chest) -> Floats:
    """The tree hangs from the apex and shortens when the diaphragm rises."""
    moved = paths.copy()
    moved[..., 1] = chest.anatomy.apex + (paths[..., 1] - chest.anatomy.apex) * chest.stretch
    return moved


def draw_vessels(layer: Layer, chest: Chest, pose: Pose) -> None:
    """All branches; wider and denser near the hilum."""
    a = chest.anatomy
    for side in SIDES:
        tree = vessel_paths(a, side)
        for generation, (paths, _, halves) in reversed(list(enumerate(tree))):
            flat = pose.project(_breathed(paths, chest))
            for group, width in halves:
                wide = width * pose.scale
                value = int(min(235, 25 + 330 * width))
                if generation < 2:
                    stroke(layer, flat[group, 3:], round(value * 0.85), wide * 0.7)
                    stroke(layer, flat[group, 1:4], round(value * 0.92), wide * 0.85)
                    stroke(layer, flat[group, :2], value, wide)
                else:
                    stroke(layer, flat[group], value, wide * 0.9)


def draw_bronchi(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Air-filled bronchi: the first branches of the tree."""
    for side in SIDES:
        for paths, widths, _ in vessel_paths(chest.anatomy, side)[:3]:
            stroke(layer, pose.project(_breathed(paths, chest)), 255, float(widths.mean()) * pose.scale)


def draw_granulomas(layer: Layer, chest: Chest, pose: Pose) -> None:
    """The patient's calcified granulomas."""
    a = chest.anatomy
    for one in a.granulomas:
        y = a.apex + one.down * (chest.domes[int(one.side > 0)] - a.apex)
        place = points((one.side * one.across * float(chest.wall(y)), y, 0))
        radius = one.radius * pose.scale
        fill(layer, ellipses(pose.project(place)[0], radius, 1.1 * radius), 235)


def draw_hila(layer: Layer, chest: Chest, pose: Pose) -> None:
    """The knots of great vessels where the lungs hang: soft, irregular, larger below."""
    a = chest.anatomy
    rng = np.random.default_rng([a.texture_key, 9])
    for side in SIDES:
        x, y = (float(part) for part in a.hilum[int(side > 0)])
        y = a.apex + (y - a.apex) * chest.stretch
        down = points((x - 1.7, y - 2.2, 0), (x + 0.1, y, 0), (x + 0.4, y + 2.0, 0), (x + 0.9, y + 4.6, 0))
        curve = smooth(down * points((side, 1, 1)), 16)
        band(layer, pose.project(curve), pose.scale * np.linspace(1.7, 0.9, 16, dtype=np.float32), 105)
        for _ in range(7):
            place = points((side * (x + rng.normal(0, 0.5)), y + rng.normal(0.3, 1.3), 0))
            radius = float(rng.uniform(0.35, 0.75)) * pose.scale
            fill(layer, ellipses(pose.project(place)[0], radius, 1.15 * radius), int(rng.integers(80, 190)))

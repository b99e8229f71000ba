"""The tree of vessels in the lungs: grown once for a patient, moved with each breath."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.anatomy import SIDES, Anatomy
from medveil.cohort.phantom.brush import band, fill, points, smooth, stroke
from medveil.cohort.phantom.chest import Chest
from medveil.cohort.phantom.pose import Pose

Floats = NDArray[np.float32]
Layer = NDArray[np.uint8]
_STEPS = 7
Tree = tuple[tuple[Floats, Floats], ...]  # for each generation: paths (n, steps, 3) and widths at their start (n,)


@lru_cache(maxsize=16)
def _tree(key: int, side: int, hilum: tuple[float, float]) -> Tree:
    rng = np.random.default_rng([key, side + 1, 5])
    aims = np.deg2rad(np.asarray([-84, -66, -45, -20, 14, 38, 55, 70, 82, 96], np.float32))  # 0 outward, 90 down
    count = len(aims)
    angle = aims + rng.normal(0, 0.12, count)
    start = np.stack([hilum[0] + rng.normal(0, 0.3, count), hilum[1] + 1.8 * np.sin(aims) + 0.5], 1)
    depth = rng.uniform(-4, 4, count)
    lower = aims > 0.5
    width = rng.uniform(0.32, 0.6, count) * np.where(lower, 1.2, 0.75)
    length = rng.uniform(2.2, 4.4, count) * np.where(lower, 1.2, 1.0)
    generations = []
    for _ in range(5):
        paths = _walk(rng, start, angle, length)
        z = np.broadcast_to(depth[:, None, None], (*paths.shape[:2], 1))
        whole = np.concatenate([paths * (side, 1), z], axis=2).astype(np.float32)
        generations.append((whole, width.astype(np.float32)))
        start, angle, length, width, depth = _fork(rng, paths, length, width, depth)
    return tuple(generations)


def _walk(rng: np.random.Generator, start: Floats, angle: Floats, length: Floats) -> Floats:
    """Slightly bent paths (n, steps, 2)."""
    bend = np.cumsum(rng.normal(0, 0.15, (len(angle), _STEPS - 1)), axis=1) + angle[:, None]
    stride = (length / (_STEPS - 1))[:, None]
    steps = np.stack([stride * np.cos(bend), stride * np.sin(bend)], axis=2)
    return np.concatenate([start[:, None], start[:, None] + np.cumsum(steps, axis=1)], axis=1).astype(np.float32)


def _fork(
    rng: np.random.Generator, paths: Floats, length: Floats, width: Floats, depth: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Two branches at each tip and one on the way."""
    at = (_STEPS - 1, _STEPS - 1, int(rng.integers(2, 5)))
    turn = (0.3, -0.5, 0.9)
    sign = rng.choice((-1, 1), len(paths))
    heading = paths[:, 1:] - paths[:, :-1]
    angles = np.arctan2(heading[..., 1], heading[..., 0])
    start = np.concatenate([paths[:, i] for i in at])
    angle = np.concatenate(
        [angles[:, i - 1] + sign * t + rng.normal(0, 0.14, len(paths)) for i, t in zip(at, turn, strict=True)]
    )
    taper = np.concatenate([width * f for f in (0.76, 0.56, 0.48)])
    shorter = np.concatenate([length * f for f in (0.9, 0.75, 0.65)]) * rng.uniform(0.6, 1.25, 3 * len(paths))
    deeper = np.tile(depth, 3) + rng.normal(0, 1, 3 * len(paths))
    return start, angle, shorter, taper, deeper


def vessel_paths(anatomy: Anatomy, side: int) -> Tree:
    return _tree(
        anatomy.texture_key, side, (float(anatomy.hilum[int(side > 0), 0]), float(anatomy.hilum[int(side > 0), 1]))
    )


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
        for generation, (paths, widths) in reversed(list(enumerate(tree))):
            flat = pose.project(_breathed(paths, chest))
            order = np.argsort(widths, kind="stable")
            for group in np.array_split(order, 3):
                wide = float(widths[group].mean()) * pose.scale
                value = int(min(235, 25 + 330 * float(widths[group].mean())))
                if generation < 2:
                    stroke(layer, list(flat[group, 3:]), value, wide * 0.75)
                    stroke(layer, list(flat[group, :4]), value, wide)
                else:
                    stroke(layer, list(flat[group]), value, wide * 0.9)


def draw_bronchi(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Air-filled bronchi: the first branches of the tree."""
    for side in SIDES:
        for paths, widths in vessel_paths(chest.anatomy, side)[:3]:
            stroke(layer, list(pose.project(_breathed(paths, chest))), 255, float(widths.mean()) * pose.scale)


def draw_marks(layer: Layer, chest: Chest, pose: Pose) -> None:
    """The patient's calcified granulomas."""
    a = chest.anatomy
    for mark in a.marks:
        y = a.apex + mark.down * (chest.domes[int(mark.side > 0)] - a.apex)
        place = points((mark.side * mark.across * float(chest.wall(y)), y, 0))
        fill(layer, _disc(pose.project(place)[0], mark.radius * pose.scale), 235)


def draw_hila(layer: Layer, chest: Chest, pose: Pose) -> None:
    """The knots of great vessels where the lungs hang: soft, irregular, larger below. The layer may be smaller."""
    a = chest.anatomy
    rng = np.random.default_rng([a.texture_key, 9])
    shrink = np.float32(layer.shape[0] / pose.size)
    scale = pose.scale * shrink
    for side in SIDES:
        x, y = (float(part) for part in a.hilum[int(side > 0)])
        y = a.apex + (y - a.apex) * chest.stretch
        down = points((x - 1.4, y - 1.8, 0), (x + 0.1, y, 0), (x + 0.4, y + 2.0, 0), (x + 0.9, y + 4.6, 0))
        curve = smooth(down * points((side, 1, 1)), 16)
        band(layer, pose.project(curve) * shrink, scale * np.linspace(1.7, 0.9, 16, dtype=np.float32), 105)
        for _ in range(7):
            place = points((side * (x + rng.normal(0, 0.5)), y + rng.normal(0.3, 1.3), 0))
            radius, value = float(rng.uniform(0.35, 0.75)), int(rng.integers(80, 190))
            fill(layer, _disc(pose.project(place)[0] * shrink, radius * scale), value)


def _disc(centre: Floats, radius: float) -> Floats:
    angle = np.linspace(0, 2 * np.pi, 14, endpoint=False, dtype=np.float32)
    return centre + np.float32(radius) * np.stack([np.cos(angle), 1.1 * np.sin(angle)], 1)

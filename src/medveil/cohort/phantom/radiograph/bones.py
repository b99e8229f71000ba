"""Ribs, spine, collar bones, shoulder blades and arms, drawn as hollow bones on 8-bit layers."""

from __future__ import annotations

import numpy as np

from medveil.cohort.phantom.plan import FindingPlan
from medveil.cohort.phantom.radiograph.anatomy import RIBS, SIDES
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, band, ellipses, fill, points, smooth, stroke, tube
from medveil.cohort.phantom.radiograph.chest import RIB_POINTS, SPINE_DEPTH, Chest
from medveil.cohort.phantom.radiograph.pose import Pose

# a rib is a flat band: seen edge-on at the side of the chest it looks thin
_BEHIND = smooth(points((0.75,), (0.95,), (1.0,), (0.85,), (0.4,)), RIB_POINTS)[:, 0]
# corners and waists of a vertebral body, in half widths and half heights
_BODY = ((-1, -1), (-0.86, 0), (-1, 1), (1, 1), (0.86, 0), (1, -1))
_BREAK = 8  # the point of a posterior rib's curve where it breaks: well out over the lung
_CLAVICLE = smooth(points((1.45,), (1.05,), (0.85,), (0.9,), (1.15,)), 28)[:, 0]
_BEFORE = smooth(points((0.4,), (0.9,), (1.1,), (1.15,), (1.25,)), RIB_POINTS)[:, 0]


def draw_ribs(back: Layer, front: Layer, chest: Chest, pose: Pose) -> None:
    """The parts of the ribs behind and before the lungs, each on its layer, for the two overlap."""
    a, scale = chest.anatomy, pose.scale
    wide = a.rib_width * scale * (1 + a.rib_jitter[:, :, 2, None])
    widths = wide * _BEHIND
    if a.healed_rib is not None:
        side, number, at = a.healed_rib
        away = np.arange(RIB_POINTS, dtype=np.float32) - at
        widths[int(side > 0), number - 1] *= 1 + 0.7 * np.exp(-((away / 1.3) ** 2))
    behind, whole = posterior_ribs(chest), np.ones((2, RIBS), bool)
    for (side, number), step in chest.broken.items():
        place = int(side > 0), number - 1
        whole[place] = False
        for piece, part in _pieces(behind[place], step):
            tube(back, pose.project(piece), widths[place][part], 118, 150, 0.1 * scale)
    tube(back, pose.project(behind[whole]), widths[whole], 118, 150, 0.1 * scale)
    before = pose.project(chest.ribs(84, chest.rib_ends)[:, :10])
    tube(
        front,
        before.reshape(-1, RIB_POINTS, 2),
        (wide[:, :10] * _BEFORE).reshape(-1, RIB_POINTS),
        92,
        112,
        0.1 * scale,
    )


def posterior_ribs(chest: Chest) -> Floats:
    """What is seen of the ribs behind the lungs."""
    return chest.ribs(4, np.minimum(chest.rib_ends, 96))


def _pieces(curve: Floats, step: float) -> tuple[tuple[Floats, slice], tuple[Floats, slice]]:
    """The two ends of a broken bone, a small gap and a step of so many cm between them that fades along it."""
    inner, outer = curve[: _BREAK + 1].copy(), curve[_BREAK:].copy()
    inner[-1] += 0.15 * (inner[-2] - inner[-1])
    outer[0] += 0.15 * (outer[1] - outer[0])
    inner[:, 1] -= 0.45 * step * np.exp(-np.arange(len(inner), dtype=np.float32)[::-1] / 1.8)
    outer[:, 1] += 0.55 * step * np.exp(-np.arange(len(outer), dtype=np.float32) / 1.8)
    return (inner, slice(_BREAK + 1)), (outer, slice(_BREAK, None))


def break_places(chest: Chest, finding: FindingPlan, side: int) -> Floats:
    """Where a fracture's breaks lie (n, 3)."""
    ribs = [number - 1 for number in finding.ribs]
    places: Floats = posterior_ribs(chest)[int(side > 0), ribs, _BREAK]
    return places


def draw_spine(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Vertebral bodies with end plates, pedicles and spinous processes, from the neck to the loins."""
    a, scale = chest.anatomy, pose.scale
    level = a.apex + 0.2 - 4 * a.vertebra * 0.9 + a.vertebra * 0.95 * np.arange(20, dtype=np.float32)
    x, tall = chest.spine(level), a.vertebra * 0.4
    half = a.spine_width / 2 * (0.78 + 0.22 * np.clip((level - a.apex) / 18, 0, 1.2))
    body = pose.project(np.stack([_at(x + u * half, level + v * tall, SPINE_DEPTH) for u, v in _BODY], axis=1))
    fill(layer, body, 115)
    stroke(layer, body[:, 2:4], 185, 0.2 * scale)  # end plates; the sides are rounded and cast no line
    stroke(layer, body[:, [0, 5]], 185, 0.2 * scale)
    for sign in SIDES:
        root, tip = _at(x + sign * half * 0.6, level - 0.2, -7.5), _at(x + sign * (half + 0.9), level - 0.5, -8)
        band(layer, pose.project(np.stack([root, tip], axis=1)), 0.7 * scale, 45)
        pedicle = pose.project(_at(x + sign * half * 0.62, level - tall * 0.25, -6.5))
        stroke(layer, ellipses(pedicle, 0.3 * scale, 0.45 * scale), 175, 0.14 * scale, closed=True)
    spinous = pose.project(_at(x, level + tall * 0.9, -9.5))
    stroke(layer, ellipses(spinous, 0.22 * scale, 0.42 * scale), 178, 0.18 * scale, closed=True)


def _at(x: Floats, y: Floats, z: float) -> Floats:
    return np.stack([x, y, np.full_like(x, z)], axis=-1)


def clavicle(chest: Chest, side: int, lift: float) -> Floats:
    """The collar bone's middle line from the sternum to the shoulder."""
    a = chest.anatomy
    rise, bow, _, inner = (float(part) for part in a.clavicle[int(side > 0)])
    top = a.apex + 3.4 + inner
    knots = points(
        (1.6, top, 6.5),
        (4.5, top - 0.9 - 0.15 * rise + bow * 0.5, 6.8),
        (8.5, top - 1.6 - 0.55 * rise - bow * 0.2, 4.5),
        (12.5, top - 2.0 - rise - bow * 0.2 - lift, 1.5),
        (a.shoulder - 3.0, top - 1.9 - 1.1 * rise - lift, 0.0),
    )
    return smooth(knots, 28) * np.asarray((side, 1, 1), np.float32)


def draw_shoulders(layer: Layer, chest: Chest, pose: Pose) -> None:
    """Shoulder blades and upper arms. On AP films the shoulder blades lie over the lungs."""
    for side in SIDES:
        _draw_arm(layer, chest, pose, side)
        _draw_blade(layer, chest, pose, side)


def draw_clavicles(layer: Layer, chest: Chest, pose: Pose) -> None:
    a, scale = chest.anatomy, pose.scale
    for side in SIDES:
        thick = float(a.clavicle[int(side > 0), 2]) * scale
        line = pose.project(clavicle(chest, side, 0.8 if pose.view == "AP" else 0.0))
        tube(layer, line, thick * _CLAVICLE, 150, 180, 0.14 * scale)


def _top(chest: Chest, side: int) -> float:
    return chest.anatomy.apex + 2.4 + 0.5 * float(chest.anatomy.scapula[int(side > 0), 0])


def _draw_blade(layer: Layer, chest: Chest, pose: Pose, side: int) -> None:
    a, scale = chest.anatomy, pose.scale
    _, low, turn = (float(part) for part in a.scapula[int(side > 0)])
    top, edge = _top(chest, side), a.half_width + 0.2 - (2.8 if pose.view == "AP" else 0.0)
    joint = a.shoulder - 4.4
    flip = np.asarray((side, 1, 1), np.float32)
    outline = points(
        (edge - 1.6 + turn, top + 0.6, -7),
        (edge - 1.3 + turn, top + 5.5, -8),
        (edge + 0.2 + 0.5 * turn, top + 11.0 + low, -8),
        (edge + 1.5, top + 8.5, -7),
        (joint - 0.6, top + 3.4, -5),
        (joint, top + 1.0, -4),
        (edge + 0.6, top - 0.8, -6),
    )
    fill(layer, pose.project(smooth(outline * flip, 48, closed=True)), 30)
    border = points(
        (edge + 0.3 + 0.5 * turn, top + 10.6 + low, -8), (edge + 1.5, top + 7.8, -7), (joint - 0.5, top + 3.6, -5)
    )
    band(layer, pose.project(smooth(border * flip, 16)), scale * np.linspace(0.5, 1.1, 16, dtype=np.float32), 72)
    crest = points(
        (edge - 1.4 + turn, top + 1.9, -8),
        (edge + 1.4, top + 0.7, -8),
        (joint + 1.0, top - 1.3, -4),
        (joint + 2.6, top - 1.1, -2),
    )
    band(layer, pose.project(smooth(crest * flip, 20)), scale * np.linspace(0.5, 1.3, 20, dtype=np.float32), 78)
    socket = pose.project(points((side * joint, top + 2.0, -4)))[0]
    stroke(layer, ellipses(socket, 0.5 * scale, 1.6 * scale), 88, 0.25 * scale, closed=True)
    beak = points((joint - 1.2, top + 0.3, -2), (joint - 0.3, top - 0.3, 0), (joint + 0.2, top + 0.5, 1))
    band(layer, pose.project(smooth(beak * flip, 10)), 1.0 * scale, 105)


def _draw_arm(layer: Layer, chest: Chest, pose: Pose, side: int) -> None:
    a, scale, top = chest.anatomy, pose.scale, _top(chest, side)
    out = a.arm_out[int(side > 0)]
    shaft = points(
        (a.shoulder - 2.2, top + 1.2, -2),
        (a.shoulder - 1.6, top + 3.2, -2),
        (a.shoulder + 0.3 * out, top + 8.0, -2),
        (a.shoulder + 1.6 * out, top + 36.0, -2),
    )
    wide = smooth(points((3.8,), (3.4,), (2.2,), (2.1,)), 30)[:, 0] * scale
    line = pose.project(smooth(shaft * np.asarray((side, 1, 1), np.float32), 30))
    tube(layer, line, wide, 78, 105, 0.28 * scale)
    head = ellipses(line[1], 2.2 * scale, 2.2 * scale, 28)
    fill(layer, head, 92)
    stroke(layer, head, 118, 0.14 * scale, closed=True)

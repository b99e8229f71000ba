"""Tubes, lines, pacemakers and wires, laid into the canvas, each with the box around it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from medveil.cohort.phantom.gold import Box
from medveil.cohort.phantom.plan import DevicePlan, VisitPlan
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, fill, points, ribbon, smooth, stroke
from medveil.cohort.phantom.radiograph.canvas import Canvas, layer_box
from medveil.cohort.phantom.radiograph.chest import signs
from medveil.cohort.phantom.radiograph.soft_tissue import carina, windpipe


def add_devices(canvas: Canvas, visit: VisitPlan) -> tuple[tuple[str, Box], ...]:
    """Draw all devices; one box each, none for what falls outside the film."""
    found = []
    for device in visit.devices:
        rng = np.random.default_rng([device.key, 41])
        plastic, metal = canvas.layer(), canvas.layer()
        _PAINTERS[device.kind](canvas, plastic, metal, device, rng)
        box = layer_box(np.maximum(plastic, metal))
        np.maximum(canvas.plastic, plastic, out=canvas.plastic)
        np.maximum(canvas.metal, metal, out=canvas.metal)
        if box is not None:
            found.append((device.kind, box))
    return tuple(found)


def _line(canvas: Canvas, knots: Floats, samples: int = 60) -> Floats:
    return canvas.pose.project(smooth(knots, samples))


def _hose(canvas: Canvas, plastic: Layer, curve: Floats, width: float, stripe: int = 200) -> None:
    """A tube with a faint lumen and a bright line along it."""
    one, other = ribbon(curve, width * canvas.pose.scale)
    fill(plastic, np.concatenate([one, other[::-1]]), 70)
    stroke(plastic, np.stack([one, other]), 120, 0.08 * canvas.pose.scale)
    stroke(plastic, curve, stripe, 0.12 * canvas.pose.scale)


def _vena_cava(canvas: Canvas, end: float) -> list[tuple[float, float, float]]:
    """Waypoints from behind the sternum down the right side of the mediastinum."""
    a = canvas.chest.anatomy
    x = -a.mediastinum * 0.78
    return [(x * 0.9, a.knob[1] - 2.2, 3), (x, a.knob[1] + 0.5, 2.5), (x * 1.05, end, 2)]


def _endotracheal(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    path = windpipe(canvas.chest)
    share = 1 - device.above_carina / (carina(canvas.chest) - float(path[0, 1]))
    path = smooth(path, 200)[: int(200 * share)]
    _hose(canvas, plastic, _line(canvas, path), 0.9)


def _enteric(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a, low = canvas.chest.anatomy, canvas.chest.domes[1]
    sway = rng.normal(0, 0.25, 4)
    knots = points(
        (0.3, a.apex - 6, 0),
        (0.4 + sway[0], a.apex, -2),
        (0.5 + sway[1], a.knob[1], -3),
        (0.8 + sway[2], 1.0, -3),
        (1.6 + sway[3], low + 0.5, -2),
        (4.0, low + 3.0, 0),
        (6.5 + rng.uniform(-1, 1.5), low + 4.2 + rng.uniform(-0.8, 2), 2),
    )
    curve = _line(canvas, knots, 80)
    stroke(plastic, curve, 120, 0.26 * canvas.pose.scale)
    stroke(plastic, curve, 230, 0.1 * canvas.pose.scale)


def _central_line(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a = canvas.chest.anatomy
    (side,) = signs(device.side)
    end = a.knob[1] + float(rng.uniform(3.0, 6.5))
    neck = [(side * 4.6, a.apex - 6, 3), (side * 3.6, a.apex - 1.5, 3.5), (side * 2.6, a.apex + 2.0, 3.5)]
    cross = [] if side < 0 else [(0.4, a.knob[1] - 3.0, 4)]
    stroke(plastic, _line(canvas, points(*neck, *cross, *_vena_cava(canvas, end))), 200, 0.15 * canvas.pose.scale)


def _picc(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a = canvas.chest.anatomy
    (side,) = signs(device.side)
    end = a.knob[1] + float(rng.uniform(2.5, 5.5))
    arm = [(side * (a.shoulder + 1.5), 4.0, 0), (side * (a.shoulder - 2.5), a.apex + 7.5, 1)]
    under = [(side * 11.5, a.apex + 3.6, 4), (side * 6.5, a.apex + 2.8, 5)]
    cross = [(side * 2.6, a.apex + 3.6, 4)] if side < 0 else [(2.2, a.apex + 3.4, 4), (0.0, a.knob[1] - 2.4, 4)]
    stroke(plastic, _line(canvas, points(*arm, *under, *cross, *_vena_cava(canvas, end))), 190, 0.1 * canvas.pose.scale)


def _pacemaker(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a = canvas.chest.anatomy
    (side,) = signs(device.side)
    x, y = side * (9.2 + rng.uniform(-0.6, 0.8)), a.apex + 6.0 + rng.uniform(-0.8, 0.8)
    half, turn = 2.2 + rng.uniform(-0.2, 0.3), rng.normal(0, 0.3)
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    shape = np.stack([np.cos(angle), np.sin(angle)], 1)
    shape = half * np.sign(shape) * np.abs(shape) ** 0.65 * (1, 0.92)
    spin = np.asarray([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    can = np.concatenate([shape @ spin.T + (x, y), np.full((40, 1), 8.0)], 1).astype(np.float32)
    fill(metal, canvas.pose.project(can), 215)
    middle = can.mean(axis=0)
    fill(metal, canvas.pose.project(middle + (can - middle) * np.float32(0.62)), 165)
    base = canvas.chest.floor
    start = (x - side * 1.6, y - 1.8, 8.0)
    inlet = [(side * 6.5, a.apex + 3.4, 6), (side * 3.0, a.apex + 4.0, 5)]
    cross = [] if side < 0 else [(0.6, a.knob[1] - 2.6, 4)]
    atrium = [*_vena_cava(canvas, 0.0), (-2.9, base - 4.0, 4), (-3.1, base - 5.2, 6)]
    chamber = [
        *_vena_cava(canvas, 0.0),
        (-1.9, base - 2.4, 4),
        (1.0, base - 0.8, 6),
        (float(a.heart[1]) * 0.62, base - 0.6, 7),
    ]
    ends = (chamber, atrium) if rng.random() < 0.7 else (chamber,)
    for way in ends:
        curve = _line(canvas, points(start, *inlet, *cross, *way), 90)
        stroke(metal, curve, 80, 0.14 * canvas.pose.scale)
        stroke(metal, curve[-5:], 190, 0.26 * canvas.pose.scale)


def _chest_tube(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a = canvas.chest.anatomy
    (side,) = signs(device.side)
    entry = float(rng.uniform(1.0, 4.5))
    wall = float(canvas.chest.wall(entry))
    knots = points(
        (side * (wall + 14), entry + 6.0, 0),
        (side * (wall + 0.6), entry, 0),
        (side * (wall - 2.2), entry - 2.5, 1),
        (side * (wall - 3.5), -4.5, 2),
        (side * (6.0 + rng.uniform(-1, 1)), a.apex + 2.6 + rng.uniform(0, 1.5), 2),
    )
    _hose(canvas, plastic, _line(canvas, knots), 0.95, 235)


def _wires(canvas: Canvas, plastic: Layer, metal: Layer, device: DevicePlan, rng: np.random.Generator) -> None:
    a = canvas.chest.anatomy
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    for level in np.linspace(a.apex + 6.0, 3.0, 6):
        ring = np.stack([0.75 * np.cos(angle) * rng.uniform(0.85, 1.15), 0.42 * np.sin(angle), np.full(16, 9.0)], 1)
        place = points((rng.normal(0, 0.15), level, 0.0))
        loop = ring.astype(np.float32) + place
        stroke(metal, canvas.pose.project(loop), 190, 0.09 * canvas.pose.scale, closed=True)
        knot = points((0.1, 0.4, 9), (rng.normal(0.3, 0.15), 0.9, 9)) + place
        stroke(metal, canvas.pose.project(knot), 200, 0.13 * canvas.pose.scale)


_PAINTERS: dict[str, Callable[[Canvas, Layer, Layer, DevicePlan, np.random.Generator], None]] = {
    "endotracheal tube": _endotracheal,
    "enteric tube": _enteric,
    "central venous catheter": _central_line,
    "PICC": _picc,
    "pacemaker": _pacemaker,
    "chest tube": _chest_tube,
    "sternal wires": _wires,
}

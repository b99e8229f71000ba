"""The findings of a visit, laid into the canvas, each with the box around it.

Heart size, mediastinal width, raised diaphragms and broken bones belong to the chest's shape and are drawn
with it; here they only get their boxes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.gold import Box
from medveil.cohort.phantom.plan import FindingPlan, VisitPlan
from medveil.cohort.phantom.radiograph.bones import break_places
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, clouds, fill, points, smooth, stroke
from medveil.cohort.phantom.radiograph.canvas import Canvas
from medveil.cohort.phantom.radiograph.chest import pull, signs

Boxes = list[Box | None]
_SEEN = 0.06  # a share of lost air below this is not called part of the finding


def add_findings(canvas: Canvas, visit: VisitPlan) -> tuple[tuple[str, Box], ...]:
    """Draw all findings; one box a finding and side. What falls outside the film has no box."""
    found: list[tuple[str, Box]] = []
    drawn: dict[int, Boxes] = {}
    # An opacity that is the same thing as a pneumonia or consolidation shares its key: one drawing, two names.
    for finding in sorted(visit.findings, key=lambda f: f.label == "Lung Opacity"):
        if finding.key not in drawn:
            drawn[finding.key] = _PAINTERS[finding.label](canvas, finding)
        found.extend((finding.label, box) for box in drawn[finding.key] if box is not None)
    return tuple(found)


def _place(canvas: Canvas, finding: FindingPlan, side: int, rng: np.random.Generator) -> tuple[float, float]:
    y = canvas.level(side, finding.zone) + float(rng.uniform(-1, 1))
    x = float(rng.uniform(0.55, 0.7)) * float(canvas.chest.wall(y))
    return side * x, y


def _rng(finding: FindingPlan, side: int) -> np.random.Generator:
    return np.random.default_rng([finding.key, side + 1])


def _fill_air(canvas: Canvas, side: int, share: Floats) -> Box | None:
    """Take air out of one lung; the box around where it shows."""
    inside = np.clip(share, 0, 0.97) * (canvas.x * side > 0)
    canvas.thicken(inside)
    return canvas.box_of(inside * canvas.seen(side) > _SEEN)


def _step(value: Floats) -> Floats:
    """0 below 0, 1 above 1, smooth between."""
    t = np.clip(value, 0, 1)
    eased: Floats = t * t * (3 - 2 * t)
    return eased


def _heart(canvas: Canvas, finding: FindingPlan) -> Boxes:
    layer = _outlined(canvas, canvas.chest.heart())
    fill(layer, canvas.coarse.project(canvas.chest.belly()), 0)
    return [canvas.box_of(layer > 127)]


def _mediastinum(canvas: Canvas, finding: FindingPlan) -> Boxes:
    outline = canvas.chest.mediastinum()
    return [canvas.box_of(_outlined(canvas, outline[outline[:, 1] > canvas.chest.anatomy.apex]) > 127)]


def _outlined(canvas: Canvas, outline: Floats) -> Layer:
    layer = canvas.coarse_layer()
    fill(layer, canvas.coarse.project(outline), 255)
    return layer


def _consolidation(canvas: Canvas, finding: FindingPlan) -> Boxes:
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        x, y = _place(canvas, finding, side, rng)
        wide, tall = 2.4 + 2.6 * finding.extent, 2.2 + 2.8 * finding.extent
        away = np.hypot((canvas.x - x) / wide, (canvas.y - y) / tall)
        ragged = clouds(rng, canvas.x.shape, 2.2 * canvas.coarse.scale, 4)
        share = _step((1.25 - away + 0.16 * ragged) / 0.6) * np.float32(0.6 + 0.33 * finding.extent)
        if finding.zone == "upper":  # the fissure below the upper lobe is a sharp edge
            share *= _step((y + 0.8 * tall - canvas.y) / 0.35)
        canvas.bronchi = True
        boxes.append(_fill_air(canvas, side, share))
    return boxes


def _pneumonia(canvas: Canvas, finding: FindingPlan) -> Boxes:
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        x, y = _place(canvas, finding, side, rng)
        spread = 1.1 + 1.3 * finding.extent
        clear = np.ones_like(canvas.x)
        for _ in range(7 + int(8 * finding.extent)):
            u, v = x + rng.normal(0, spread), y + rng.normal(0, spread)
            radius = rng.uniform(0.5, 1.3)
            blob = np.exp(-((canvas.x - u) ** 2 + (canvas.y - v) ** 2) / np.float32(radius**2))
            clear *= 1 - np.float32(0.3 + 0.25 * finding.extent) * blob
        ragged = clouds(rng, canvas.x.shape, 0.9 * canvas.coarse.scale, 3)
        boxes.append(_fill_air(canvas, side, (1 - clear) * (1 + np.float32(0.25) * ragged)))
    return boxes


def _opacity(canvas: Canvas, finding: FindingPlan) -> Boxes:
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        x, y = _place(canvas, finding, side, rng)
        radius = 1.7 + 2.4 * finding.extent
        ragged = clouds(rng, canvas.x.shape, 1.8 * canvas.coarse.scale, 4)
        away = ((canvas.x - x) ** 2 + ((canvas.y - y) / 1.15) ** 2) / np.float32(radius**2)
        haze = np.float32(0.32 + 0.3 * finding.extent) * np.exp(-away * away)
        boxes.append(_fill_air(canvas, side, haze * (1 + np.float32(0.3) * ragged)))
    return boxes


def _lesion(canvas: Canvas, finding: FindingPlan) -> Boxes:
    """A round nodule or lobulated mass: the loss follows the chord of a ball."""
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        x, y = _place(canvas, finding, side, rng)
        radius = finding.radius
        dx, dy = canvas.x - x, canvas.y - y
        angle = np.arctan2(dy, dx)
        lobes = sum(rng.uniform(0, 0.16 / n) * np.cos(n * angle + rng.uniform(0, 6)) for n in (2, 3, 5))
        away = np.hypot(dx, dy) / (radius * (1 + lobes))
        chord = np.sqrt(np.clip(1 - away * away, 0, 1)) * np.float32(2 * radius + 0.9)
        boxes.append(_fill_air(canvas, side, chord / np.maximum(canvas.air, 5) * np.float32(1.3)))
    return boxes


def _edema(canvas: Canvas, finding: FindingPlan) -> Boxes:
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        x, y = (float(part) for part in canvas.chest.anatomy.hilum[int(side > 0)])
        ragged = clouds(rng, canvas.x.shape, 1.3 * canvas.coarse.scale, 4)
        away = ((canvas.x - side * (x + 1.2)) / 4.6) ** 2 + ((canvas.y - y - 1.5) / 6.5) ** 2
        haze = np.float32(0.22 + 0.42 * finding.extent) * np.exp(-away)
        boxes.append(_fill_air(canvas, side, haze * (1 + np.float32(0.35) * ragged)))
        _kerley(canvas, side, rng, finding.extent)
    upper = _step((2 - canvas.y) / 8)  # vessels to the upper lungs fill up
    canvas.gate *= 1 + np.float32(0.9 * finding.extent) * upper
    return boxes


def _kerley(canvas: Canvas, side: int, rng: np.random.Generator, extent: float) -> None:
    """Short level lines at the edge of the lower lung."""
    low = canvas.chest.domes[int(side > 0)]
    for _ in range(3 + int(8 * extent)):
        y = low + float(rng.uniform(-6, 1.0))
        wall = float(canvas.chest.wall(y)) - 0.25
        line = points((side * wall, y, 2), (side * (wall - rng.uniform(1.0, 1.8)), y + rng.uniform(-0.15, 0.15), 2))
        stroke(canvas.lines, canvas.pose.project(line), 90, 0.07 * canvas.pose.scale)


def _atelectasis(canvas: Canvas, finding: FindingPlan) -> Boxes:
    """Level bands above the diaphragm and haze between them and it."""
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        share = np.zeros_like(canvas.x)
        dome = canvas.chest.domes[int(side > 0)]
        base = canvas.level(side, finding.zone) if finding.zone != "lower" else dome - 0.6
        for _ in range(1 + int(3 * finding.extent)):
            x, y = side * rng.uniform(5.5, 8.5), base - rng.uniform(0.3, 2.6)
            half, thick = rng.uniform(2.4, 3.6) + 1.5 * finding.extent, 0.18 + 0.24 * finding.extent
            turn = rng.normal(0, 0.18) + side * 0.12
            along = (canvas.x - x) * np.cos(turn) + (canvas.y - y) * np.sin(turn)
            across = (canvas.y - y) * np.cos(turn) - (canvas.x - x) * np.sin(turn) - 0.02 * along**2
            band = np.exp(-((across / thick) ** 2)) * _step((half - np.abs(along)) / 0.8)
            share = np.maximum(share, np.float32(0.5 + 0.25 * finding.extent) * band)
        haze = np.float32(0.12 + 0.3 * finding.extent) * _step((canvas.y - base + 3.0) / 4)
        haze *= _step((base + 5 - canvas.y) / 2) * _step((canvas.x * side - 3) / 2) * _step((12 - canvas.x * side) / 2)
        dense = np.clip(1 - (1 - share) * (1 - haze), 0, 1) * (canvas.x * side > 0)
        canvas.thicken(dense)
        boxes.append(canvas.box_of((dense * canvas.seen(side) > _SEEN) | _risen(canvas, finding, side)))
    return boxes


def _risen(canvas: Canvas, finding: FindingPlan, side: int) -> NDArray[np.bool_]:
    """Where the diaphragm has taken the lung's place."""
    out = canvas.x * side
    dome = canvas.chest.dome_curve(side, out)
    inside = (out > 3) & (out < canvas.chest.wall(canvas.y) - 0.5)
    return (canvas.y > dome) & (canvas.y < dome + pull(finding)) & inside


def _pneumothorax(canvas: Canvas, finding: FindingPlan) -> Boxes:
    """The lung falls away from the wall, most at the apex; beyond its thin edge there are no vessels."""
    boxes = []
    for side in signs(finding.side):
        outline = canvas.chest.lung(side)
        a = canvas.chest.anatomy
        x, y = (float(part) for part in a.hilum[int(side > 0)])
        down = np.clip((outline[:, 1:2] - a.apex) / (canvas.chest.domes[int(side > 0)] - a.apex), 0, 1)
        shrink = 1 - finding.collapse * (1 - 0.75 * down**2)
        fallen = outline.copy()
        fallen[:, :2] = (side * x, y + 2) + (outline[:, :2] - (side * x, y + 2)) * shrink
        edge = canvas.pose.project(fallen)
        inner = canvas.coarse_layer()
        fill(inner, canvas.coarse.project(fallen), 255)
        lung = inner * np.float32(1 / 255)
        medial = _step((np.abs(canvas.x) - 2.5) / 1.5) * _step((canvas.chest.domes[int(side > 0)] + 1 - canvas.y) / 3)
        empty = canvas.seen(side) * (1 - lung) * medial
        canvas.gate *= 1 - empty
        canvas.loss -= np.float32(0.28) * empty
        canvas.thicken(np.float32(0.06 + 0.3 * finding.extent) * lung * canvas.lung(side))
        visible = fallen[:37]
        shown = edge[:37][(np.abs(visible[:, 0]) > 3) & (visible[:, 1] < canvas.chest.domes[int(side > 0)])]
        stroke(canvas.lines, shown, 120, 0.11 * canvas.pose.scale)
        boxes.append(canvas.box_of(empty > 0.3))
    return boxes


def _effusion(canvas: Canvas, finding: FindingPlan) -> Boxes:
    """Fluid in the angle: a level that climbs the wall."""
    boxes = []
    for side in signs(finding.side):
        bottom = canvas.chest.lung(side)[:, 1].max()
        height = 1.8 + 11.0 * finding.extent
        wall = np.clip(np.abs(canvas.x) / canvas.chest.wall(canvas.y), 0, 1)
        surface = bottom - height * (0.62 + 0.45 * wall**4)
        share = np.float32(0.93) * _step((canvas.y - surface) / np.float32(0.8 + 1.6 * finding.extent) + 0.4)
        boxes.append(_fill_air(canvas, side, share))
    return boxes


def _pleura(canvas: Canvas, finding: FindingPlan) -> Boxes:
    """A thickened rim along the wall with a streak of chalk on its inner side."""
    boxes = []
    for side in signs(finding.side):
        rng = _rng(finding, side)
        middle = canvas.level(side, finding.zone) + float(rng.uniform(-0.6, 0.6))
        half = 2.2 + 2.6 * finding.extent
        bump = np.clip(1 - ((canvas.y - middle) / half) ** 2, 0, 1)
        thick = np.float32(0.55 + 1.0 * finding.extent) * np.sqrt(bump)
        inward = canvas.chest.wall(canvas.y) - canvas.x * side
        boxes.append(_fill_air(canvas, side, np.float32(0.9) * _step((thick - inward) / 0.3 + 0.5) * (thick > 0.05)))
        y = np.linspace(middle - 0.6 * half, middle + 0.5 * half, 9, dtype=np.float32)
        inset = (0.35 + 0.8 * finding.extent) * (1 - ((y - middle) / half) ** 2) + rng.normal(0, 0.06, 9)
        chalk = np.stack([side * (canvas.chest.wall(y) - inset), y, 0 * y], axis=1).astype(np.float32)
        stroke(canvas.lines, canvas.pose.project(smooth(chalk, 30)), 150, 0.16 * canvas.pose.scale)
    return boxes


def _fracture(canvas: Canvas, finding: FindingPlan) -> Boxes:
    boxes: Boxes = []
    reach = (1.5 + 0.4 * finding.extent) * canvas.pose.scale
    for side in signs(finding.side):
        places = canvas.pose.project(break_places(canvas.chest, finding, side))
        left, top = (int(part) for part in np.maximum(np.floor(places.min(axis=0) - reach), 0))
        right, bottom = (int(part) for part in np.minimum(np.ceil(places.max(axis=0) + reach), canvas.pose.size))
        boxes.append((left, top, right, bottom) if left < right and top < bottom else None)
    return boxes


_PAINTERS: dict[str, Callable[[Canvas, FindingPlan], Boxes]] = {
    "Cardiomegaly": _heart,
    "Enlarged Cardiomediastinum": _mediastinum,
    "Lung Opacity": _opacity,
    "Lung Lesion": _lesion,
    "Edema": _edema,
    "Consolidation": _consolidation,
    "Pneumonia": _pneumonia,
    "Atelectasis": _atelectasis,
    "Pneumothorax": _pneumothorax,
    "Pleural Effusion": _effusion,
    "Pleural Other": _pleura,
    "Fracture": _fracture,
}

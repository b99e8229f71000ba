"""Draw one visit's chest radiograph from the plan: shapes, then attenuation, then the exposure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.gold import Box
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan
from medveil.cohort.phantom.radiograph.bones import draw_clavicles, draw_ribs, draw_shoulders, draw_spine
from medveil.cohort.phantom.radiograph.brush import Floats, Layer, clouds, fill
from medveil.cohort.phantom.radiograph.canvas import STEP, Canvas
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.devices import add_devices
from medveil.cohort.phantom.radiograph.pathology import add_findings
from medveil.cohort.phantom.radiograph.pose import Pose
from medveil.cohort.phantom.radiograph.scanner import Scanner, expose
from medveil.cohort.phantom.radiograph.soft_tissue import (
    Grid,
    body,
    core,
    draw_airways,
    draw_stomach,
    fat,
    lung_depth,
    lung_layers,
    solid,
)
from medveil.cohort.phantom.radiograph.vessels import draw_bronchi, draw_granulomas, draw_hila, draw_vessels

_WATER = np.float32(0.17)  # attenuation of soft tissue, 1/cm


@dataclass(frozen=True)
class Drawing:
    """A radiograph before text is burned in. Pixels are 12 bit, bright is dense (MONOCHROME2)."""

    pixels: NDArray[np.uint16]
    lungs: NDArray[np.bool_]
    heart: NDArray[np.bool_]
    finding_boxes: tuple[tuple[str, Box], ...]
    device_boxes: tuple[tuple[str, Box], ...]


def draw(patient: PatientPlan, visit: VisitPlan, *, sites_seed: int, size: int = 512) -> Drawing:
    """The visit's radiograph with its masks and boxes; same arguments, same bytes."""
    pose, chest = Pose.of(visit, size), Chest.of(patient, visit)
    right, left = lung_layers(chest, pose)
    heart, trunk = _filled(pose, chest.heart()), _filled(pose, chest.mediastinum())
    covered, both = cv2.max(heart, trunk), cv2.max(right, left)
    coarse = pose.coarser(STEP)
    x, y = coarse.grid()
    fields = (_share(right), _share(left))
    grid = Grid(x, y)
    air = _uncovered(chest, coarse, grid, heart, trunk)
    canvas = Canvas(chest, pose, coarse, x, y, fields, air)
    findings, devices = add_findings(canvas, visit), add_devices(canvas, visit)
    rng = np.random.default_rng([visit.noise_key, 3])
    air = air * (1 - canvas.loss)
    edge = cv2.GaussianBlur(both, (0, 0), 0.06 * pose.scale)
    veil = np.minimum(air * np.float32(1 / 9), 1) * np.maximum(*fields) * canvas.gate
    attenuation = _whole(_coarse_parts(canvas, grid, veil, rng), size)
    attenuation -= _whole(air * np.float32(chest.anatomy.air * _WATER / 255), size) * edge
    vessels = canvas.layer()
    draw_vessels(vessels, chest, pose)
    attenuation += _soft(vessels, 0.035 * pose.scale, 0.27) * _whole(veil, size)
    attenuation += _bones(canvas)
    if visit.devices:
        attenuation += _soft(canvas.plastic, 0.03 * pose.scale, 0.75)
        attenuation += _soft(canvas.metal, 0.03 * pose.scale, 3.0)
    scanner = Scanner.of(sites_seed, patient.site)
    pixels = expose(scanner, attenuation, exposure=visit.exposure, portable=visit.view == "AP", rng=rng)
    lungs: NDArray[np.bool_] = (both > 127) & (covered <= 127)
    fill(heart, pose.project(chest.belly()), 0)
    return Drawing(pixels, lungs, heart > 127, findings, devices)


def _uncovered(chest: Chest, pose: Pose, grid: Grid, heart: Layer, trunk: Layer) -> Floats:
    """How many cm of lung each beam crosses: what heart, great vessels and spine leave of it."""
    hila = np.zeros(grid.x.shape, np.uint8)
    draw_hila(hila, chest, pose)
    cover = solid(_half(heart), pose.scale, 4.5) * np.float32(10.8)
    np.maximum(cover, solid(_half(trunk), pose.scale, 1.8) * np.float32(11), out=cover)
    cover += _soft(hila, 0.2 * pose.scale, 5.5)
    np.maximum(cover, core(chest, pose, grid), out=cover)
    return np.maximum(lung_depth(chest, grid) - cover, 0)


def _coarse_parts(canvas: Canvas, grid: Grid, veil: Floats, rng: np.random.Generator) -> Floats:
    """Attenuation of all that has soft edges: body, lung grain, spine, airways, gas in the belly."""
    chest, pose = canvas.chest, canvas.coarse
    tissue = body(chest, grid) * _WATER
    tissue *= 1 + np.float32(0.034) * fat(chest, grid)
    # The grain differs at each visit: a pattern fixed to the film would give the patient away.
    tissue += np.float32(0.04) * veil * clouds(rng, canvas.x.shape, 0.8 * pose.scale, 3, 0.9)
    spine, airways, belly, shoulders = (canvas.coarse_layer() for _ in range(4))
    draw_shoulders(shoulders, chest, pose)
    tissue += _soft(shoulders, 0.1 * pose.scale, 0.6)
    draw_spine(spine, chest, pose)
    tissue += _soft(spine, 0.12 * pose.scale, 0.42)
    draw_airways(airways, chest, pose)
    tissue -= _soft(airways, 0.12 * pose.scale, 0.2)
    draw_stomach(belly, chest, pose, rng)
    tissue -= _soft(belly, 0.14 * pose.scale, 0.5)
    if canvas.bronchi:
        bronchi = canvas.coarse_layer()
        draw_bronchi(bronchi, chest, pose)
        tissue -= _soft(bronchi, 0.05 * pose.scale, 0.22) * np.clip(canvas.loss, 0, 1)
    return tissue


def _bones(canvas: Canvas) -> Floats:
    """Attenuation of ribs, collar bones and of thin lines, which share one layer; 255 is 0.6."""
    chest, pose = canvas.chest, canvas.pose
    back, front, clavicles = (canvas.layer() for _ in range(3))
    draw_ribs(back, front, chest, pose)
    draw_granulomas(back, chest, pose)
    draw_clavicles(clavicles, chest, pose)
    density = chest.anatomy.rib_density
    ribs = cv2.addWeighted(back, 0.6 * density, front, 0.43 * density, 0)
    ribs = cv2.addWeighted(ribs, 1, clavicles, 0.83, 0)
    if canvas.lines.any():
        ribs = cv2.addWeighted(ribs, 1, canvas.lines, 0.67, 0)
    # Ribs over the belly and beside the spine drown in scatter.
    below = np.float32(0.65) * np.clip((canvas.y - chest.floor) / 5, 0, 1)
    beside = np.float32(0.6) * np.exp(-((canvas.x * np.float32(1 / 3)) ** 2))
    bones = _soft(ribs, 0.045 * pose.scale, 0.6)
    bones *= _whole((1 - below) * (1 - beside), pose.size)
    return bones


def _filled(pose: Pose, outline: Floats) -> Layer:
    layer = np.zeros((pose.size, pose.size), np.uint8)
    fill(layer, pose.project(outline), 255)
    return layer


def _half(layer: Layer) -> Layer:
    side = layer.shape[0] // STEP
    small: Layer = cv2.resize(layer, (side, side), interpolation=cv2.INTER_AREA)
    return small


def _share(layer: Layer) -> Floats:
    return _half(layer) * np.float32(1 / 255)


def _whole(field: Floats, size: int) -> Floats:
    whole: Floats = cv2.resize(field, (size, size), interpolation=cv2.INTER_LINEAR)
    return whole


def _soft(layer: Layer, sigma: float, strength: float) -> Floats:
    """A layer slightly unsharp, as attenuation."""
    unsharp = cv2.GaussianBlur(layer, (0, 0), sigma)
    return np.multiply(unsharp, np.float32(strength / 255), dtype=np.float32)

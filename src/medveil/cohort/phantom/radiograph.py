"""Draw one visit's chest radiograph from the plan."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.bones import draw_ribs, draw_shoulders, draw_spine
from medveil.cohort.phantom.brush import clouds, fill
from medveil.cohort.phantom.chest import Chest
from medveil.cohort.phantom.drawing import Drawing
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan
from medveil.cohort.phantom.pose import Pose
from medveil.cohort.phantom.scanner import Scanner, expose
from medveil.cohort.phantom.soft_tissue import body, core, draw_airways, draw_stomach, lung_depth, lung_layers, solid
from medveil.cohort.phantom.vessels import draw_hila, draw_vessels

Floats = NDArray[np.float32]
Layer = NDArray[np.uint8]
_WATER = 0.17  # attenuation of soft tissue, 1/cm
_LUNG = 0.72  # share of the lung's depth that is air


def draw(patient: PatientPlan, visit: VisitPlan, *, sites_seed: int, size: int = 512) -> Drawing:
    """The visit's radiograph with its masks and boxes; same arguments, same bytes."""
    pose, chest = Pose.of(visit, size), Chest.of(patient, visit)
    rng = np.random.default_rng([visit.noise_key, 3])
    x, y = pose.grid(2)
    lungs = lung_layers(chest, pose)
    both = cv2.max(*lungs)
    heart = _layer(size)
    fill(heart, pose.project(chest.heart()), 255)
    trunk = _layer(size)
    fill(trunk, pose.project(chest.mediastinum()), 255)
    depth = lung_depth(chest, x, y)
    cover = np.maximum(_solid(heart, pose, 3.6) * np.float32(7.5), _solid(trunk, pose, 1.8) * np.float32(11))
    cover = np.maximum(cover, core(chest, x, y))
    air = _up(np.clip(depth - cover, 0, None), size)
    fat = clouds(np.random.default_rng([chest.anatomy.texture_key, 2]), x.shape, 5 * pose.scale / 2, 5, 0.62)
    tissue = _up(body(chest, x, y) * (1 + np.float32(0.018) * fat), size)
    field = cv2.GaussianBlur(both, (0, 0), 0.06 * pose.scale).astype(np.float32) * np.float32(1 / 255)
    aerated = air * field
    attenuation = tissue - np.float32(_LUNG) * aerated
    attenuation *= np.float32(_WATER)

    vessels = _layer(size)
    draw_vessels(vessels, chest, pose)
    share = np.minimum(aerated * np.float32(1 / 9), 1)
    texture = _up(clouds(np.random.default_rng([chest.anatomy.texture_key, 1]), x.shape, 0.8 * pose.scale / 2, 4, 0.8), size)
    hila = _layer(size)
    draw_hila(hila, chest, pose)
    attenuation += share * (_soft(vessels, 0.04 * pose.scale, 0.2) + _soft(hila, 0.25 * pose.scale, 0.5) + np.float32(0.045) * texture)

    back, front, spine, shoulders = (_layer(size) for _ in range(4))
    draw_ribs(back, front, chest, pose)
    draw_spine(spine, chest, pose)
    draw_shoulders(shoulders, chest, pose)
    bone = chest.anatomy.rib_density
    ribs = _soft(back, 0.045 * pose.scale, 0.36 * bone) + _soft(front, 0.05 * pose.scale, 0.26 * bone)
    below = np.clip((y - sum(chest.domes) / 2) / 5, 0, 1)
    attenuation += ribs * _up(1 - np.float32(0.65) * below, size)
    attenuation += _soft(spine, 0.13 * pose.scale, 0.36)
    attenuation += _soft(shoulders, 0.06 * pose.scale, 0.5)
    gas = _layer(size)
    draw_airways(gas, chest, pose)
    attenuation -= _soft(gas, 0.13 * pose.scale, 0.24)
    gas[:] = 0
    draw_stomach(gas, chest, pose, rng)
    attenuation -= _soft(gas, 0.16 * pose.scale, 0.55)
    scanner = Scanner.of(sites_seed, patient.site)
    pixels = expose(scanner, attenuation, exposure=visit.exposure, portable=visit.view == "AP", rng=rng)
    heart_mask = heart > 127
    lung_mask = (both > 127) & ~heart_mask & ~(trunk > 127)
    return Drawing(pixels, lung_mask, heart_mask, (), ())


def _layer(size: int) -> Layer:
    return np.zeros((size, size), np.uint8)


def _solid(layer: Layer, pose: Pose, rounding: float) -> Floats:
    return solid(layer[::2, ::2], pose.scale / 2, rounding)


def _up(field: Floats, size: int) -> Floats:
    whole: Floats = cv2.resize(field, (size, size), interpolation=cv2.INTER_LINEAR)
    return whole


def _soft(layer: Layer, sigma: float, strength: float) -> Floats:
    """A layer slightly unsharp, as attenuation."""
    unsharp = cv2.GaussianBlur(layer, (0, 0), sigma)
    return np.multiply(unsharp, np.float32(strength / 255), dtype=np.float32)

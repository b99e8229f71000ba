"""Draw one visit's chest radiograph from the plan: shapes, then attenuation, then the exposure."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.bones import draw_ribs, draw_shoulders, draw_spine
from medveil.cohort.phantom.brush import clouds, fill
from medveil.cohort.phantom.chest import Chest
from medveil.cohort.phantom.devices import add_devices
from medveil.cohort.phantom.drawing import Drawing
from medveil.cohort.phantom.lesions import add_findings
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan
from medveil.cohort.phantom.pose import Pose
from medveil.cohort.phantom.scanner import Scanner, expose
from medveil.cohort.phantom.scene import STEP, Scene
from medveil.cohort.phantom.soft_tissue import (
    body,
    core,
    draw_airways,
    draw_stomach,
    lung_depth,
    lung_layers,
    solid,
)
from medveil.cohort.phantom.vessels import draw_bronchi, draw_hila, draw_marks, draw_vessels

Floats = NDArray[np.float32]
Layer = NDArray[np.uint8]
_WATER = np.float32(0.17)  # attenuation of soft tissue, 1/cm
_AIR = np.float32(0.72)  # share of the lung's depth that is air


def draw(patient: PatientPlan, visit: VisitPlan, *, sites_seed: int, size: int = 512) -> Drawing:
    """The visit's radiograph with its masks and boxes; same arguments, same bytes."""
    pose, chest = Pose.of(visit, size), Chest.of(patient, visit)
    right, left = lung_layers(chest, pose)
    heart, trunk = _filled(pose, chest.heart()), _filled(pose, chest.mediastinum())
    covered = cv2.max(heart, trunk)
    x, y = pose.grid(STEP)
    lungs_seen = (_share(right), _share(left))
    scene = Scene(chest, pose, x, y, lungs_seen, 1 - _share(covered), lung_depth(chest, x, y))
    findings, devices = add_findings(scene, visit), add_devices(scene, visit)
    both = cv2.max(right, left)
    aerated = _aerated(scene, both, heart, trunk)
    rng = np.random.default_rng([visit.noise_key, 3])
    attenuation = _soft_parts(scene, aerated, rng)
    attenuation += _bones(scene)
    attenuation += _soft(scene.lines, 0.03 * pose.scale, 0.4)
    if visit.devices:
        attenuation += _soft(scene.plastic, 0.03 * pose.scale, 0.75)
        attenuation += _soft(scene.metal, 0.03 * pose.scale, 3.0)
    scanner = Scanner.of(sites_seed, patient.site)
    pixels = expose(scanner, attenuation, exposure=visit.exposure, portable=visit.view == "AP", rng=rng)
    lungs: NDArray[np.bool_] = (both > 127) & (covered <= 127)
    return Drawing(pixels, lungs, heart > 127, findings, devices)


def _aerated(scene: Scene, both: Layer, heart: Layer, trunk: Layer) -> Floats:
    """How many cm of air-filled lung each beam crosses: what heart and findings leave of it."""
    scale = scene.pose.scale / STEP
    hila = scene.layer()[::STEP, ::STEP].copy()
    draw_hila(hila, scene.chest, scene.pose)
    cover = solid(_half(heart), scale, 4.5) * np.float32(10)
    cover = np.maximum(cover, solid(_half(trunk), scale, 1.8) * np.float32(11))
    cover += _soft(hila, 0.2 * scale, 5.5)
    np.maximum(cover, core(scene.chest, scene.x, scene.y), out=cover)
    air = np.clip(scene.depth - cover, 0, None) * (1 - scene.loss)
    edge = cv2.GaussianBlur(both, (0, 0), 0.06 * scene.pose.scale)
    return _whole(air, scene) * (edge * np.float32(1 / 255))


def _soft_parts(scene: Scene, aerated: Floats, rng: np.random.Generator) -> Floats:
    """Attenuation of body, lungs, vessels and airways."""
    chest, pose, shape = scene.chest, scene.pose, scene.x.shape
    fat = clouds(np.random.default_rng([chest.anatomy.texture_key, 2]), shape, 5 * pose.scale / STEP, 4, 0.62)
    tissue = body(chest, scene.x, scene.y)
    tissue *= 1 + np.float32(0.018) * fat
    attenuation = _whole(tissue, scene)
    attenuation -= _AIR * aerated
    attenuation *= _WATER
    vessels, gas = scene.layer(), scene.layer()
    draw_vessels(vessels, chest, pose)
    grain = clouds(np.random.default_rng([chest.anatomy.texture_key, 1]), shape, 0.8 * pose.scale / STEP, 4, 0.8)
    inside = _soft(vessels, 0.04 * pose.scale, 0.2)
    inside += _whole(np.float32(0.045) * grain, scene)
    inside *= np.minimum(aerated * np.float32(1 / 9), 1)
    inside *= _whole(scene.gate, scene)
    attenuation += inside
    if scene.bronchi:
        draw_bronchi(gas, chest, pose)
        attenuation -= _soft(gas, 0.05 * pose.scale, 0.22) * _whole(np.clip(scene.loss, 0, 1), scene)
        gas[:] = 0
    draw_airways(gas, chest, pose)
    attenuation -= _soft(gas, 0.13 * pose.scale, 0.24)
    gas[:] = 0
    draw_stomach(gas, chest, pose, rng)
    attenuation -= _soft(gas, 0.16 * pose.scale, 0.5)
    return attenuation


def _bones(scene: Scene) -> Floats:
    chest, pose = scene.chest, scene.pose
    back, front, spine, shoulders = (scene.layer() for _ in range(4))
    draw_ribs(back, front, chest, pose)
    draw_spine(spine, chest, pose)
    draw_shoulders(shoulders, chest, pose)
    draw_marks(back, chest, pose)
    density = chest.anatomy.rib_density
    bones = _soft(back, 0.045 * pose.scale, 0.36 * density)
    bones += _soft(front, 0.05 * pose.scale, 0.26 * density)
    # Ribs over the belly drown in scatter.
    bones *= _whole(1 - np.float32(0.65) * np.clip((scene.y - sum(chest.domes) / 2) / 5, 0, 1), scene)
    bones += _soft(spine, 0.13 * pose.scale, 0.36)
    bones += _soft(shoulders, 0.06 * pose.scale, 0.5)
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


def _whole(field: Floats, scene: Scene) -> Floats:
    size = scene.pose.size
    whole: Floats = cv2.resize(field, (size, size), interpolation=cv2.INTER_LINEAR)
    return whole


def _soft(layer: Layer, sigma: float, strength: float) -> Floats:
    """A layer slightly unsharp, as attenuation."""
    unsharp = cv2.GaussianBlur(layer, (0, 0), sigma)
    return np.multiply(unsharp, np.float32(strength / 255), dtype=np.float32)

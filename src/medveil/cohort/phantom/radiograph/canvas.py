"""What is being drawn at one visit: the fields that findings and devices change before the exposure."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.gold import Box
from medveil.cohort.phantom.plan import Zone
from medveil.cohort.phantom.radiograph.brush import Floats, Layer
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.pose import Pose

STEP = 2  # smooth fields have half the film's resolution
_LEVEL = {"upper": 0.24, "mid": 0.52, "lower": 0.8}


@dataclass
class Canvas:
    chest: Chest
    pose: Pose
    coarse: Pose  # the same view at half resolution, in which all smooth fields are kept
    x: Floats  # cm
    y: Floats
    lungs: tuple[Floats, Floats]  # the right and left lung field, 0..1, also behind the heart
    air: Floats  # cm of lung along the beam that heart and great vessels leave, before any finding
    loss: Floats = field(init=False)  # share of the lung's air that is gone; negative: more air
    gate: Floats = field(init=False)  # how strongly vessels and texture are seen
    lines: Layer = field(init=False)  # thin dense lines, full resolution
    metal: Layer = field(init=False)
    plastic: Layer = field(init=False)
    bronchi: bool = False  # whether air-filled bronchi stand out against filled lung

    def __post_init__(self) -> None:
        self.loss, self.gate = np.zeros_like(self.x), np.ones_like(self.x)
        self.lines, self.metal, self.plastic = self.layer(), self.layer(), self.layer()

    def layer(self) -> Layer:
        return np.zeros((self.pose.size, self.pose.size), np.uint8)

    def coarse_layer(self) -> Layer:
        return np.zeros((self.coarse.size, self.coarse.size), np.uint8)

    def lung(self, side: int) -> Floats:
        return self.lungs[int(side > 0)]

    def level(self, side: int, zone: Zone) -> float:
        """The height of a zone of this lung, in cm."""
        apex = self.chest.anatomy.apex
        return apex + _LEVEL[zone] * (self.chest.domes[int(side > 0)] - apex)

    def seen(self, side: int) -> Floats:
        """Where a change of this lung can be seen, 0..1: not behind the middle of the heart."""
        return self.lung(side) * np.minimum(self.air * np.float32(0.3), 1)

    def thicken(self, share: Floats) -> None:
        """Replace this share of the air that is still there by tissue."""
        self.loss = 1 - (1 - self.loss) * (1 - share)

    def box_of(self, mask: NDArray[np.bool_]) -> Box | None:
        """The pixel box around a half-resolution mask."""
        return _bounds(mask.astype(np.uint8), STEP)


def layer_box(layer: Layer) -> Box | None:
    """The pixel box around what is drawn on a layer."""
    return _bounds(layer, 1)


def _bounds(mask: Layer, step: int) -> Box | None:
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return None
    return left * step, top * step, (left + width) * step, (top + height) * step

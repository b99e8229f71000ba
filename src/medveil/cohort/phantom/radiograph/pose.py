"""How the patient stands before the detector: from centimetres in the chest to pixels on the film."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from medveil.cohort.phantom.plan import View, VisitPlan
from medveil.cohort.phantom.radiograph.brush import Floats

FIELD_CM = 37.0  # what a film of zoom 1 shows


@dataclass(frozen=True)
class Pose:
    """x to the patient's left (the image's right), y down, z forward; all in cm from the film's centre."""

    size: int
    view: View
    rotation: float
    tilt: float
    shift: tuple[float, float]
    zoom: float

    @classmethod
    def of(cls, visit: VisitPlan, size: int) -> Pose:
        return cls(size, visit.view, visit.rotation, visit.tilt, visit.shift, visit.zoom)

    @property
    def scale(self) -> float:
        """Pixels per cm in the middle of the chest."""
        return self.size / FIELD_CM * self.zoom

    def coarser(self, step: int) -> Pose:
        """The same view on a film of fewer pixels."""
        return replace(self, size=self.size // step)

    @cached_property
    def _frame(self) -> Floats:
        """In-plane rotation and scale as a 2 × 2 matrix."""
        cosine, sine = math.cos(math.radians(self.tilt)), math.sin(math.radians(self.tilt))
        return np.asarray([[cosine, -sine], [sine, cosine]], np.float32) * np.float32(self.scale)

    @cached_property
    def _turn(self) -> tuple[float, float]:
        return math.cos(math.radians(self.rotation)), math.sin(math.radians(self.rotation))

    @cached_property
    def _centre(self) -> Floats:
        return np.asarray([self.size * (0.5 + part) for part in self.shift], np.float32)

    def project(self, points: Floats) -> Floats:
        """Points (..., 3) in cm to pixels (..., 2): what is far from the detector grows, and depth turns sideways."""
        cosine, sine = self._turn
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        across = x * cosine + z * sine
        depth = z * cosine - x * sine
        # PA: the chest touches the detector. AP: the back does, and a nearer tube looks up from the bed's foot.
        source, lean, away = (166.0, 0.04, -depth) if self.view == "PA" else (101.0, 0.13, depth)
        growth = source / (source - away)
        flat = np.empty((*points.shape[:-1], 2), growth.dtype)
        np.multiply(across, growth, out=flat[..., 0])
        np.multiply(y - lean * depth, growth, out=flat[..., 1])
        return flat @ self._frame.T + self._centre

    def grid(self) -> tuple[Floats, Floats]:
        """The x and y in cm, at the middle of the chest, of every pixel."""
        at = np.arange(self.size, dtype=np.float32) + np.float32(0.5)
        back = np.linalg.inv(self._frame).astype(np.float32)
        u, v = at[None, :] - self._centre[0], at[:, None] - self._centre[1]
        return back[0, 0] * u + back[0, 1] * v, back[1, 0] * u + back[1, 1] * v

"""A line of text in an image: a rectangle at any angle."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]  # left, top, right, bottom; right and bottom exclusive


@dataclass(frozen=True)
class Line:
    """Centre, size and direction of writing (radians, clockwise on the screen); which way up is not known."""

    x: float
    y: float
    length: float
    height: float
    angle: float
    score: float = 1.0

    @classmethod
    def around(cls, points: NDArray[np.float32], score: float = 1.0) -> Line:
        """The smallest rectangle around points; its long side is the direction."""
        (x, y), (width, height), degrees = cv2.minAreaRect(points)
        if width < height:
            width, height, degrees = height, width, degrees + 90
        return cls(float(x), float(y), float(width), float(height), _straightened(math.radians(degrees)), score)

    @classmethod
    def of_box(cls, box: Box, score: float = 1.0) -> Line:
        left, top, right, bottom = box
        return cls.around(np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32), score)

    @property
    def along(self) -> NDArray[np.float64]:
        return np.array([math.cos(self.angle), math.sin(self.angle)])

    @property
    def corners(self) -> NDArray[np.float64]:
        """Top left, top right, bottom right, bottom left, seen along the line."""
        along = self.along * self.length / 2
        down = np.array([-self.along[1], self.along[0]]) * self.height / 2
        middle = np.array([self.x, self.y])
        return np.stack([middle - along - down, middle + along - down, middle + along + down, middle - along + down])

    @property
    def area(self) -> float:
        return self.length * self.height

    def grown(self, aside: float, across: float) -> Line:
        """Longer by `aside` at each end, higher by `across` above and below; pixels."""
        return replace(self, length=self.length + 2 * aside, height=self.height + 2 * across)

    def scaled(self, factor: float) -> Line:
        """The same line in an image enlarged by `factor`."""
        return replace(
            self,
            x=self.x * factor,
            y=self.y * factor,
            length=self.length * factor,
            height=self.height * factor,
        )

    def moved(self, right: float, down: float) -> Line:
        return replace(self, x=self.x + right, y=self.y + down)

    def box(self, shape: tuple[int, ...]) -> Box:
        """The upright box around it, inside an image of this shape."""
        low, high = np.floor(self.corners.min(axis=0)), np.ceil(self.corners.max(axis=0))
        left, top = max(0, int(low[0])), max(0, int(low[1]))
        right, bottom = min(shape[1], int(high[0])), min(shape[0], int(high[1]))
        return left, top, max(left, right), max(top, bottom)

    def paint(self, canvas: NDArray[np.uint8], value: int = 255) -> None:
        cv2.fillPoly(canvas, [np.rint(self.corners).astype(np.int32)], value)

    def cut_out(self, image: NDArray[Any], height: int, *, quarter_turns: int = 0) -> NDArray[Any]:
        """What the line shows, upright and this many pixels high."""
        a, b, _, d = np.roll(self.corners, -quarter_turns, axis=0)
        across, down = float(np.linalg.norm(b - a)), float(np.linalg.norm(d - a))
        width = max(1, round(height * across / max(down, 1e-6)))
        source = np.stack([a, b, d]).astype(np.float32)
        target = np.array([[0, 0], [width, 0], [0, height]], np.float32)
        turn = cv2.getAffineTransform(source, target)
        return np.asarray(
            cv2.warpAffine(image, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        )

    def share_inside(self, other: Line) -> float:
        """How much of this line's area lies in the other."""
        if self.area <= 0:
            return 0.0
        ours, theirs = self.corners.astype(np.float32), other.corners.astype(np.float32)
        return float(cv2.intersectConvexConvex(ours, theirs)[0]) / self.area

    def distance(self, other: Line) -> float:
        """Gap between the two rectangles; 0 where they touch."""
        ours, theirs = self.corners.astype(np.float32), other.corners.astype(np.float32)
        if cv2.intersectConvexConvex(ours, theirs)[0] > 0:
            return 0.0
        return min(_gap(ours, theirs), _gap(theirs, ours))


def _gap(points: NDArray[np.float32], polygon: NDArray[np.float32]) -> float:
    return min(
        abs(cv2.pointPolygonTest(polygon, (float(x), float(y)), True))
        for x, y in (*points, *((points + np.roll(points, 1, axis=0)) / 2))
    )


def _straightened(angle: float) -> float:
    """Into (-90, 90] degrees: left to right wherever that can be told."""
    turned = (angle + math.pi / 2) % math.pi - math.pi / 2
    return turned if turned > -math.pi / 2 else turned + math.pi

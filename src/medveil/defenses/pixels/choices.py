"""What a person decided about one frame: regions that stay as they are, regions that go, and that the rest is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Box, Line


@dataclass(frozen=True)
class Choices:
    """`accept` releases a frame in which something was doubtful; what was doubtful then stays."""

    keep: tuple[Box, ...] = ()
    remove: tuple[Box, ...] = ()
    accept: bool = False

    def mark(self, mask: NDArray[np.bool_]) -> None:
        """Where a frame is painted, in place: what is to go too, and not what is to stay."""
        for boxes, painted in ((self.remove, True), (self.keep, False)):
            for left, top, right, bottom in boxes:
                mask[top:bottom, left:right] = painted

    def keeps(self, line: Line) -> bool:
        """Whether most of the line lies in a region that is to stay."""
        return any(line.share_inside(Line.of_box(box)) > 0.5 for box in self.keep)

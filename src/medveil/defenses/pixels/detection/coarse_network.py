"""The network that sees large text, and tells small text from anatomy: half-size gray image in, the same two maps out.

Its maps are a quarter of its input's size. Nearly all of it works at an eighth of that size and below; the last layer
gives each of those cells the four of the maps.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import pixel_shuffle

from medveil.defenses.pixels.detection.text_network import Unit, doubled, stage

HALF, QUARTER, EIGHTH, SIXTEENTH, COARSE = 16, 32, 48, 64, 96  # channels at each level


class CoarseNetwork(nn.Module):
    """`training` builds the form with normalisation; `fused` turns it into the shipped one."""

    def __init__(self, *, training: bool = False) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            Unit(1, HALF, stride=2, training=training), Unit(HALF, QUARTER, stride=2, training=training)
        )
        self.eighth = stage(QUARTER, EIGHTH, 1, training)
        self.sixteenth = stage(EIGHTH, SIXTEENTH, 1, training)
        self.coarse = stage(SIXTEENTH, COARSE, 1, training)
        self.from_coarse = nn.Conv2d(COARSE, SIXTEENTH, 1)
        self.from_sixteenth = nn.Conv2d(SIXTEENTH, EIGHTH, 1)
        self.merge_sixteenth = Unit(SIXTEENTH, SIXTEENTH, training=training)
        self.merge_eighth = Unit(EIGHTH, EIGHTH, training=training)
        self.maps = nn.Conv2d(EIGHTH, 8, 1)

    def plain(self) -> CoarseNetwork:
        """One of the same size without normalisation."""
        return CoarseNetwork()

    def forward(self, gray: Tensor) -> Tensor:
        """Logits of both maps, from gray values in [0, 1]."""
        eighth = self.eighth(self.stem((gray - 0.5) * 4))
        sixteenth = self.sixteenth(eighth)
        x = self.merge_sixteenth(sixteenth + doubled(self.from_coarse(self.coarse(sixteenth))))
        x = self.merge_eighth(eighth + doubled(self.from_sixteenth(x)))
        return pixel_shuffle(self.maps(x), 2)

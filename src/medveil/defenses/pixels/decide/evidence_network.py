"""The network that weighs a proposed line: its strip, what surrounds it and a few numbers in, one logit out."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d

from medveil.defenses.pixels.find.networks import Residual, Unit

STRIP = (48, 320)  # pixels; the line is half as high, with room above and below
AROUND = 64  # pixels a side
NUMBERS = 14
_STRIP, _AROUND = STRIP[0] * STRIP[1], AROUND * AROUND
_STRIDE = 16  # columns of the strip to one of what the network makes of it
SIZE = 2 * _STRIP + _AROUND + NUMBERS  # of one line's evidence in a row: the strip, where it is valid, the rest


def _tower(inputs: int, widths: tuple[int, ...], training: bool) -> nn.Sequential:
    tower = nn.Sequential(Unit(inputs, widths[0], size=5, stride=2, training=training))
    for narrow, wide in pairwise(widths):
        tower.append(Unit(narrow, wide, stride=2, training=training)).append(Residual(wide, training=training))
    return tower


class EvidenceNetwork(nn.Module):
    """`training` builds the form with normalisation; `fused` turns it into the shipped one."""

    def __init__(self, widths: tuple[int, ...] = (16, 24, 48, 72), *, training: bool = False) -> None:
        super().__init__()
        self.widths = widths
        self.strip = _tower(2, widths, training)
        self.around = _tower(1, widths, training)
        self.head = nn.Sequential(
            nn.Linear(3 * widths[-1] + NUMBERS, 96), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Linear(96, 1)
        )

    def plain(self) -> EvidenceNetwork:
        """One of the same size without normalisation, with the same head."""
        plain = EvidenceNetwork(self.widths)
        plain.head.load_state_dict(self.head.state_dict())
        return plain

    def forward(self, evidence: Tensor) -> Tensor:
        """Logits from rows of evidence (n x `SIZE`)."""
        strip, around, numbers = torch.split(evidence, [2 * _STRIP, _AROUND, NUMBERS], dim=1)
        seen = self.seen_in_strip(strip.reshape(-1, 2, *STRIP)), self.seen_around(around.reshape(-1, 1, AROUND, AROUND))
        logits: Tensor = self.head(torch.cat([*seen, numbers], dim=1))[:, 0]
        return logits

    def seen_in_strip(self, strip: Tensor) -> Tensor:
        """Of the strip and where it is valid (n x 2 x rows x columns, of which there are a multiple of 16)."""
        marks = self.strip(strip)
        share = max_pool2d(strip[:, 1:, :1], (1, _STRIDE))
        mean = (marks * share).sum((2, 3)) / (share.sum((2, 3)) * marks.shape[2]).clamp(min=1)
        return torch.cat([mean, (marks * share).amax((2, 3))], dim=1)

    def seen_around(self, around: Tensor) -> Tensor:
        found: Tensor = self.around(around).mean((2, 3))
        return found


class SeenInStrip(nn.Module):
    def __init__(self, network: EvidenceNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, strip: Tensor) -> Tensor:
        return self.network.seen_in_strip(strip)


class SeenAround(nn.Module):
    def __init__(self, network: EvidenceNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, around: Tensor) -> Tensor:
        return self.network.seen_around(around)

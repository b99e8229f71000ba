"""The network that weighs a proposed line: its strip, what surrounds it and a few numbers in, one logit out."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_max_pool2d

from medveil.defenses.pixels.find.networks import Residual, Unit

STRIP = (48, 320)  # pixels; the line is half as high, with room above and below
AROUND = 64  # pixels a side
NUMBERS = 14
_STRIP, _AROUND = STRIP[0] * STRIP[1], AROUND * AROUND
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
        seen, valid, around, numbers = torch.split(evidence, [_STRIP, _STRIP, _AROUND, NUMBERS], dim=1)
        strip = torch.stack([seen, valid], dim=1).view(-1, 2, *STRIP)
        marks = self.strip(strip)
        share = adaptive_max_pool2d(strip[:, 1:], (1, marks.shape[3]))
        mean = (marks * share).sum((2, 3)) / (share.sum((2, 3)) * marks.shape[2]).clamp(min=1)
        peak = (marks * share).amax((2, 3))
        near = self.around(around.view(-1, 1, AROUND, AROUND)).mean((2, 3))
        logits: Tensor = self.head(torch.cat([mean, peak, near, numbers], dim=1))[:, 0]
        return logits

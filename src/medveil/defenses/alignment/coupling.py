"""Does one person's loss depend on the others in the batch? Then clipping bounds nothing, and nothing is private.

Three spot checks, on batches drawn at random and never on the data, which a refusal would tell about. By derivative:
the loss of every unit is differentiated by the features of all others, through the heads, which must give exactly zero.
By exchange: the others are replaced, which must leave the unit's loss as it was; this finds what a derivative cannot
see, such as a value taken out of the graph. By joining: one whole unit joins a large batch, of features far apart and
of features so close that heads and arithmetic are strained, and the clipped sum that training uses must not move by
more than the noise is made for; this finds what is coupled in large batches only, and what rounding couples. A check
that finds nothing proves nothing: the argument stands beside the losses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.alignment.gradients import clipped_sum
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.losses import Loss

DRAWS = 3
PAIRS = 12
SAME = 1e-4  # of the loss: what the order of additions may change
LARGE = 512  # pairs of a batch that a unit joins
SPREADS = (1.0, 1e-2, 1e-5)  # of its features around one place
LEEWAY = 1e-4  # of the sensitivity: what rounding may add

PairLosses = Callable[[Tensor, Tensor], Tensor]
LossOf = Callable[[Tensor], Loss]  # the loss of a batch whose pairs are clipped together as these codes say


@dataclass(frozen=True)
class Coupling:
    """The most that one unit's loss moved with another's features, and the clipped sum with one unit more.

    `joining` is in sensitivities: what the noise is made for is 1.
    """

    derivative: float
    exchange: float
    joining: float = 0.0

    @property
    def found(self) -> bool:
        """Anything but a clean zero counts, what is not a number included."""
        return not (self.derivative == 0 and self.exchange <= SAME and self.joining <= 1 + LEEWAY)


def heads_coupling(heads: Heads, loss: Loss, units: Tensor | None = None, *, seed: int = 0) -> Coupling:
    """Coupling of a loss behind these heads; `units` (of `PAIRS` pairs) where several pairs are one unit."""

    def losses(images: Tensor, reports: Tensor) -> Tensor:
        return loss(
            functional.normalize(heads.image(images), dim=1), functional.normalize(heads.report(reports), dim=1)
        )

    return coupling(losses, heads.image.shape.inputs, heads.report.shape.inputs, units, seed=seed)


def coupling(
    losses: PairLosses, image_inputs: int, report_inputs: int, units: Tensor | None = None, *, seed: int = 0
) -> Coupling:
    """Coupling of a function from features of `PAIRS` pairs to one loss a pair."""
    generator = torch.Generator().manual_seed(seed)
    units = torch.arange(PAIRS) if units is None else units
    found = [
        _draw(losses, units, _batch(image_inputs, generator), _batch(report_inputs, generator), generator)
        for _ in range(DRAWS)
    ]
    # torch.max keeps what is not a number
    derivative, exchange = torch.tensor(found).T
    return Coupling(float(derivative.max()), float(exchange.max()))


def joining(
    heads: Heads, loss_of: LossOf, together: Tensor, clip: float, *, sensitivity: float, pairs: int = 1, seed: int = 0
) -> float:
    """The most that the clipped sum moves when a unit of the last `pairs` pairs joins, over the sensitivity.

    `together` says which pairs of the batch are clipped together, the unit's own among them.
    """
    generator = torch.Generator().manual_seed(seed)
    moved = []
    for spread in SPREADS:
        images, reports = (
            _around_one_place(len(together), head.shape.inputs, spread, generator)
            for head in (heads.image, heads.report)
        )

        def summed(rows: slice, images: Tensor = images, reports: Tensor = reports) -> Tensor:
            codes = torch.from_numpy(np.unique(together[rows].numpy(), return_inverse=True)[1])
            parts = clipped_sum(heads, loss_of(codes), images[rows], reports[rows], codes, clip)
            return torch.cat([part.flatten() for part in parts])

        moved.append((summed(slice(None)) - summed(slice(-pairs))).norm() / sensitivity)
    return float(torch.stack(moved).max())


def _around_one_place(pairs: int, inputs: int, spread: float, generator: torch.Generator) -> Tensor:
    return torch.randn(inputs, generator=generator) + spread * torch.randn(pairs, inputs, generator=generator)


def _batch(inputs: int, generator: torch.Generator) -> Tensor:
    return torch.randn(PAIRS, inputs, generator=generator)


def _draw(
    losses: PairLosses, units: Tensor, images: Tensor, reports: Tensor, generator: torch.Generator
) -> tuple[float, float]:
    derivatives: list[Tensor] = []
    exchanges: list[Tensor] = []
    images.requires_grad_()
    reports.requires_grad_()
    before = losses(images, reports)
    for unit in set(units.tolist()):
        own = units == unit
        slopes = torch.autograd.grad(before[own].sum(), [images, reports], retain_graph=True, materialize_grads=True)
        derivatives.extend(slope[~own].abs().max() for slope in slopes)
        with torch.no_grad():
            others = [
                torch.where(own[:, None], rows, torch.randn(rows.shape, generator=generator))
                for rows in (images, reports)
            ]
            after = losses(*others)
        exchanges.append(((after - before)[own].abs() / (1 + before[own].abs())).max())
    return float(torch.stack(derivatives).max().detach()), float(torch.stack(exchanges).max().detach())

"""Vessels found on photographs of the eye by a small network that learns from a few outlined ones.

Nothing is bundled: the network learns from the photographs at hand, and looks at those of other people.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.stats.bootstrap import unit_codes
from medveil.training.device import autocast, placed
from medveil.training.schedule import warm_cosine
from medveil.utility.lungs.network import LungNetwork

WIDTHS = (16, 32, 64, 96)
BATCH = 8
STEPS = 400
CROP = 160  # pixels a side
RATE = 3e-3
WARM = 30  # steps
Photographs = NDArray[np.uint8]
Masks = NDArray[np.bool_]


class VesselNetwork(LungNetwork):
    """Photographs of 0..1 (n × 3 × side × side) to log odds (n × 1 × side × side)."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__(widths)
        block = self.down[0]
        assert isinstance(block, nn.Sequential)
        block[0] = nn.Conv2d(3, widths[0], 3, padding=1, bias=False)


def learn_vessels(
    photographs: Photographs, outlines: Masks, *, steps: int = STEPS, device: str = "cpu", seed: int = 0
) -> VesselNetwork:
    """From photographs (n × 256 × 256 × 3) and the vessels outlined on them (n × 256 × 256)."""
    torch.manual_seed(seed)
    network = placed(VesselNetwork(), device)
    given = torch.from_numpy(photographs).permute(0, 3, 1, 2).to(device)
    truth = torch.from_numpy(outlines).unsqueeze(1).to(device)
    generator = torch.Generator(device).manual_seed(seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    network.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = warm_cosine(step, step / steps, RATE, warm=max(1, min(WARM, steps // 5)))
        rows = torch.randint(len(given), (BATCH,), generator=generator, device=device)
        shown, masks = _seen(given[rows].float() / 255, truth[rows].float(), generator)
        with autocast(device):
            odds = network(shown.contiguous(memory_format=torch.channels_last)).float()
        loss = _loss(odds, masks)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
    return network.eval().requires_grad_(False)


@torch.inference_mode()
def find_vessels(network: VesselNetwork, photographs: Photographs, *, device: str = "cpu") -> Masks:
    """The mean of a photograph and its mirror image."""
    found = []
    for some in torch.from_numpy(photographs).split(4):  # type: ignore[no-untyped-call]
        shown = some.permute(0, 3, 1, 2).to(device).float() / 255
        odds = network(shown) + network(shown.flip(-1)).flip(-1)
        found.append((odds[:, 0] > 0).cpu().numpy())
    return np.concatenate(found)


def vessel_dice(found: Masks, outlines: Masks) -> NDArray[np.float64]:
    """One a photograph."""
    both = (found & outlines).sum((1, 2))
    return np.asarray(2 * both / np.maximum(found.sum((1, 2)) + outlines.sum((1, 2)), 1), np.float64)


def cross_fitted(
    learned_from: Photographs,
    looked_at: Photographs,
    outlines: Masks,
    patients: NDArray[Any],
    *,
    folds: int = 4,
    steps: int = STEPS,
    device: str = "cpu",
    seed: int = 0,
) -> NDArray[np.float64]:
    """Dice of every photograph in `looked_at`, by a network that learned from other people's in `learned_from`."""
    who, people = unit_codes(patients)
    fold = np.random.default_rng([seed, people]).permutation(people)[who] % folds
    found = np.zeros(outlines.shape, bool)
    for k in np.unique(fold):
        rest, here = fold != k, fold == k
        network = learn_vessels(learned_from[rest], outlines[rest], steps=steps, device=device, seed=seed)
        found[here] = find_vessels(network, looked_at[here], device=device)
    return vessel_dice(found, outlines)


def _seen(photographs: Tensor, masks: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """A part of each, turned, scaled and mirrored, in another light."""
    n, device = len(photographs), photographs.device

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(n, generator=generator, device=device)

    angle, zoom = between(-math.pi, math.pi), CROP / photographs.shape[-1] * between(-0.25, 0.25).exp()
    mirror = torch.where(between(0, 1) < 0.5, -1.0, 1.0)
    cos, sin = angle.cos() * zoom, angle.sin() * zoom
    across, down = between(-0.5, 0.5), between(-0.5, 0.5)
    rows = torch.stack([torch.stack([cos * mirror, -sin, across], 1), torch.stack([sin * mirror, cos, down], 1)], 1)
    grid = functional.affine_grid(rows, [n, 1, CROP, CROP], align_corners=False)
    shown = functional.grid_sample(photographs, grid, align_corners=False)
    shown = shown.clamp(min=1e-4) ** between(-0.4, 0.4).exp().view(-1, 1, 1, 1)
    shown = shown * between(0.8, 1.2).view(-1, 1, 1, 1)
    return shown.clamp(0, 1), (functional.grid_sample(masks, grid, align_corners=False) > 0.5).float()


def _loss(odds: Tensor, masks: Tensor) -> Tensor:
    """Cross-entropy, and one minus Dice over the batch: a part may hold no vessel."""
    likely = odds.sigmoid()
    dice = (2 * (likely * masks).sum() + 1) / (likely.sum() + masks.sum() + 1)
    return functional.binary_cross_entropy_with_logits(odds, masks) + 1 - dice

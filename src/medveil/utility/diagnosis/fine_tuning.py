"""The full effort: the whole network taught on the films, so many steps for everybody; what is kept is the average of
its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import SIDE, FindingsNetwork
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.training.average import averaged, follow
from medveil.training.device import autocast, placed
from medveil.training.schedule import warm_cosine
from medveil.utility.diagnosis.features import START, Floats, as_planes
from medveil.utility.diagnosis.films import LabelledFilms, Pixels
from medveil.weights.bundled import bundled

BATCH = 64
STEPS = 320  # about ten seconds of an H200
WARM = 30  # steps
RATE = 4e-4
KEEP = 0.99  # of the average, a step
CHANGES = Augmentation(person=0.0, rotation=8.0, scale=0.15, shift=0.06, bend=0.015, gamma=0.4, covered=0.2)


@dataclass(frozen=True)
class FineTuned:
    network: nn.Module
    device: str

    @classmethod
    def learned(
        cls, fit: LabelledFilms, *, device: str = "cpu", seed: int = 0, steps: int = STEPS, batch: int = BATCH
    ) -> FineTuned:
        torch.manual_seed(seed)
        network = FindingsNetwork(fit.targets.shape[1])
        start, _ = load_retrieval(bundled(START))
        network.backbone.load_state_dict(start.backbone.state_dict())
        counted = np.maximum(fit.counts.sum(0), 1)
        common = torch.from_numpy((fit.targets * fit.counts).sum(0) / counted).float()
        with torch.no_grad():  # begin with how common each finding is
            network.last.bias.copy_(torch.logit(common.clamp(1e-3, 1 - 1e-3)))
        kept = _taught(placed(network, device), fit, device, seed, steps, batch)
        return cls(kept.eval().requires_grad_(False), device)

    def scores(self, pixels: Pixels) -> Floats:
        """The mean of a film and its mirror image."""
        found = []
        with torch.inference_mode(), autocast(self.device):
            for start in range(0, len(pixels), 2 * BATCH):
                films = as_planes(pixels[start : start + 2 * BATCH], self.device)
                both = self.network(films).float() + self.network(films.flip(-1)).float()
                found.append((both / 2).cpu().numpy())
        return np.concatenate(found).astype(np.float64)


def _taught(network: nn.Module, fit: LabelledFilms, device: str, seed: int, steps: int, batch: int) -> nn.Module:
    films, targets, counts = (torch.from_numpy(np.ascontiguousarray(part)).to(device) for part in _parts(fit))
    generator = torch.Generator(device).manual_seed(seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    kept = averaged(network)
    network.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = warm_cosine(step, step / steps, RATE, warm=max(1, min(WARM, steps // 5)))
        rows = torch.randint(len(films), (batch,), generator=generator, device=device)
        gray = _changed(films[rows], rows, generator)
        with autocast(device):
            odds = network(gray)
        each = functional.binary_cross_entropy_with_logits(odds.float(), targets[rows], reduction="none")
        loss = (each * counts[rows]).sum() / counts[rows].sum().clamp(min=1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        follow(kept, network, min(KEEP, 1 - 1 / (step + 1)))
    return kept


def _parts(fit: LabelledFilms) -> tuple[NDArray[Any], ...]:
    return fit.pixels, fit.targets, fit.counts.astype(np.float32)


def _changed(films: Tensor, rows: Tensor, generator: torch.Generator) -> Tensor:
    """Positions and exposures other than the film's own; the colours of a photograph change together."""
    mirror = torch.rand(len(films), generator=generator, device=films.device) < 0.5
    if films.ndim == 3:
        return augment(films, SIDE, rows, mirror, generator, CHANGES)
    planes = films.permute(0, 3, 1, 2)
    state = generator.get_state()
    colours = []
    for plane in planes.unbind(1):
        generator.set_state(state)
        colours.append(augment(plane, SIDE, rows, mirror, generator, CHANGES))
    return torch.cat(colours, 1).contiguous(memory_format=torch.channels_last)

"""The sum of the patients' gradients, each shortened to the clipping norm.

Every patient's gradient is formed by itself (vmap over the patients, one film each), so that it depends on nobody else.
Chunks are always full, empty places being filled up and left out of the sum: were their size to follow the sample, the
last bits of a gradient would too.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap

from medveil.defenses.alignment.losses import Loss
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.losses import Batch, own_loss
from medveil.federated.vision_language.network import VisionLanguageNetwork, trained_parameters

CHUNK = {"cpu": 8, "cuda": 32}  # patients at a time
ROUNDING = 1e-6  # lengths are rounded up by this share: they are of single precision


def clipped_sum(
    network: VisionLanguageNetwork, batch: Batch, recipe: Recipe, contrast: Loss | None, clip: float
) -> list[Tensor]:
    """One tensor a trained parameter, in double precision. A gradient that is no number takes no part."""
    parameters = {name: one.detach() for name, one in trained_parameters(network).items()}
    sums = [torch.zeros_like(one, dtype=torch.float64) for one in parameters.values()]

    def loss(values: dict[str, Tensor], *one: Tensor) -> Tensor:
        row = Batch(*(part.unsqueeze(0) for part in one))
        return own_loss(functional_call(network, values, (row.films, row.words)), row, recipe, contrast).squeeze(0)

    each = vmap(grad(loss), in_dims=(None, 0, 0, 0, 0))
    chunk = CHUNK.get(batch.films.device.type, 8)
    rows = (batch.films, batch.words, batch.targets, batch.known)
    for start in range(0, len(batch.films), chunk):
        there = min(chunk, len(batch.films) - start)
        filled = [_filled(part[start : start + chunk], chunk) for part in rows]
        gradients = list(each(parameters, *filled).values())
        lengths = sum(one.double().flatten(1).square().sum(1) for one in gradients)
        assert isinstance(lengths, Tensor)
        lengths = lengths.sqrt() * (1 + ROUNDING)
        weights = torch.where(lengths.isfinite(), clip / lengths.clamp(min=clip), 0.0)
        weights[there:] = 0
        for total, one in zip(sums, gradients, strict=True):
            known = torch.where((weights == 0).view(-1, *[1] * (one.dim() - 1)), 0.0, one.double())
            total += torch.tensordot(weights, known, dims=1)
    return sums


def _filled(part: Tensor, size: int) -> Tensor:
    return part if len(part) == size else torch.cat([part, part[:1].expand(size - len(part), *part.shape[1:])])

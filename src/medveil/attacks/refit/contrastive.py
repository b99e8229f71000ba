"""Heads refitted by contrast: every image should be nearer to its own report than to the others of its batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from medveil.attacks.refit.correlation import LinearHeads
from medveil.attacks.refit.pairs import SeenPairs

if TYPE_CHECKING:
    from torch import Tensor

BATCH = 256
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-2
TEMPERATURE = 0.1


def refit_by_contrast(
    pairs: SeenPairs,
    start: LinearHeads,
    *,
    score: Callable[[LinearHeads], float],
    epochs: int,
    patience: int,
    seed: int,
) -> LinearHeads:
    """The best heads from `start` on, until `score` (on pairs not fitted on) has not improved for `patience` epochs."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    images, image_map = _scaled(pairs.images, start.image_centre, start.image_map)
    reports, report_map = _scaled(pairs.reports, start.report_centre, start.report_map)
    maps = [image_map.requires_grad_(), report_map.requires_grad_()]
    warmth = torch.tensor(-float(np.log(TEMPERATURE)), requires_grad=True)
    groups: list[dict[str, Any]] = [{"params": maps}, {"params": [warmth], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    best, best_score, waited = start, score(start), 0
    for _ in range(epochs):
        for rows in torch.split(torch.randperm(len(pairs), generator=generator), BATCH):
            if len(rows) < 2:
                continue
            optimizer.zero_grad()
            torch.autograd.backward(_contrast(images[rows] @ maps[0], reports[rows] @ maps[1], warmth))
            optimizer.step()
        heads = _unscaled(pairs, start, maps)
        reached = score(heads)
        if reached > best_score:
            best, best_score, waited = heads, reached, 0
        else:
            waited += 1
            if waited > patience:
                break
    return best


def _contrast(images: Tensor, reports: Tensor, warmth: Tensor) -> Tensor:
    """Symmetric InfoNCE with a learned temperature."""
    import torch
    from torch.nn.functional import cross_entropy, normalize

    scores = normalize(images, dim=1) @ normalize(reports, dim=1).T * warmth.exp().clamp(max=100)
    own = torch.arange(len(scores))
    return (cross_entropy(scores, own) + cross_entropy(scores.T, own)) / 2


def _spread(vectors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(vectors.var(axis=0, dtype=np.float64)))) or 1.0


def _scaled(vectors: np.ndarray, centre: np.ndarray, mapping: np.ndarray) -> tuple[Tensor, Tensor]:
    """Inputs of ordinary size, so that one learning rate suits embeddings and raw features alike."""
    import torch

    spread = _spread(vectors)
    inputs = torch.from_numpy(((vectors - centre) / spread).astype(np.float32))
    return inputs, torch.from_numpy((mapping * spread).astype(np.float32))


def _unscaled(pairs: SeenPairs, start: LinearHeads, maps: list[Tensor]) -> LinearHeads:
    image_map, report_map = (m.detach().numpy().astype(np.float64) for m in maps)
    return LinearHeads(
        start.image_centre,
        image_map / _spread(pairs.images),
        start.report_centre,
        report_map / _spread(pairs.reports),
    )

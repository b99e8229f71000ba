"""How well a model outlines tumours: Dice by region, with intervals by patient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from medveil.errors import NotMeasurable
from medveil.federated.segmentation.brats import REGIONS, Subject
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate


def outlined(network: nn.Module, volumes: NDArray[np.float32], *, crop: int, device: str) -> NDArray[np.bool_]:
    """3 × x × y × z, from cubes that overlap by half, their odds averaged."""
    sides = volumes.shape[1:]
    padded = np.pad(volumes, [(0, 0), *((0, max(0, crop - side)) for side in sides)])
    odds = np.zeros((len(REGIONS), *padded.shape[1:]), np.float32)
    counts = np.zeros(padded.shape[1:], np.float32)
    with torch.inference_mode():
        for cube in _cubes(padded.shape[1:], crop):
            part = torch.from_numpy(np.ascontiguousarray(padded[(slice(None), *cube)]))[None].to(device)
            odds[(slice(None), *cube)] += network(part)[0].float().cpu().numpy()
            counts[cube] += 1
    within = tuple(slice(0, side) for side in sides)
    return (odds / counts)[(slice(None), *within)] > 0


def dice(found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """By region; 1 where there is nothing to outline and nothing was."""
    places = tuple(range(1, truth.ndim))
    both, either = (found & truth).sum(places), found.sum(places) + truth.sum(places)
    return np.divide(2.0 * both, either, out=np.ones(len(truth)), where=either > 0)


def overlap(
    network: nn.Module, subjects: Sequence[Subject], *, crop: int, device: str = "cpu", seed: int = 0
) -> dict[str, Estimate]:
    """The mean Dice of every region over these subjects, redrawn by patient: the same redraws for every model."""
    judged = [subject for subject in subjects if subject.outline is not None]
    if not judged:
        raise NotMeasurable("none of the subjects has an outline to compare with")
    network.eval()
    values = np.array(
        [dice(outlined(network, one.volumes(), crop=crop, device=device), one.regions()) for one in judged]
    )
    codes, units = unit_codes(np.array([subject.patient for subject in judged]))
    weights = unit_weights(units, seed=seed)
    return {
        region: Estimate.from_replicates(
            float(values[:, column].mean()),
            mean_replicates(values[:, column], codes, weights),
            n=len(judged),
            units=units,
        )
        for column, region in enumerate(REGIONS)
    }


def _cubes(shape: Sequence[int], crop: int) -> Iterator[tuple[slice, ...]]:
    starts = [sorted({*range(0, side - crop + 1, max(1, crop // 2)), side - crop}) for side in shape]
    for corner in product(*starts):
        yield tuple(slice(at, at + crop) for at in corner)

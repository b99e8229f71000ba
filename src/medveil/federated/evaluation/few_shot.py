"""Diagnosis from a few examples: the encoder stays as it is, and a film is held against the mean of films with the
finding and the mean of films without it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.network import VisionLanguageNetwork


def few_shot_scores(
    network: VisionLanguageNetwork,
    examples: Films,
    films: Films,
    *,
    shots: int,
    device: str,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Films × findings, NaN where fewer patients than `shots` have, or have not, the finding among the examples.

    An example is one film of a patient, so that no patient is shown twice.
    """
    known = _features(network, examples, device)
    asked = _features(network, films, device)
    centre, scale = known.mean(0), known.std(0) + 1e-6
    known, asked = (known - centre) / scale, (asked - centre) / scale
    scores = np.full((len(films), examples.targets.shape[1]), np.nan, np.float32)
    for finding in range(examples.targets.shape[1]):
        sides = [_drawn(examples, finding, value, shots, rng) for value in (1, 0)]
        if any(len(side) < shots for side in sides):
            continue
        there, absent = (known[torch.from_numpy(side).to(device)].mean(0) for side in sides)
        scores[:, finding] = (asked @ (there - absent)).cpu().numpy()
    return scores


def _drawn(films: Films, finding: int, value: int, shots: int, rng: np.random.Generator) -> NDArray[np.intp]:
    rows = np.flatnonzero(films.known[:, finding] & (films.targets[:, finding] == value))
    rows = rng.permutation(rows)
    _, first = np.unique(films.patients[rows], return_index=True)
    return rng.permutation(rows[first])[:shots]


def _features(network: VisionLanguageNetwork, films: Films, device: str, batch: int = 256) -> Tensor:
    with torch.inference_mode():
        parts = [
            network.image(torch.from_numpy(films.pixels[at : at + batch]).to(device).unsqueeze(1).float() / 255)
            .mean((2, 3))
            .float()
            for at in range(0, len(films), batch)
        ]
    return torch.cat(parts)

"""The small effort: fixed features of a network that knows no findings, and one linear layer on them.

Features can be taken once and used for many layers: `features_of` gives them, `fit_layer` learns from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.inference import FEW, MANY, Network, for_device
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.runtime.once import once
from medveil.runtime.threads import one_torch_thread
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import unit_codes
from medveil.stats.factorisation import singular_vectors
from medveil.training.device import placed
from medveil.utility.diagnosis.films import LabelledFilms, Pixels
from medveil.weights.bundled import bundled

START = "reidentification-1"
PENALTIES = (0.01, 0.003, 0.001, 0.0003)  # of the squared weights, beside the mean loss
HELD_OUT = 4  # every so many-th patient chooses the penalty
Floats = NDArray[np.float64]


class _Pooled(nn.Module):
    """The mean of every map over each cell of a grid on the film."""

    def __init__(self, backbone: nn.Module, cells: int) -> None:
        super().__init__()
        self.backbone, self.cells = backbone, cells

    def forward(self, films: Tensor) -> Tensor:
        maps = self.backbone(films).float()
        return functional.avg_pool2d(maps, maps.shape[-1] // self.cells).flatten(2).transpose(1, 2).flatten(1)


@once
def _network(device: str, cells: int) -> Network:
    """Kept, for compiling takes longer than looking at a few films."""
    with one_torch_thread():  # many small tensors
        network, _ = load_retrieval(bundled(START))
        pooled = fold_normalisation(_Pooled(network.backbone, cells).eval().requires_grad_(False))
    return for_device(placed(pooled, device), device)


def as_planes(pixels: Pixels, device: str = "cpu") -> Tensor:
    """Films as the network takes them: n × colours × 256 × 256, 0..1."""
    films = torch.from_numpy(np.ascontiguousarray(pixels)).to(device)
    films = films.permute(0, 3, 1, 2) if films.ndim == 4 else films.unsqueeze(1)
    return (films.float() / 255).contiguous(memory_format=torch.channels_last)


def features_of(films: Pixels | Iterable[Pixels], *, device: str = "cpu", cells: int = 1) -> NDArray[np.float32]:
    """n × 1,280, or as many for each cell of a grid; of films one after another, so that memory holds a few at a time.

    Row by row, a cell's features stand together.
    """
    network, batch = _network(device, cells), FEW if torch.device(device).type == "cpu" else MANY
    waiting: list[Pixels] = []
    found: list[NDArray[np.float32]] = []

    def look() -> None:
        # in three planes, for a compiled network takes films of one form only
        planes = as_planes(np.stack(waiting), device)
        with torch.inference_mode():
            found.append(network(planes.expand(-1, 3, -1, -1).contiguous()).cpu().numpy())
        waiting.clear()

    for film in films:
        waiting.append(film)
        if len(waiting) == batch:
            look()
    if waiting:
        look()
    return np.concatenate(found)


@dataclass(frozen=True)
class Layer:
    """Logistic regression on standardised features, all findings at once."""

    weights: Floats  # features × findings
    bias: Floats
    centre: Floats
    scale: Floats
    penalty: float

    def scores(self, features: NDArray[np.float32]) -> Floats:
        return (features - self.centre) / self.scale @ self.weights + self.bias


def fit_layer(
    features: NDArray[np.float32],
    targets: NDArray[np.float32],
    counts: NDArray[np.bool_],
    patients: NDArray[Any],
    *,
    seed: int = 0,
) -> Layer:
    """With the penalty that ranks the findings best on a quarter of the patients, learned anew from all."""
    who, people = unit_codes(patients)
    aside = np.random.default_rng([seed, people]).permutation(people)[who] % HELD_OUT == 0
    penalty = PENALTIES[0]
    if not aside.all():
        parts = [(features[rows], targets[rows], counts[rows]) for rows in (~aside, aside)]
        layers = [_minimise(*parts[0], penalty) for penalty in PENALTIES]
        merits = [_macro(layer.scores(parts[1][0]), *parts[1][1:]) for layer in layers]
        if np.isfinite(merits).any():
            penalty = PENALTIES[int(np.nanargmax(merits))]
    return _minimise(features, targets, counts, penalty)


def _macro(scores: Floats, targets: NDArray[np.float32], counts: NDArray[np.bool_]) -> float:
    known = [(k, counts[:, k]) for k in range(targets.shape[1])]
    reached = [WeightedAUC(scores[use, k], targets[use, k] == 1)() for k, use in known]
    return float(np.nanmean(reached)) if np.isfinite(reached).any() else float("nan")


def _minimise(
    features: NDArray[np.float32], targets: NDArray[np.float32], counts: NDArray[np.bool_], penalty: float
) -> Layer:
    """Every finding's loss is a mean over the films where it is known; the layer's last row is the bias."""
    centre = features.mean(axis=0, dtype=np.float64)
    scale = np.maximum(features.std(axis=0, dtype=np.float64), 1e-6) * np.sqrt(features.shape[1])
    given, turned = (features - centre) / scale, None
    if len(given) < given.shape[1]:  # the layer lies where the films lie: as many dimensions as there are films
        left, sizes, turned = singular_vectors(given)
        given = left * sizes
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    shape = (given.shape[1] + 1, targets.shape[1])

    def loss(flat: Floats) -> tuple[float, Floats]:
        layer = flat.reshape(shape)
        odds = given @ layer[:-1] + layer[-1]
        value = (shares * (np.logaddexp(0, odds) - targets * odds)).sum() + penalty / 2 * (layer[:-1] ** 2).sum()
        slope = shares * (1 / (1 + np.exp(-np.clip(odds, -500, 500))) - targets)
        return float(value), np.vstack([given.T @ slope + penalty * layer[:-1], slope.sum(axis=0)]).ravel()

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    layer = found.reshape(shape)
    weights = layer[:-1] if turned is None else turned.T @ layer[:-1]
    return Layer(weights, layer[-1], centre, scale, penalty)


@dataclass(frozen=True)
class FeatureProbe:
    layer: Layer
    device: str

    @classmethod
    def learned(cls, fit: LabelledFilms, *, device: str = "cpu", seed: int = 0) -> FeatureProbe:
        features = features_of(fit.pixels, device=device)
        return cls(fit_layer(features, fit.targets, fit.counts, fit.patients, seed=seed), device)

    def scores(self, pixels: Pixels) -> Floats:
        return self.layer.scores(features_of(pixels, device=self.device))

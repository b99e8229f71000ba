"""A verification network from a trained retrieval network: only the decision is fitted, the branches stay.

With few patients, training the branches for the yes-or-no question unlearns what the retrieval loss taught them.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.training.batches import negative_pairs, positive_pairs
from medveil.encoders.identity.verifier import VerificationNetwork

STEPS = 60
PENALTY = 1e-3


def fit_decision(
    network: VerificationNetwork, outputs: NDArray[np.float32], codes: NDArray[np.int64], *, seed: int
) -> None:
    """Centre the branch where the sigmoid is steep, then weigh its dimensions by logistic regression.

    `outputs` are the branch's values before the sigmoid on training images, `codes` their patients. A patient's pairs
    share one vote, so that long histories do not decide; the negatives are redrawn evenly.
    """
    _standardise(network.branch.head, torch.from_numpy(outputs))
    values = torch.sigmoid(_standard(torch.from_numpy(outputs)))
    positive = positive_pairs(codes)
    negative = negative_pairs(codes, 4 * len(positive), np.random.default_rng([seed, 0xDE]))
    owner = codes[positive[:, 0]]
    votes = 1 / np.sqrt(np.bincount(owner)[owner])
    weights = np.concatenate([votes / votes.sum(), np.full(len(negative), 1 / len(negative))])
    pairs = np.concatenate([positive, negative])
    same = torch.from_numpy((np.arange(len(pairs)) < len(positive)).astype(np.float32))
    away = (values[pairs[:, 0]] - values[pairs[:, 1]]).abs()
    _logistic(network.decide, away, same, torch.from_numpy(weights.astype(np.float32)))


def _standard(outputs: Tensor) -> Tensor:
    return (outputs - outputs.mean(0)) / outputs.std(0)


def _standardise(head: nn.Module, outputs: Tensor) -> None:
    """Fold the centring and scaling into the head's last layer."""
    last = [module for module in head.modules() if isinstance(module, nn.Linear)][-1]
    spread = outputs.std(0)
    with torch.no_grad():
        last.weight.div_(spread[:, None])
        last.bias.sub_(outputs.mean(0)).div_(spread)


def _logistic(decide: nn.Linear, away: Tensor, same: Tensor, weights: Tensor) -> None:
    nn.init.constant_(decide.weight, -4 / away.shape[1] ** 0.5)
    nn.init.zeros_(decide.bias)
    optimizer = torch.optim.LBFGS(decide.parameters(), max_iter=STEPS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        logits = decide(away).squeeze(-1)
        each = functional.binary_cross_entropy_with_logits(logits, same, reduction="none")
        loss = (each * weights).sum() + PENALTY * decide.weight.square().sum() / 2
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]

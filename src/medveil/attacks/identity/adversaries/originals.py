"""How an attacker sees originals: through the bundled pair, and where that does not know such films, through a network
that has learned to from the originals of other patients."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from medveil.attacks.identity.adversaries.effort import Effort
from medveil.attacks.identity.adversaries.films import Films, on_device
from medveil.attacks.identity.adversaries.matching import Contest
from medveil.attacks.identity.adversaries.recognisers import Recognisers
from medveil.attacks.identity.adversaries.retrained import Retrained, Retraining, retrain
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork, load_retrieval
from medveil.runtime.once import MadeOnce

KNOWN = 0.7  # precision@1 among originals, below which the pair is a stranger to such films


class Originals:
    """Vectors of originals, kept for the next defense, and the network that an attacker starts from."""

    def __init__(self, known: Recognisers, learned: Retrained | None) -> None:
        self._known, self._learned = known, learned
        self._kept = MadeOnce[Tensor]()

    def of(self, films: Films) -> Tensor:
        if self._learned is None:
            return self._known.pair.originals(films)
        device = self._known.device
        return self._kept.get(films.original_digest, lambda: self.vectors(on_device(films.original, device)))

    def vectors(self, films: Tensor) -> Tensor:
        """Of unit length; the first dimensions are those of the network that `start` gives."""
        seen = self._known.pair.vectors(films)
        if self._learned is None:
            return seen
        return torch.cat([self._learned.vectors(films), seen], 1) / 2**0.5

    def start(self) -> RetrievalNetwork:
        """A network of one's own to go on with."""
        if self._learned is None:
            return load_retrieval(self._known.start)[0]
        return copy.deepcopy(self._learned.network).requires_grad_(True)


def learn_originals(
    known: Recognisers,
    fit: Films,
    effort: Effort,
    *,
    seed: int,
    keep: Path | None,
    expect: Callable[[int], Any],
    progress: Callable[[dict[str, Any]], None],
) -> Originals:
    """What was learned of the same originals before is not learned again; `expect` is told of steps to come."""

    def learn() -> Originals:
        found = Contest(fit, known.device).first_among(known.pair.originals(fit))
        if not np.isfinite(found).any() or np.nanmean(found) >= KNOWN:
            return Originals(known, None)
        expect(effort.steps)
        films = on_device(fit.original, known.device)
        start, _ = load_retrieval(known.start)
        trainee = Retraining(start, films, fit.patients, None, effort, device=known.device, seed=seed)
        return Originals(known, retrain(trainee, keep, progress))

    key = fit.original_digest + fit.patients.tobytes() + repr((effort, seed)).encode()
    return cast(Originals, known.learned.get(key, learn))

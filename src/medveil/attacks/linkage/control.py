"""The control attack: who knows the findings of a case and nothing else, and ranks by how well findings agree.

The right answer has the findings of the query itself, so it ties with all candidates of the same profile, and nobody
is above. Without labels that attacker knows nothing, and all candidates tie.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.measurement import Setting, measure
from medveil.attacks.linkage.settings import DIRECTIONS, LinkageSettings
from medveil.stats.pools import Counts, Doubles, PoolScores
from medveil.stats.ranks import Ranks


class Control:
    """What that attacker scores; computed once for all cases with the same competitors, and for both directions."""

    def __init__(self, others: Counts, cases: Cases, wanted: Sequence[Setting]) -> None:
        self._kinds = _kinds(others, cases)
        _, first, self._counts = np.unique(self._kinds, return_index=True, return_counts=True)
        competitors = others[first]
        self._equal = competitors.copy()
        if cases.profiles is not None:
            self._equal[:, 1:] = 0
        self._others = competitors.sum(axis=1)
        ranks = Ranks(np.zeros_like(competitors), self._equal, competitors)
        once = list(dict.fromkeys(setting._replace(direction=DIRECTIONS[0]) for setting in wanted))
        self._scores = measure({DIRECTIONS[0]: ranks}, once, LinkageSettings())
        self._told = {setting: self._tell(scores) for setting, scores in self._scores.items()}

    def reached(self, setting: Setting) -> tuple[float, ...]:
        """The metrics and the median rank over all cases."""
        return self._told[setting._replace(direction=DIRECTIONS[0])]

    def _tell(self, scores: PoolScores) -> tuple[float, ...]:
        metrics = np.average(scores.values, axis=0, weights=self._counts)
        return *metrics.tolist(), float(np.median(np.repeat(scores.rank, self._counts)))

    def first(self, setting: Setting) -> Doubles:
        """Recall@1 of every case."""
        return self._of(setting).values[self._kinds, 0]

    def beyond(self, size: int) -> float:
        """Recall@1 in a database larger than the cohort, where as large a share of candidates ties."""
        tied = np.clip(self._equal.sum(axis=1) / np.maximum(self._others, 1), 1e-15, 1 - 1e-15)
        return float(np.average(-np.expm1(size * np.log1p(-tied)) / (size * tied), weights=self._counts))

    def _of(self, setting: Setting) -> PoolScores:
        return self._scores[setting._replace(direction=DIRECTIONS[0])]


def _kinds(others: Counts, cases: Cases) -> NDArray[np.intp]:
    """Cases by what they compete with: where nobody is left out, that follows from the profile."""
    if cases.exclude is None and cases.profiles is not None:
        return np.unique(cases.profiles @ (1 << np.arange(cases.profiles.shape[1])), return_inverse=True)[1]
    return pd.DataFrame(others).groupby(list(range(others.shape[1]))).ngroup().to_numpy()

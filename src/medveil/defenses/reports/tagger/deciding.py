"""From shares to classes: when a token is taken for an identifier, and when its neighbours go with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.network import NONE

_BESIDE = 5  # beside an identifier, doubt counts so many times as much


def decide(shares: NDArray[np.float32], sure: float) -> NDArray[np.int64]:
    """The class of each token of one text, from its shares in all classes.

    A token goes free if the network is at least `sure` that it identifies nobody; tokens next to one that does not go
    free, and next to those in turn, must be surer: half a name is as bad as none.
    """
    if not len(shares):
        return np.zeros(0, np.int64)
    none = shares[:, NONE]
    doubtful = none < 1 - (1 - sure) / _BESIDE
    runs = np.cumsum(np.diff(doubtful, prepend=doubtful[0]) != 0)
    caught = np.zeros(runs[-1] + 1, bool)
    caught[runs[none < sure]] = True
    return np.where(doubtful & caught[runs], shares[:, :NONE].argmax(1), NONE)

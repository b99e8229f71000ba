"""How many scores pass a limit, and how many equal it, for every query and for every gallery row, in one pass."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from medveil.stats.group_codes import Pairs
from medveil.stats.kernels.grid import Codes, Doubles, Singles
from medveil.stats.score_tiles import BLOCK, Progress, Rows, Strip, Tile, each_tile, rounding

Counts = NDArray[np.int64]
Profiles = NDArray[np.uint64]

_NOTHING = np.empty((0, 0))


class Side:
    """What to count on one side: each row's limit, and its profile, by whose distance counts are kept apart.

    A limit of NaN counts nothing. Counting is fast where rows of one profile follow each other.
    """

    def __init__(self, limits: Doubles, profiles: Profiles | None = None, shells: int = 1) -> None:
        self.limits = np.array(limits, dtype=np.float64)
        self.profiles = np.zeros(len(limits), dtype=np.uint64) if profiles is None else profiles
        self.above: Counts = np.zeros((len(limits), shells), dtype=np.int64)
        self.equal: Counts = np.zeros((len(limits), shells), dtype=np.int64)

    def part(self, strip: Strip) -> tuple[Doubles, Profiles, Doubles, Singles]:
        return self.limits[strip.rows], self.profiles[strip.rows], strip.lengths, strip.vectors


def count_both(
    queries: Rows,
    gallery: Rows,
    ours: Side,
    theirs: Side,
    *,
    exclude: Codes | Pairs | None,
    block: tuple[int, int] = BLOCK,
    progress: Progress | None = None,
) -> None:
    """Fill the counts of both sides. `exclude` as in `each_tile`."""
    from medveil.stats.kernels.counts import count

    lock = threading.Lock()  # several threads meet the same gallery rows

    def look(strip: Strip, tiles: Iterator[Tile]) -> None:
        above, equal = np.zeros((2, theirs.above.shape[1], len(strip.vectors)), dtype=np.int32)
        columns, slack = (*theirs.part(strip), above, equal), rounding(strip.vectors.shape[1])
        for tile in tiles:
            at = tile.queries.rows
            rows = (*ours.part(tile.queries), ours.above[at], ours.equal[at])
            done = count(tile.scores, slack, *rows, *columns, 0, _NOTHING)
            if done < len(tile.scores):
                count(tile.scores, slack, *rows, *columns, done, tile.exact())
        with lock:
            theirs.above[strip.rows] += above.T
            theirs.equal[strip.rows] += equal.T

    each_tile(look, queries, gallery, exclude=exclude, block=block, progress=progress)

"""Rows of one group, which share a code, as pairs: the images of a patient, the images of a study."""

from __future__ import annotations

import numpy as np

from medveil.stats.kernels.grid import Codes

Pairs = tuple[Codes, Codes]


class CodeIndex:
    """Finds the rows of a code."""

    def __init__(self, codes: Codes) -> None:
        self._order = np.argsort(codes, kind="stable")
        self._ordered = codes[self._order]

    def pairs(self, queries: Codes) -> Pairs:
        """Every query with every row of its code: places in `queries` and rows, in order of both."""
        starts = np.searchsorted(self._ordered, queries, side="left")
        counts = np.searchsorted(self._ordered, queries, side="right") - starts
        places = np.repeat(np.arange(len(queries)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return places, self._order[np.repeat(starts, counts) + within]


def matching_pairs(queries: Codes, gallery: Codes, exclude: Codes | Pairs | None = None) -> Pairs:
    """All pairs of a query and a gallery row with the same code, less those that share an `exclude` code."""
    rows, columns = CodeIndex(gallery).pairs(queries)
    if exclude is None:
        return rows, columns
    ours, theirs = exclude if isinstance(exclude, tuple) else (exclude, exclude)
    kept = ours[rows] != theirs[columns]
    return rows[kept], columns[kept]

"""The nearest other row by inner product, blocked so that memory stays flat, ties counted fairly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 512


def nearest_is_match(
    vectors: NDArray[np.float32],
    groups: NDArray[np.intp],
    barred: NDArray[np.intp],
    *,
    block: int = BLOCK,
) -> NDArray[np.float64]:
    """For every row, the chance that its nearest other row has the same group.

    Rows with the same `barred` code never compete (a study's other images say nothing about another
    visit). Where several rows tie for nearest, each is as likely to be taken. NaN where a row has no
    match to find at all.
    """
    n = len(vectors)
    out = np.empty(n)
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        scores = vectors[rows] @ vectors.T
        scores[barred[rows, None] == barred[None, :]] = -np.inf
        same = groups[rows, None] == groups[None, :]
        best = scores == scores.max(axis=1, keepdims=True)
        allowed = np.isfinite(scores)
        share = (best & same & allowed).sum(axis=1) / np.maximum((best & allowed).sum(axis=1), 1)
        out[rows] = np.where((same & allowed).any(axis=1), share, np.nan)
    return out


def chance_of_match(groups: NDArray[np.intp], barred: NDArray[np.intp]) -> NDArray[np.float64]:
    """What picking any allowed row blindly scores, for every row; NaN without a match to find."""
    in_group = np.bincount(groups)[groups]
    in_barred = np.bincount(barred)[barred]
    pair = groups.astype(np.int64) * (int(barred.max(initial=0)) + 1) + barred
    _, inverse, counts = np.unique(pair, return_inverse=True, return_counts=True)
    matches = in_group - counts[inverse]
    candidates = len(groups) - in_barred
    share = matches / np.maximum(candidates, 1)
    return np.where(matches > 0, share, np.nan)

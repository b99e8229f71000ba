"""Matching people by the times between their visits: how often the right one is the best match.

All people compared have the same number of visits. Days are numbers in ascending order, NaN where a date is not told.
Several best matches share the guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Matcher = Literal["exact", "within", "nearest", "in proportion"]
MATCHERS: tuple[Matcher, ...] = ("exact", "within", "nearest", "in proportion")
_BLOCK = 2**21  # numbers at a time
_EARLIEST, _LATEST = -256, 365 + 366 + 256  # days that a date may lie before the true one, moved, blurred and coarsened


def matched(
    known: Floats, released: Floats, targets: Codes, matcher: Matcher, *, within: int, groups: Codes | None = None
) -> Floats:
    """By target, the chance that a guess among the best matches is right: row i of both is the same person.

    `known` is what the attacker knows, people x visits. `exact` and `within` (days) want every interval to fit, and
    guess among all where nobody fits; the others take the least difference, in days or in proportion. An interval that
    is not told fits as well as one that is off by `within` days. Nobody of another of the `groups` fits.
    """
    found = np.empty(len(targets))
    true, seen = np.diff(known, axis=1), np.diff(released, axis=1)
    for part in _blocks(len(targets), seen.size):
        rows = targets[part]
        cost = _COSTS[matcher](true[rows][:, None, :], seen[None, :, :], within)
        moved = known[rows, :1] - released[None, :, 0]
        cost[(moved < _EARLIEST) | (moved > _LATEST)] = np.inf
        if groups is not None:
            cost[groups[rows][:, None] != groups[None, :]] = np.inf
        least = cost.min(axis=1)
        best = cost == least[:, None]
        own = best[np.arange(len(rows)), rows]
        found[part] = np.where(np.isfinite(least), own / best.sum(axis=1), 1 / len(seen))
    return found


def _all_within(true: Floats, seen: Floats, within: float) -> Floats:
    return np.where(np.isnan(seen) | (np.abs(true - seen) <= within), 0.0, np.inf).max(axis=2)


def _days(true: Floats, seen: Floats, within: int) -> Floats:
    apart = np.abs(true - seen)
    return np.where(np.isnan(apart), float(within), apart).sum(axis=2)


def _proportion(true: Floats, seen: Floats, within: int) -> Floats:
    apart = np.abs(np.log1p(true) - np.log1p(seen))
    unknown = np.log1p(true + within) - np.log1p(true)
    return np.where(np.isnan(apart), unknown, apart).sum(axis=2)


_COSTS: dict[Matcher, Callable[[Floats, Floats, int], Floats]] = {
    "exact": lambda true, seen, within: _all_within(true, seen, 0),
    "within": _all_within,
    "nearest": _days,
    "in proportion": _proportion,
}


def _blocks(targets: int, size: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(size, 1))
    return (slice(start, start + step) for start in range(0, targets, step))

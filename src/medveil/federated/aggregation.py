"""From the updates of the sites to one: the mean, or a rule that a few poisoned sites cannot pull away.

Median and trimmed mean (Yin et al., 2018), Krum (Blanchard et al., 2017) and Bulyan (El Mhamdi et al., 2018) are those
that Flower ships, number for number, but they also run where Flower is not installed, and they never choose an update
that is not finite, as Flower's Krum does. They look at each update on its own. In them every site counts alike: a
poisoned one could claim any number of patients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError

Update = list[NDArray[np.float32]]
Aggregate = Callable[[Sequence[Update], Sequence[float]], Update]
Rows = NDArray[np.float64]  # sites × numbers
Numbers = NDArray[np.float64]
Singles = NDArray[np.float32]

MEAN = "mean"
RULES = (MEAN, "median", "trimmed-mean", "krum", "bulyan")
_FEWEST = {"median": (2, 1), "trimmed-mean": (2, 1), "krum": (2, 3), "bulyan": (4, 3)}  # times the bad sites, plus
_PIECE = 1 << 23  # numbers at a time


def fewest_sites(name: str, bad_sites: int) -> int:
    """How many sites the rule needs so that so many of them cannot pull it away."""
    _check(name, bad_sites)
    times, plus = _FEWEST.get(name, (0, 1))
    return times * bad_sites + plus


def refusal(name: str, sites: int, secure_sums: bool, *, bad_sites: int = 1) -> str | None:
    """Why the rule cannot be used with so many sites, or with secure sums; None where it can."""
    fewest = fewest_sites(name, bad_sites)
    if name != MEAN and secure_sums:
        return (
            f"{name} compares the sites' updates one by one, and secure sums hide exactly these; choose mean with "
            f"secure sums, or {name} without them"
        )
    if sites < fewest:
        bad = "one poisoned site" if bad_sites == 1 else f"{bad_sites} poisoned sites"
        return f"{name} needs at least {fewest} sites to withstand {bad}, and there are {sites}; choose another rule"
    return None


def aggregation(name: str, *, bad_sites: int = 1) -> Aggregate:
    """The rule as a function of updates and of what each site counts, which only the mean asks for."""
    _check(name, bad_sites)
    return partial(_aggregate, name, bad_sites)


def problem(update: Sequence[NDArray[np.floating]], like: Sequence[NDArray[np.floating]]) -> str | None:
    """What is wrong with an update beside the model it belongs to; None if nothing is."""
    if [np.shape(one) for one in update] != [np.shape(one) for one in like]:
        return "an update has other sizes than the model; the site must run the same version of medveil"
    if not all(np.isfinite(one).all() for one in update):
        return "an update holds numbers that are not finite; training went astray at the site"
    return None


def _check(name: str, bad_sites: int) -> None:
    if name not in RULES:
        raise SettingsError(f"there is no aggregation called {name}; choose from {', '.join(RULES)}")
    if bad_sites < 1:
        raise SettingsError("an aggregation withstands at least one poisoned site; for none, choose mean")


def _aggregate(name: str, bad_sites: int, updates: Sequence[Update], weights: Sequence[float]) -> Update:
    if not updates or len(updates) != len(weights):
        raise InputError("an aggregation needs at least one update, and a weight for each")
    for update in updates:
        if wrong := problem(update, updates[0]):
            raise InputError(wrong)
    if refused := refusal(name, len(updates), secure_sums=False, bad_sites=bad_sites):
        raise SettingsError(refused)
    if name == MEAN:
        return _mean(updates, weights)
    rows = np.stack([np.concatenate([np.ravel(one) for one in update]) for update in updates])
    return _shaped(_RULES[name](rows, bad_sites), updates[0])


def _mean(updates: Sequence[Update], weights: Sequence[float]) -> Update:
    counts = np.asarray(weights, np.float64)
    if not (np.isfinite(counts).all() and (counts >= 0).all() and counts.sum() > 0):
        raise InputError("the sites' weights must be finite, not below zero, and not all zero")
    shares = counts / counts.sum()
    return [
        sum((share * one for share, one in zip(shares, layer, strict=True)), np.zeros(layer[0].shape)).astype(
            np.float32
        )
        for layer in zip(*updates, strict=True)
    ]


def _median(rows: Singles, bad_sites: int) -> Numbers:
    return _piecewise(rows, lambda piece: np.median(piece, axis=0))


def _trimmed_mean(rows: Singles, bad_sites: int) -> Numbers:
    """Of every number, the mean without so many of the largest and of the smallest."""
    return _piecewise(rows, lambda piece: np.sort(piece, axis=0)[bad_sites : len(rows) - bad_sites].mean(axis=0))


def _krum(rows: Singles, bad_sites: int) -> Numbers:
    """The update of the one site that lies nearest to its nearest others."""
    return rows[_nearest(_distances(rows), np.arange(len(rows)), bad_sites)].astype(np.float64)


def _bulyan(rows: Singles, bad_sites: int) -> Numbers:
    """Krum again and again; then, of every number, the mean of those chosen that lie nearest to their median."""
    distances, left, chosen = _distances(rows), np.arange(len(rows)), []
    for _ in range(len(rows) - 2 * bad_sites):
        best = _nearest(distances, left, bad_sites)
        chosen.append(best)
        left = left[left != best]

    def middle(piece: Rows) -> Numbers:
        away = np.abs(piece - np.median(piece, axis=0))
        order = np.argsort(away, axis=0, kind="stable")[: len(chosen) - 2 * bad_sites]
        return np.asarray(np.take_along_axis(piece, order, axis=0).mean(axis=0))

    return _piecewise(rows[chosen], middle)


def _pieces(rows: Singles) -> Iterator[Rows]:
    """So many numbers at a time that a thousand sites fit into memory."""
    wide = max(1, _PIECE // len(rows))
    return (rows[:, start : start + wide].astype(np.float64) for start in range(0, rows.shape[1], wide))


def _piecewise(rows: Singles, rule: Callable[[Rows], Numbers]) -> Numbers:
    return np.concatenate([rule(piece) for piece in _pieces(rows)])


def _distances(rows: Singles) -> Numbers:
    """Squares of the distances between all updates, by inner products; taken from the median, which poisoned updates
    leave where it is, so that those of the others stay exact beside them."""
    found = np.zeros((len(rows), len(rows)))
    for piece in _pieces(rows):
        centred = piece - np.median(piece, axis=0)
        squares = np.square(centred).sum(axis=1)
        found += squares[:, None] + squares - 2 * centred @ centred.T
    np.fill_diagonal(found, 0)
    return np.maximum(found, 0)


def _nearest(distances: Numbers, among: NDArray[np.intp], bad_sites: int) -> int:
    """Who of these has the smallest sum of squares to the n − f − 2 others that are nearest."""
    others = max(1, len(among) - bad_sites - 2)
    near = np.sort(distances[np.ix_(among, among)], axis=1)[:, 1 : others + 1]
    return int(among[near.sum(axis=1).argmin()])


_RULES: dict[str, Callable[[Singles, int], Numbers]] = {
    "median": _median,
    "trimmed-mean": _trimmed_mean,
    "krum": _krum,
    "bulyan": _bulyan,
}


def _shaped(row: Numbers, like: Update) -> Update:
    ends = np.cumsum([one.size for one in like])[:-1]
    parts = np.split(row.astype(np.float32), ends)
    return [part.reshape(one.shape) for part, one in zip(parts, like, strict=True)]

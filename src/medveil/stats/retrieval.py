"""How well each query finds its true matches in a gallery: CMC, precision@1, R-precision and mAP@R.

Scores tie: copies tie, and a collapsed encoder ties everything. Ties count by expectation over their random order
("expected", the default), or with the true matches first ("best") or last ("worst"). A query without a match to find
is NaN everywhere. Values are per query; their mean over queries is the published number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from medveil.stats.estimate import Estimate
from medveil.stats.group_codes import Pairs, matching_pairs
from medveil.stats.kernels.grid import Codes, Doubles, Vectors
from medveil.stats.scores import score_pairs
from medveil.stats.search import count_above, nearest
from medveil.stats.shares import share

Ties = Literal["expected", "best", "worst"]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class BestMatchRanks:
    """Where every query's best true match stands: how many others above it, and who ties with it."""

    matches: Counts  # true matches in the gallery; the rest is meaningless where there is none
    above: Counts
    tied: Counts  # all that share the best match's score, itself included
    tied_matches: Counts


def best_match_ranks(
    queries: Vectors, gallery: Vectors, groups: Codes | Pairs, *, exclude: Codes | Pairs | None = None
) -> BestMatchRanks:
    """One pass over the gallery. `groups` names the person of every row; it and `exclude` are one array where
    queries and gallery are the same rows, else a pair of arrays."""
    ours, theirs = groups if isinstance(groups, tuple) else (groups, groups)
    rows, columns = matching_pairs(ours, theirs, exclude)
    scores = score_pairs(queries, gallery, rows, columns)
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, rows, scores)
    matches = np.bincount(rows, minlength=len(queries))
    above, tied = count_above(queries, gallery, np.where(matches > 0, best, np.nan), exclude=exclude)
    return BestMatchRanks(matches, above, tied, np.bincount(rows[scores == best[rows]], minlength=len(queries)))


def blind_ranks(groups: Codes | Pairs, *, exclude: Codes | Pairs | None = None) -> BestMatchRanks:
    """The ranks of an attacker who sees nothing: all that may match ties. Its metrics are the chance levels."""
    ours, theirs = groups if isinstance(groups, tuple) else (groups, groups)
    rows, _ = matching_pairs(ours, theirs, exclude)
    matches = np.bincount(rows, minlength=len(ours))
    return BestMatchRanks(matches, np.zeros_like(matches), _candidates(len(ours), len(theirs), exclude), matches)


def cmc(ranks: BestMatchRanks, sizes: Sequence[int], *, ties: Ties = "expected") -> Doubles:
    """The chance that a true match is among the first k, for every query and every k in `sizes`."""
    k = np.asarray(sizes)[None, :]
    above, tied, matches = (counts[:, None] for counts in (ranks.above, ranks.tied, ranks.tied_matches))
    others = tied - matches
    if ties == "best":
        hit = (above < k).astype(np.float64)
    elif ties == "worst":
        hit = (above + others < k).astype(np.float64)
    else:  # of the tied ones, `taken` are drawn: none of them a match is hypergeometric
        taken = np.clip(k - above, 0, tied)
        missed = _log_choose(others, taken) - _log_choose(tied, taken)
        hit = np.where(taken > others, 1.0, -np.expm1(missed))
    return np.where(ranks.matches[:, None] > 0, hit, np.nan)


def precision_at_1(ranks: BestMatchRanks, *, ties: Ties = "expected") -> Doubles:
    """The chance that the first found is a true match, for every query."""
    return cmc(ranks, (1,), ties=ties)[:, 0]


def precisions_at_r(
    queries: Vectors,
    gallery: Vectors,
    groups: Codes | Pairs,
    *,
    exclude: Codes | Pairs | None = None,
    ties: Ties = "expected",
) -> tuple[Doubles, Doubles]:
    """R-precision and average precision at R of every query, R being how many true matches it has."""
    ours, theirs = groups if isinstance(groups, tuple) else (groups, groups)
    rows, columns = matching_pairs(ours, theirs, exclude)
    relevant = score_pairs(queries, gallery, rows, columns)
    wanted = np.bincount(rows, minlength=len(queries))
    r_precision, average = np.full((2, len(queries)), np.nan)
    most = int(wanted.max(initial=0))
    depth = 1
    while depth < 2 * most:  # queries with few matches need short lists only
        chosen = np.flatnonzero((wanted > depth // 2) & (wanted <= depth))
        depth *= 2
        if len(chosen):
            barred = _chosen(exclude, chosen)
            held = np.isin(rows, chosen)
            lists = _tie_groups(
                queries[chosen],
                gallery,
                wanted[chosen],
                np.searchsorted(chosen, rows[held]),
                relevant[held],
                barred,
            )
            r_precision[chosen], average[chosen] = _precisions(lists, wanted[chosen], ties)
    return r_precision, average


def blind_precisions_at_r(groups: Codes | Pairs, *, exclude: Codes | Pairs | None = None) -> tuple[Doubles, Doubles]:
    """What `precisions_at_r` gives an attacker who sees nothing."""
    ranks = blind_ranks(groups, exclude=exclude)
    wanted, of = ranks.matches, np.repeat(np.arange(len(ranks.matches)), ranks.matches)
    position = np.arange(len(of)) - np.repeat(np.cumsum(wanted) - wanted, wanted) + 1
    zero = np.zeros(len(of))
    lists = _Lists(of, position, zero, ranks.tied[of].astype(float), wanted[of].astype(float), zero)
    return _precisions(lists, wanted, "expected")


def mean_by_patient(
    values: Doubles, patients: Codes, weights: Doubles, *, chance: Doubles | None = None, control: Doubles | None = None
) -> Estimate:
    """The mean over the queries that have a match, with an interval by patient."""
    counts = np.isfinite(values)
    rest: dict[str, Any] = {}
    for name, other in (("chance", chance), ("control", control)):
        rest[name] = None if other is None else float(other[counts].mean())
    return share(values[counts], patients[counts], weights, **rest)


@dataclass(frozen=True)
class _Lists:
    """The first R places of every query's list, one entry a place, with the tie that the place lies in."""

    of: Codes  # query
    position: NDArray[Any]  # from 1
    before: Doubles  # places before the tie
    size: Doubles  # of the tie, also beyond R
    matches: Doubles  # true matches in the tie
    matches_before: Doubles


def _tie_groups(
    queries: Vectors,
    gallery: Vectors,
    wanted: Counts,
    of_relevant: Codes,
    relevant: Doubles,
    exclude: Codes | Pairs | None,
) -> _Lists:
    depth = int(wanted.max())
    scores, _ = nearest(queries, gallery, depth, exclude=exclude)
    last = scores[np.arange(len(wanted)), wanted - 1]
    _, at_last = count_above(queries, gallery, last, exclude=exclude)
    of, position = np.nonzero(np.arange(depth)[None, :] < wanted[:, None])
    listed = scores[of, position]
    # ties are runs of one query and one score in list and true matches sorted together
    everyone, every_score = np.r_[of, of_relevant], np.r_[listed, relevant]
    order = np.lexsort((-every_score, everyone))
    turn = (np.diff(everyone[order]) != 0) | (np.diff(every_score[order]) != 0)
    tie = np.empty(len(order), dtype=np.intp)
    tie[order] = np.cumsum(np.r_[0, turn])
    of_list, of_matches = tie[: len(of)], tie[len(of) :]
    count = int(tie.max()) + 1
    size, matches = (np.bincount(ties, minlength=count).astype(float) for ties in (of_list, of_matches))
    owner = np.empty(count, dtype=np.intp)
    owner[tie] = everyone
    ends = listed == last[of]
    before, matches_before = (_before_in_query(counts, owner)[of_list] for counts in (size, matches))
    full_size = np.where(ends, at_last[of], size[of_list]).astype(float)
    return _Lists(of, position + 1, before, full_size, matches[of_list], matches_before)


def _before_in_query(counts: Doubles, owner: Codes) -> Doubles:
    """The sum over the earlier ties of the same query."""
    running = np.cumsum(counts) - counts
    starts = np.flatnonzero(np.r_[True, np.diff(owner) != 0])
    return running - np.repeat(running[starts], np.diff(np.r_[starts, len(owner)]))


def _precisions(lists: _Lists, wanted: Counts, ties: Ties) -> tuple[Doubles, Doubles]:
    place = lists.position - lists.before  # within the tie, from 1
    others = lists.size - lists.matches
    if ties == "expected":
        hit = lists.matches / lists.size
        hits_so_far = lists.matches_before + 1 + (place - 1) * (lists.matches - 1) / np.maximum(lists.size - 1, 1)
    elif ties == "best":
        hit = (place <= lists.matches).astype(float)
        hits_so_far = lists.matches_before + place
    else:
        hit = (place > others).astype(float)
        hits_so_far = lists.matches_before + place - others
    hits = np.bincount(lists.of, hit, minlength=len(wanted))
    precision = np.bincount(lists.of, hit * hits_so_far / lists.position, minlength=len(wanted))
    r = np.where(wanted > 0, wanted, np.nan)
    return hits / r, precision / r


def _candidates(queries: int, gallery: int, exclude: Codes | Pairs | None) -> Counts:
    if exclude is None:
        return np.full(queries, gallery)
    ours, theirs = exclude if isinstance(exclude, tuple) else (exclude, exclude)
    ordered = np.sort(theirs)
    barred = np.searchsorted(ordered, ours, side="right") - np.searchsorted(ordered, ours, side="left")
    return gallery - barred


def _chosen(codes: Codes | Pairs | None, rows: Codes) -> Pairs | None:
    """The codes for some of the queries and the whole gallery."""
    if codes is None:
        return None
    ours, theirs = codes if isinstance(codes, tuple) else (codes, codes)
    return ours[rows], theirs


def _log_choose(n: NDArray[Any], k: NDArray[Any]) -> Doubles:
    k = np.minimum(k, n)
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

"""Where every image's report stands among all reports, and every report's image among all images, in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.stats.counting import Counts, Profiles, Side, count_both
from medveil.stats.kernels.grid import ALL_ZERO, Codes, Doubles, Vectors
from medveil.stats.score_tiles import BLOCK, Progress
from medveil.stats.scores import grid_and_lengths

_PAIRS = 8192  # scored at a time
MOST_LABELS = 63


@dataclass(frozen=True)
class Ranks:
    """For every query, how the other candidates stand to its own answer, shell by shell.

    A shell is one Hamming distance between the label profiles of query and candidate.
    """

    above: Counts  # n × shells: candidates that score higher than the query's own answer
    equal: Counts  # n × shells: candidates that score exactly the same
    others: Counts  # n × shells: candidates that compete at all (own answer and excluded ones left out)


class _Reordered:
    """Rows of an array in another order, picked as they are read."""

    def __init__(self, vectors: Vectors, order: Codes) -> None:
        self._vectors, self._order = vectors, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, rows: slice) -> Vectors:
        return self._vectors[self._order[rows]]


def rank_pairs(
    images: Vectors,
    reports: Vectors,
    *,
    profiles: NDArray[np.bool_] | None = None,
    exclude: Codes | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
    block: tuple[int, int] = BLOCK,
) -> tuple[Ranks, Ranks]:
    """Image i belongs to report i. Returns the ranks image-to-report and report-to-image.

    `profiles` are n × labels, and there is one shell for every Hamming distance, 0 to labels; without profiles there
    is one shell. Rows with the same `exclude` code never compete with each other, and a pair's own answer never
    competes. Either array may be memory-mapped. Scores are exact on the grid of `scores`: ties are ties, and nothing
    depends on blocks, threads or the device.
    """
    n = _check(images, reports, profiles, exclude, device)
    words = np.zeros(n, np.uint64) if profiles is None else profile_words(profiles)
    shells = 1 if profiles is None else profiles.shape[1] + 1
    codes = np.arange(n) if exclude is None else np.unique(exclude, return_inverse=True)[1]
    if device == "cuda":
        from medveil.stats.kernels.ranks_cuda import count_pairs

        counts = count_pairs(images, reports, words, codes, shells, progress=progress)
    else:
        counts = _count_pairs(images, reports, words, codes, shells, block, progress)
    others = _others(words, codes, shells)
    return Ranks(counts[0], counts[1], others), Ranks(counts[2], counts[3], others)


def _count_pairs(
    images: Vectors,
    reports: Vectors,
    words: Profiles,
    codes: Codes,
    shells: int,
    block: tuple[int, int],
    progress: Progress | None,
) -> tuple[Counts, Counts, Counts, Counts]:
    limits, order = _own_scores(images, reports), _order(words)
    ours, theirs = (Side(limits[order], words[order], shells) for _ in range(2))
    left, right = _Reordered(images, order), _Reordered(reports, order)
    count_both(left, right, ours, theirs, exclude=codes[order], block=block, progress=progress)
    back = np.argsort(order)
    return ours.above[back], ours.equal[back], theirs.above[back], theirs.equal[back]


def _check(
    images: Vectors, reports: Vectors, profiles: NDArray[np.bool_] | None, exclude: Codes | None, device: str
) -> int:
    if device not in ("cpu", "cuda"):
        raise SettingsError("ranks are counted on the device cpu or cuda; choose one of them")
    if images.ndim != 2 or reports.ndim != 2 or images.shape != reports.shape:
        raise InputError(
            "image and report embeddings must be two tables of the same size, one row a pair; "
            "check that both come from the same encoder and the same cases"
        )
    n = len(images)
    if n < 2:
        raise InputError("ranks need at least two pairs; give more cases")
    if (profiles is not None and len(profiles) != n) or (exclude is not None and len(exclude) != n):
        raise InputError("labels and codes must have one row for every pair; check that they are of the same cases")
    if profiles is not None and profiles.shape[1] > MOST_LABELS:
        raise InputError(f"profiles of more than {MOST_LABELS} labels cannot be compared; choose fewer labels")
    return n


def profile_words(profiles: NDArray[np.bool_]) -> Profiles:
    """Each row's labels as the bits of a word."""
    return profiles.astype(np.uint64) @ (np.uint64(1) << np.arange(profiles.shape[1], dtype=np.uint64))


def _order(words: Profiles) -> Codes:
    """Rows of one profile together, and profiles as far from the most common one together: few, long runs."""
    kinds, sizes = np.unique(words, return_counts=True)
    return np.lexsort((words, np.bitwise_count(words ^ kinds[sizes.argmax()])))


def _own_scores(images: Vectors, reports: Vectors) -> Doubles:
    from medveil.stats.kernels.scores import exact_scores

    scores = np.empty(len(images))
    for start in range(0, len(images), _PAIRS):
        part = slice(start, start + _PAIRS)
        (left, left_lengths), (right, right_lengths) = grid_and_lengths(images[part]), grid_and_lengths(reports[part])
        if min(left_lengths.min(), right_lengths.min()) == 0:
            raise InputError(ALL_ZERO)
        scores[part] = exact_scores(left, right)
    return scores


def _others(words: Profiles, codes: Codes, shells: int) -> Counts:
    """How many rows lie at each distance from every row, those of its own code left out."""
    from medveil.stats.kernels.counts import shell_sizes

    kinds, kind, sizes = np.unique(words, return_inverse=True, return_counts=True)
    everyone = shell_sizes(np.zeros(len(kinds), np.intp), kinds, sizes, shells)
    # a bloc: rows of one code and one profile
    blocs, bloc, members = np.unique(codes * len(kinds) + kind, return_inverse=True, return_counts=True)
    own = shell_sizes(blocs // len(kinds), kinds[blocs % len(kinds)], members, shells)
    return everyone[kind] - own[bloc]

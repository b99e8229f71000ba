"""Masks that follow from too few seeds, found by trying them all: one mask, or two at once by meeting in the middle.

All numbers are taken modulo 2³². What lies below a mask is an update in whole numbers from 0 to `most`, far fewer than
a masked number can be, so that a handful of them tells the right seed from every other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from medveil.attacks.secure_sum.mersenne import BITS, MOST, Words, first_outputs, seed_of
from medveil.stats.kernels.compilation import compiled

Pairs = NDArray[np.uint64]
PIECE = 1 << 20  # seeds at a time
PART = 1 << 25  # of the second list, at a time
CHECKED = 6  # numbers that must all be an update's
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Masked:
    """The first numbers of a masked update, the first of them known: how much the site's update weighs."""

    words: Words
    weight: int
    most: int

    def __post_init__(self) -> None:
        if len(self.words) < CHECKED:
            raise ValueError(f"a search needs the first {CHECKED} numbers of an update")


def one_mask(masked: Masked, sign: int, *, bits: int = BITS, progress: Progress | None = None) -> list[int]:
    """Seeds whose mask, with that sign, leaves an update; usually one."""
    found: list[int] = []
    starts = range(0, 1 << bits, PIECE)
    words = masked.words[:CHECKED].astype(np.uint32)

    def look(start: int) -> list[int]:
        return [int(seed) for seed in _fits(_seeds(start, bits), words, sign, masked.weight, masked.most)]

    with ThreadPoolExecutor(numba.get_num_threads()) as pool:
        for done, some in enumerate(pool.map(look, starts), 1):
            found += some
            if progress is not None:
                progress(done, len(starts))
    return found


def two_masks(
    masked: Masked, signs: tuple[int, int], *, bits: int = BITS, progress: Progress | None = None
) -> list[tuple[int, int]]:
    """Pairs of seeds whose masks, with those signs, leave an update. It holds 2^bits numbers of eight bytes."""
    steps = 2 + max(1, (1 << bits) // PART)
    left = np.uint32(int(masked.words[0]) - masked.weight & 0xFFFFFFFF)
    firsts = _keyed(0, 1 << bits, bits, signs[0], np.uint32(0))
    _tell(progress, 1, steps)
    firsts.sort()
    found: list[tuple[int, int]] = []
    for number, start in enumerate(range(0, 1 << bits, PART)):
        seconds = _keyed(start, min(PART, (1 << bits) - start), bits, -signs[1], left)
        seconds.sort()
        one, two = _joined(firsts, seconds)
        for begin in range(0, len(one), PIECE):
            some = slice(begin, begin + PIECE)
            fit = _both_fit(one[some], two[some], masked.words[:CHECKED].astype(np.uint32), *signs, masked.most)
            found += [(int(a), int(b)) for a, b in zip(one[some][fit], two[some][fit], strict=True)]
        _tell(progress, 2 + number, steps)
    return found


def unmasked(masked: Words, seeds: dict[int, int]) -> Words:
    """A whole update without the masks of these seeds, each with its sign."""
    total = masked.astype(np.uint32)
    for seed, sign in seeds.items():
        made = np.random.RandomState(seed).randint(0, 2**32 - 1, len(masked), dtype=np.int64).astype(np.uint32)
        total = total - made if sign > 0 else total + made
    return total


def _seeds(start: int, bits: int) -> Words:
    return _numbered(start, min(PIECE, (1 << bits) - start))


@compiled
def _numbered(start: int, count: int) -> Words:
    seeds = np.empty(count, np.uint32)
    for number in range(count):
        seeds[number] = seed_of(start + number)
    return seeds


@compiled
def _without(word: np.uint32, output: np.uint32, sign: int) -> np.uint32:
    return np.uint32(word - output) if sign > 0 else np.uint32(word + output)


@compiled
def _fits(seeds: Words, words: Words, sign: int, weight: int, most: int) -> Words:
    outputs = first_outputs(seeds, len(words))
    found = []
    for row in range(len(seeds)):
        for place in range(len(words)):
            left = _without(words[place], outputs[row, place], sign)
            if left > most or (place == 0 and left != weight):
                break
        else:
            found.append(seeds[row])
    return np.array(found, np.uint32)


def _keyed(start: int, count: int, bits: int, sign: int, left: np.uint32) -> Pairs:
    """For each seed what its first output leaves (left ± output) in the upper half of a number, itself in the lower."""
    keyed = np.empty(count, np.uint64)

    def fill(begin: int) -> None:
        _fill(keyed[begin : begin + PIECE], start + begin, sign, left)

    with ThreadPoolExecutor(numba.get_num_threads()) as pool:
        list(pool.map(fill, range(0, count, PIECE)))
    return keyed


@compiled
def _fill(keyed: Pairs, start: int, sign: int, left: np.uint32) -> None:
    seeds = _numbered(start, len(keyed))
    outputs = first_outputs(seeds, 1)
    for row in range(len(seeds)):
        key = _without(left, outputs[row, 0], -sign)
        keyed[row] = np.uint64(key) << np.uint64(32) | np.uint64(seeds[row])


@compiled
def _joined(firsts: Pairs, seconds: Pairs) -> tuple[Words, Words]:
    """Seeds of both sorted lists whose upper halves agree."""
    one, two = [], []
    at = 0
    for row in range(len(seconds)):
        key = seconds[row] >> np.uint64(32)
        while at < len(firsts) and firsts[at] >> np.uint64(32) < key:
            at += 1
        here = at
        while here < len(firsts) and firsts[here] >> np.uint64(32) == key:
            one.append(np.uint32(firsts[here] & np.uint64(0xFFFFFFFF)))
            two.append(np.uint32(seconds[row] & np.uint64(0xFFFFFFFF)))
            here += 1
    return np.array(one, np.uint32), np.array(two, np.uint32)


@compiled
def _both_fit(one: Words, two: Words, words: Words, first: int, second: int, most: int) -> NDArray[np.bool_]:
    ones, twos = first_outputs(one, len(words)), first_outputs(two, len(words))
    fit = np.ones(len(one), np.bool_)
    for row in range(len(one)):
        for place in range(1, len(words)):
            left = _without(_without(words[place], ones[row, place], first), twos[row, place], second)
            if left > most:
                fit[row] = False
                break
    return fit


def _tell(progress: Progress | None, done: int, of: int) -> None:
    if progress is not None:
        progress(done, of)


assert CHECKED <= MOST

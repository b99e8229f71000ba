"""NumPy's old generator, for all seeds that a folded key can have: which of them gives these numbers?

`np.random.RandomState(seed).randint(0, 2**32 - 1, …)` gives the outputs of the Mersenne Twister one after the other.
Few of them are needed, and those follow from the first 400 words of its state, so that a seed costs a quarter of a
microsecond. The key of two sites is text, folded to four bytes by exclusive or: each byte is below 128, and 2²⁸ seeds
are left of 2²⁵⁶.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.stats.kernels.compilation import compiled

Words = NDArray[np.uint32]
BITS = 28  # of a folded key
FAR = 397  # how far ahead the state is mixed with itself
MOST = 16  # outputs that can be had
_LANES = 16  # seeds side by side, for the processor's wide registers


@compiled
def seed_of(number: int) -> np.uint32:
    """The seed with that number: seven bits to a byte."""
    return np.uint32(
        (number & 0x7F) | ((number >> 7) & 0x7F) << 8 | ((number >> 14) & 0x7F) << 16 | ((number >> 21) & 0x7F) << 24
    )


@compiled
def first_outputs(seeds: Words, count: int) -> Words:
    """The first outputs of the generator for each seed (n × count)."""
    found = np.empty((len(seeds), count), np.uint32)
    near = np.empty((MOST + 1, _LANES), np.uint32)
    far = np.empty((MOST, _LANES), np.uint32)
    state = np.empty(_LANES, np.uint32)
    for start in range(0, len(seeds), _LANES):
        lanes = min(_LANES, len(seeds) - start)
        for lane in range(_LANES):
            state[lane] = seeds[start + lane] if lane < lanes else np.uint32(0)
        for lane in range(_LANES):
            near[0, lane] = state[lane]
        for word in range(1, FAR + count):
            for lane in range(_LANES):
                before = state[lane]
                state[lane] = np.uint32(1812433253) * (before ^ (before >> np.uint32(30))) + np.uint32(word)
            if word <= count:
                for lane in range(_LANES):
                    near[word, lane] = state[lane]
            if word >= FAR:
                for lane in range(_LANES):
                    far[word - FAR, lane] = state[lane]
        for place in range(count):
            for lane in range(lanes):
                found[start + lane, place] = _tempered(near[place, lane], near[place + 1, lane], far[place, lane])
    return found


@compiled
def _tempered(one: np.uint32, two: np.uint32, ahead: np.uint32) -> np.uint32:
    mixed = (one & np.uint32(0x80000000)) | (two & np.uint32(0x7FFFFFFF))
    word = ahead ^ (mixed >> np.uint32(1))
    if mixed & np.uint32(1):
        word ^= np.uint32(0x9908B0DF)
    word ^= word >> np.uint32(11)
    word ^= (word << np.uint32(7)) & np.uint32(0x9D2C5680)
    word ^= (word << np.uint32(15)) & np.uint32(0xEFC60000)
    return word ^ (word >> np.uint32(18))

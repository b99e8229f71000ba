"""Films that the generator has learned from: the bound does not hold for them, so they are refused.

Their fingerprints come with the generator: the signs of the lowest frequencies of a film, which stay the same when it
is stored anew, resized or exposed differently. Another film of the same person has another fingerprint: whether a
person was among those trained on, the card of the generator tells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn

BITS = 256
NEAR = 40  # bits that may differ between a film and a copy of it
_SIDE = 32
_LOW = 17
Pixels = NDArray[np.uint8]
Prints = NDArray[np.uint8]


def fingerprint(film: Pixels) -> Prints:
    """32 bytes of a film of 256 × 256 pixels."""
    block = film.shape[0] // _SIDE
    small = film.reshape(_SIDE, block, _SIDE, block).mean((1, 3), dtype=np.float64)
    low = dctn(small, norm="ortho")[:_LOW, :_LOW].ravel()[1 : BITS + 1]  # without the mean
    return np.packbits(low > np.median(low))


class KnownFilms:
    """Fingerprints, n × 32 bytes."""

    def __init__(self, prints: Prints) -> None:
        self._prints = prints.reshape(-1, BITS // 8)

    def holds(self, film: Pixels) -> bool:
        return self.nearest(film) <= NEAR

    def nearest(self, film: Pixels) -> int:
        """Bits in which the film differs from the one most like it; all, where none is known."""
        if not len(self._prints):
            return BITS
        return int(np.bitwise_count(self._prints ^ fingerprint(film)).sum(1).min())

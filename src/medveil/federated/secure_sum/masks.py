"""Masks: as many numbers as asked for, out of a key of 32 bytes, by AES-256 in counter mode.

Numbers are taken modulo 2³², in which machine words add up by themselves; a mask is uniform over all of them, so that a
masked number says nothing. Every key serves for one mask only.
"""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

Words = NDArray[np.uint32]
_CHUNK = 1 << 20  # bytes of keystream at a time


def mask(key: bytes, size: int) -> Words:
    """The same key gives the same mask."""
    words = np.empty(size, np.uint32)
    room = memoryview(words.view(np.uint8))  # type: ignore[arg-type]
    stream = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    nothing = bytes(min(_CHUNK, len(room)))
    for start in range(0, len(room), _CHUNK):
        part = room[start : start + _CHUNK]
        stream.update_into(nothing[: len(part)], part)
    if np.little_endian:
        return words
    return words.byteswap()

"""Films packed small, so that a machine with a graphics card and little else can train on them.

One array of bytes holds the films as WebP one after another, another where each ends.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Bytes = NDArray[np.uint8]


def packed(films: Iterable[NDArray[np.uint8]], *, quality: int = 75) -> tuple[Bytes, NDArray[np.int64]]:
    """The bytes and the ends; films are gray, of 8 bits."""
    stored = [_webp(film, quality) for film in films]
    return np.frombuffer(b"".join(stored), np.uint8), np.cumsum([len(one) for one in stored])


def unpacked(content: Bytes, ends: NDArray[np.int64]) -> Bytes:
    """n × rows × columns; all films are of one size."""
    with ThreadPoolExecutor() as pool:
        return np.stack(list(pool.map(_gray, _pieces(content.tobytes(), ends))))


def _pieces(content: bytes, ends: NDArray[np.int64]) -> Iterator[bytes]:
    return (content[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True))


def _webp(film: NDArray[np.uint8], quality: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(film).save(file, "WEBP", quality=quality, method=4)
    return file.getvalue()


def _gray(stored: bytes) -> Bytes:
    with Image.open(io.BytesIO(stored)) as film:
        return np.asarray(film.convert("L"))

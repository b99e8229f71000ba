"""`Encoder`: a model that puts radiographs and reports into one space. `loading` gets one by name.

A registered encoder also has a classmethod `load(device)`. One that is `Prepared` has its images decoded and
prepared on all cores; any other one is given whole images, one after another. One that is `Reading` is given texts
that it cannot tell apart once. One that is `headless.Headed` can do without its projection heads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]
Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Images of any size and bit depth (bright is dense) and texts become rows of unit length, `dim` wide.

    `fingerprint` is a hash of the weights: vectors kept on disk belong to it, wherever the model lies.
    """

    name: str
    dim: int
    license: str
    fingerprint: str

    def encode_images(self, images: Iterable[Image]) -> Vectors: ...

    def encode_reports(self, texts: Iterable[str]) -> Vectors: ...


@runtime_checkable
class Prepared(Protocol):
    """An encoder that takes prepared images too: `encode_images` is `prepare` (a plain function), then this."""

    @property
    def prepare(self) -> Callable[[Image], NDArray[np.uint8]]: ...

    def encode_prepared(self, images: Iterable[NDArray[np.uint8]]) -> Vectors: ...


@runtime_checkable
class Reading(Protocol):
    """An encoder that tells what it reads of each text, such as its first tokens: texts that read alike tie exactly."""

    def readings(self, texts: Sequence[str]) -> list[bytes]: ...


def unit_length(vectors: Vectors) -> Vectors:
    """Rows of length one, computed in double precision so that batches and devices agree."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.asarray(wide / np.maximum(lengths, 1e-300), dtype=np.float32)

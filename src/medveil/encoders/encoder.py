"""`Encoder`: a model that puts radiographs and reports into one space, and how to get one by name.

A registered encoder also has a classmethod `load(device)`. One that is `Prepared` has its images decoded and
prepared on all cores; any other one is given whole images, one after another. One that is `Reading` is given texts
that it cannot tell apart once. One that is `Headed` can do without its projection heads; see `headless`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from medveil.errors import SettingsError
from medveil.parts import registered

if TYPE_CHECKING:
    from medveil.encoders.headless import Headless

Image = NDArray[Any]
Vectors = NDArray[np.float32]
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


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


@runtime_checkable
class Headed(Protocol):
    """An encoder that tells its frozen networks from the projection heads behind them."""

    def headless(self) -> Headless: ...


def load_encoder(name: str, *, device: str = "cpu") -> Encoder:
    """A registered encoder, a model in a local folder, or one of the hub by "owner/model"; the hub only if asked so."""
    known = registered("encoders")
    check_device(device)
    if name in known:
        encoder: Encoder = known[name].load(device)
        return encoder
    from medveil.encoders.published.folder import open_folder  # the readers of model files are loaded only when needed

    if Path(name).is_dir():
        return open_folder(Path(name), name=Path(name).resolve().name, device=device)
    if HUB_NAME.fullmatch(name):
        from medveil.encoders.published.hub import fetch

        return open_folder(fetch(name), name=name, device=device)
    raise SettingsError(
        f"there is no encoder called {name}; choose one of {', '.join(known)}, a folder that holds a model, "
        "or the owner/model name of one on the hub"
    )


def check_device(device: str) -> None:
    """Refuse a device that is not here before anything is read."""
    import torch

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise SettingsError(f"the device {device} cannot be used on this machine; use cpu") from None


def unit_length(vectors: Vectors) -> Vectors:
    """Rows of length one, computed in double precision so that batches and devices agree."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.asarray(wide / np.maximum(lengths, 1e-300), dtype=np.float32)

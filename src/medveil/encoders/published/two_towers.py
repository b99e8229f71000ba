"""`TwoTowers`: an image network and a text network with one space behind them, as any published model has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from medveil.cohort.preprocess import resized_first
from medveil.encoders.encoder import Image, Vectors, unit_length
from medveil.encoders.headless import Headless, with_identity_heads

BATCH = {"cpu": 16, "cuda": 128}  # on two cores a larger batch is not faster, and memory stays flat
READ = 1024  # texts that are cut into tokens at a time
Item = TypeVar("Item")
Colour = tuple[float, float, float]


def colour(values: Iterable[float]) -> Colour:
    """Three numbers out of a settings file, or ValueError."""
    red, green, blue = (float(value) for value in values)
    return red, green, blue


@dataclass(frozen=True)
class Scaling:
    """What a model does to pixels of 0..1: the side it wants, and the mean and spread it takes off each colour."""

    side: int
    mean: Colour = (0.0, 0.0, 0.0)
    spread: Colour = (1.0, 1.0, 1.0)

    def apply(self, images: Sequence[NDArray[np.uint8]], device: str) -> Tensor:
        """Gray 8-bit images as n × 3 × side × side."""
        gray = torch.from_numpy(np.stack(images)).to(device).float().unsqueeze(1) / 255
        mean, spread = (torch.tensor(value, device=device).view(1, 3, 1, 1) for value in (self.mean, self.spread))
        return (gray - mean) / spread


@dataclass(frozen=True)
class Cut:
    """Where a model's heads begin: the same two functions as far as the features before them, and the heads.

    `exact` says whether the heads of the features are what the whole model returns.
    """

    image: Callable[[Tensor], Tensor]
    image_dim: int
    image_head: nn.Module
    text: Callable[[list[str]], Tensor]
    text_dim: int
    text_head: nn.Module
    exact: bool = True


@dataclass
class TwoTowers:
    """An encoder made of two functions: `image` takes scaled pixels, `text` takes texts, both return n × dim.

    `tokens` gives the numbers that `text` reads of each text, after cutting. Vectors are brought to length one if
    `unit`. `cut` is there if the heads are known.
    """

    name: str
    dim: int
    license: str
    fingerprint: str
    device: str
    scaling: Scaling
    image: Callable[[Tensor], Tensor]
    tokens: Callable[[list[str]], Iterable[Any]]
    text: Callable[[list[str]], Tensor]
    cut: Cut | None = None
    unit: bool = True

    @property
    def prepare(self) -> Callable[[Image], NDArray[np.uint8]]:
        return partial(resized_first, self.scaling.side)

    def encode_images(self, images: Iterable[Image]) -> Vectors:
        return self.encode_prepared(map(self.prepare, images))

    def encode_prepared(self, images: Iterable[NDArray[np.uint8]]) -> Vectors:
        return self._run(lambda batch: self.image(self.scaling.apply(batch, self.device)), images)

    def encode_reports(self, texts: Iterable[str]) -> Vectors:
        return self._run(self.text, texts)

    def readings(self, texts: Sequence[str]) -> list[bytes]:
        return [np.asarray(row, np.int64).tobytes() for batch in _batches(texts, READ) for row in self.tokens(batch)]

    def headless(self) -> Headless:
        if self.cut is None:
            return with_identity_heads(self)
        cut, own = self.cut, self.fingerprint
        features = replace(self, image=cut.image, text=cut.text, cut=None, unit=False)
        return Headless(
            replace(features, dim=cut.image_dim, fingerprint=f"{own} image features"),
            replace(features, dim=cut.text_dim, fingerprint=f"{own} report features"),
            cut.image_head,
            cut.text_head,
            None if cut.exact else self,
        )

    def _run(self, network: Callable[[list[Any]], Tensor], items: Iterable[Any]) -> Vectors:
        vectors = [np.zeros((0, self.dim), np.float32)]
        # 32-bit convolutions on a GPU too: with its shortened ones, devices would disagree in the third digit
        with torch.inference_mode(), torch.backends.cudnn.flags(allow_tf32=False):
            vectors += [
                network(batch).float().cpu().numpy()
                for batch in _batches(items, BATCH["cpu" if self.device == "cpu" else "cuda"])
            ]
        found = np.concatenate(vectors)
        return unit_length(found) if self.unit else found


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch

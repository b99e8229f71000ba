"""`MedveilSmall`: the default encoder, bundled; or a model of its make from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.cohort.preprocess import equalised_224
from medveil.encoders.encoder import unit_length
from medveil.encoders.headless import Headless
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.medveil_small.model import SmallModel, load_model
from medveil.training.device import placed
from medveil.weights.bundled import SMALL, bundled

Image = NDArray[Any]
Vectors = NDArray[np.float32]
Item = TypeVar("Item")

BATCH = 16  # on two cores a larger batch is not faster, and memory stays flat


class MedveilSmall:
    """The bundled encoder, trained on phantom patients.

    Images go through the `equalised-224` pipeline; of a report the first 384 words are read. A text without any word is
    allowed: all such texts have the same vector.
    """

    name = "medveil-small"
    license = "Apache-2.0"

    def __init__(self, model: SmallModel, *, fingerprint: str, device: str = "cpu", unit: bool = True) -> None:
        self.dim = model.dim
        self._unit = unit
        self.fingerprint = fingerprint
        self.device = device
        fold_normalisation(model.eval())
        self._model = placed(model, device)

    @classmethod
    def load(cls, device: str = "cpu") -> MedveilSmall:
        return cls.open(bundled("medveil-small").parent, device=device)

    @classmethod
    def open(cls, folder: Path, *, device: str = "cpu") -> MedveilSmall:
        """A model of the same make: a folder that holds a file of the bundled one's name."""
        path = Path(folder) / SMALL
        model = load_model(path)
        return cls(model, fingerprint=hashlib.sha256(path.read_bytes()).hexdigest(), device=device)

    @property
    def prepare(self) -> Callable[[Image], NDArray[np.uint8]]:
        return equalised_224

    def encode_images(self, images: Iterable[Image]) -> Vectors:
        return self.encode_prepared(map(equalised_224, images))

    def encode_prepared(self, images: Iterable[NDArray[np.uint8]]) -> Vectors:
        return self._run(images, self._encode_pixels)

    def encode_reports(self, texts: Iterable[str]) -> Vectors:
        return self._run(texts, lambda batch: self._model.report(self._model.tokenizer(batch).to(self.device)))

    def headless(self) -> Headless:
        """The last layer of each network is its head."""
        bare = deepcopy(self._model)
        image_head, report_head = (network.pool.take_head() for network in (bare.image, bare.report))
        features = MedveilSmall(bare, fingerprint=f"{self.fingerprint} features", device=self.device, unit=False)
        features.name, features.dim = self.name, image_head.in_features
        return Headless(features, features, image_head, report_head)

    def _encode_pixels(self, batch: list[NDArray[np.uint8]]) -> torch.Tensor:
        gray = torch.from_numpy(np.stack(batch)).to(self.device).unsqueeze(1).float() / 255
        return self._model.image(gray.contiguous(memory_format=torch.channels_last))

    def _run(self, items: Iterable[Item], encode: Callable[[list[Item]], torch.Tensor]) -> Vectors:
        with torch.inference_mode():
            parts = [encode(batch).float().cpu().numpy() for batch in _grouped(items)]
        vectors = np.concatenate([np.zeros((0, self.dim), np.float32), *parts])
        return unit_length(vectors) if self._unit else vectors


def _grouped(items: Iterable[Item]) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, BATCH)):
        yield batch

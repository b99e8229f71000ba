"""Encoding on a Ray cluster: chunks of files and of texts go to processes that each hold the model.

The folder of images, and the cache if there is one, must be seen by every machine under the same path.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from medveil.encoders.batches import Count, Place, encode_files, encode_texts
from medveil.encoders.encoder import Encoder, Vectors
from medveil.encoders.published.libraries import declare_missing_operators
from medveil.encoders.vectors.cache import EmbeddingCache
from medveil.errors import NotMeasurable
from medveil.runtime.cluster import RayRunner, ray_cluster
from medveil.runtime.processes import Loss

CHUNK = 256  # files or texts a task
CORES = 4  # a process; each holds the model, and one a core would hold too many


@dataclass(frozen=True)
class ChunkEncoder:
    """One chunk after another, with a model of its own and a view of the cache."""

    root: Path
    model: bytes
    cache: Path | None
    cores: int

    @cached_property
    def _encoder(self) -> Encoder:
        import torch

        torch.set_num_threads(self.cores)
        declare_missing_operators()  # before the model's libraries are imported, which unpickling does
        encoder: Encoder = pickle.loads(self.model)  # noqa: S301  (packed by `ray_encoding`, never read from a file)
        return encoder

    @cached_property
    def _store(self) -> EmbeddingCache | None:
        encoder = self._encoder
        return None if self.cache is None else EmbeddingCache(self.cache, encoder.fingerprint, encoder.dim)

    def files(self, places: Sequence[Place]) -> tuple[Vectors, list[bytes | str]]:
        return encode_files(self.root, places, self._encoder, self._store, _uncounted, workers=1)

    def texts(self, texts: Sequence[str]) -> Vectors:
        return encode_texts(texts, self._encoder, self._store, _uncounted)


@contextmanager
def ray_encoding(root: Path, encoder: Encoder, cache: Path | None) -> Iterator[RayEncoding]:
    """For as long as the block lasts; a cluster that already runs is used, and left running."""
    with ray_cluster() as ray:
        on_processor = getattr(encoder, "device", "cpu") == "cpu"
        smallest = min(node["Resources"].get("CPU", CORES) for node in ray.nodes() if node["Alive"])
        cores = max(1, int(min(CORES, smallest))) if on_processor else 1
        needs = {"num_cpus": cores} if on_processor else {"num_cpus": 1, "num_gpus": 1}
        shared = [root.resolve(), *([cache.resolve()] if cache else [])]
        work = ChunkEncoder(root.resolve(), ray.cloudpickle.dumps(encoder), cache and cache.resolve(), cores)
        yield RayEncoding(RayRunner(ray, tuple(map(str, shared)), needs), work, encoder.dim)


@dataclass(frozen=True)
class RayEncoding:
    """Spreads chunks over the cluster and puts their results in place."""

    runner: RayRunner
    work: ChunkEncoder
    dim: int

    def files(self, places: Sequence[Place], count: Count) -> tuple[Vectors, list[bytes | str]]:
        vectors = np.zeros((len(places), self.dim), np.float32)
        outcomes: list[bytes | str] = [""] * len(places)
        for at, (found, told) in enumerate(self.runner(self.work.files, _chunks(places), chunk=1, crashed=_lost)):
            vectors[at * CHUNK : (at + 1) * CHUNK] = found
            outcomes[at * CHUNK : (at + 1) * CHUNK] = told
            count(len(told))
        return vectors, outcomes

    def texts(self, texts: Sequence[str], count: Count) -> Vectors:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for at, found in enumerate(self.runner(self.work.texts, _chunks(texts), chunk=1, crashed=_lost)):
            vectors[at * CHUNK : (at + 1) * CHUNK] = found
            count(len(found))
        return vectors


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))


def _lost(items: Any, loss: Loss) -> Any:
    """Files are read by processes that may crash; here it was the model itself."""
    raise NotMeasurable("the encoder crashed or was killed, most likely for lack of memory; run again to continue")


def _uncounted(more: int) -> None:
    """Chunks are counted where they come back."""

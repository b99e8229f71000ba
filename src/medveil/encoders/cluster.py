"""Encoding on a Ray cluster: chunks of files and of texts go to workers that each hold the model.

The folder of images, and the cache if there is one, must be seen by every machine under the same path. Work is
kept in memory: a cluster started here spills nothing to disk and reports nothing to anybody.
"""

from __future__ import annotations

import gc
import os
import pickle
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from medveil.encoders.batches import Count, Place, encode_files, encode_texts
from medveil.encoders.encoder import Encoder, Vectors
from medveil.encoders.published.libraries import declare_missing_operators, library
from medveil.encoders.vectors.cache import EmbeddingCache
from medveil.errors import MedveilError, NotMeasurable

CHUNK = 256  # files or texts a task
CORES = 4  # a worker; each holds the model, and one a core would hold too many


class ChunkEncoder:
    """What a worker does: one chunk after another, with its own model and view of the cache."""

    def __init__(self, root: Path, model: bytes, cache: Path | None) -> None:
        declare_missing_operators()  # before the model's libraries are imported, which unpickling does
        encoder: Encoder = pickle.loads(model)  # noqa: S301  (packed by `_hire`, never read from a file)
        self._root = root
        self._encoder = encoder
        self._store = None if cache is None else EmbeddingCache(cache, encoder.fingerprint, encoder.dim)

    def files(self, places: Sequence[Place]) -> tuple[Vectors, list[bytes | str]]:
        return encode_files(self._root, places, self._encoder, self._store, _uncounted, workers=1)

    def texts(self, texts: Sequence[str]) -> Vectors:
        return encode_texts(texts, self._encoder, self._store, _uncounted)


@contextmanager
def ray_encoding(root: Path, encoder: Encoder, cache: Path | None, *, files: int) -> Iterator[RayEncoding]:
    """Workers for as long as the block lasts; a cluster that already runs is used, and left running."""
    ray = library("ray", extra="cluster")
    started = not ray.is_initialized()
    if started:
        _start(ray)
    workers: list[Any] = []
    try:
        workers += _hire(ray, root.resolve(), encoder, cache and cache.resolve(), most=-(-files // CHUNK))
        yield RayEncoding(ray, workers, encoder.dim)
    finally:
        for worker in workers:
            ray.kill(worker)
        if started:
            with _quietly():
                ray.shutdown()
                gc.collect()


class RayEncoding:
    """Spreads chunks over the workers and puts their results in place."""

    def __init__(self, ray: Any, workers: list[Any], dim: int) -> None:
        self._ray = ray
        self._workers = workers
        self._dim = dim

    def files(self, places: Sequence[Place], count: Count) -> tuple[Vectors, list[bytes | str]]:
        vectors = np.zeros((len(places), self._dim), np.float32)
        outcomes: list[bytes | str] = [""] * len(places)
        for start, (found, told) in self._results("files", places):
            vectors[start : start + CHUNK] = found
            outcomes[start : start + CHUNK] = told
            count(len(told))
        return vectors, outcomes

    def texts(self, texts: Sequence[str], count: Count) -> Vectors:
        vectors = np.zeros((len(texts), self._dim), np.float32)
        for start, found in self._results("texts", texts):
            vectors[start : start + CHUNK] = found
            count(len(found))
        return vectors

    def _results(self, task: str, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Where each chunk starts and what became of it, as they come; a worker has one chunk at a time."""
        starts = iter(range(0, len(items), CHUNK))
        busy: dict[Any, tuple[int, Any]] = {}

        def give(worker: Any) -> None:
            if (start := next(starts, None)) is not None:
                busy[getattr(worker, task).remote(items[start : start + CHUNK])] = (start, worker)

        for worker in self._workers:
            give(worker)
        while busy:
            (done, *_), _ = self._ray.wait(list(busy), num_returns=1)
            start, worker = busy.pop(done)
            result = self._get(done)
            give(worker)
            yield start, result

    def _get(self, done: Any) -> Any:
        try:
            return self._ray.get(done)
        except self._ray.exceptions.RayTaskError as failed:
            if isinstance(failed.cause, MedveilError):
                raise failed.cause from None
            raise
        except self._ray.exceptions.RayActorError:
            raise NotMeasurable(
                "a worker of the cluster died; run again to go on from the cache, or without Ray, where a file that "
                "crashes its decoder is set aside"
            ) from None


def _hire(ray: Any, root: Path, encoder: Encoder, cache: Path | None, *, most: int) -> list[Any]:
    """One worker a GPU, or one for every few cores; no more than there are chunks."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if getattr(encoder, "device", "cpu") == "cpu":
        cores = max(1, int(min(CORES, *(node.get("CPU", CORES) for node in nodes))))
        number, needs = sum(int(node.get("CPU", 0)) // cores for node in nodes), {"num_cpus": cores}
    else:
        number, needs = sum(int(node.get("GPU", 0)) for node in nodes), {"num_cpus": 1, "num_gpus": 1}
    if not number:
        raise NotMeasurable("the Ray cluster has nothing to run the encoder on; choose another device")
    worker = ray.remote(ChunkEncoder).options(**needs)
    model = ray.put(ray.cloudpickle.dumps(encoder))
    return [worker.remote(root, model, cache) for _ in range(min(number, most))]


def _start(ray: Any) -> None:
    """Join the cluster that RAY_ADDRESS names, or start one of this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own = {"address": "local", "_system_config": {"automatic_object_spilling_enabled": False}}
    with _quietly():
        ray.init(
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            **({} if "RAY_ADDRESS" in os.environ else own),
        )


@contextmanager
def _quietly() -> Iterator[None]:
    """Ray leaves files open while it starts and stops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _uncounted(more: int) -> None:
    """Chunks are counted where they come back."""

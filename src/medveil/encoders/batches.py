"""Encoding image files and texts batch by batch, through the cache; memory stays flat whatever their number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from medveil.cohort.dicom.many import read_many
from medveil.cohort.features import FEW
from medveil.cohort.images import load_image
from medveil.encoders.encoder import Encoder, Image, Prepared, Vectors
from medveil.encoders.vectors.cache import EmbeddingCache
from medveil.errors import NotMeasurable, Quarantined

BATCH = 128  # images or texts that go to the model, and then to the cache, at a time

Item = TypeVar("Item")
Place = tuple[str, int]  # path below the root, and frame
Count = Callable[[int], None]


def encode_files(
    root: Path,
    places: Sequence[Place],
    encoder: Encoder,
    store: EmbeddingCache | None,
    count: Count,
    *,
    workers: int | None = None,
) -> tuple[Vectors, list[bytes | str]]:
    """One row a place, and for each the key of its pixels, or in words why it could not be read."""
    vectors = np.zeros((len(places), encoder.dim), np.float32)
    outcomes: list[bytes | str] = []
    encode = encoder.encode_prepared if isinstance(encoder, Prepared) else encoder.encode_images
    for batch in _grouped(_read(root, places, encoder, workers)):
        first = len(outcomes)
        outcomes += [read.reason if isinstance(read, Quarantined) else image_key(read) for read in batch]
        images = [
            (first + place, outcome, read)
            for place, (outcome, read) in enumerate(zip(outcomes[first:], batch, strict=True))
            if isinstance(outcome, bytes)
        ]
        _fill(vectors, images, encoder, encode, store)
        count(len(batch))
    return vectors, outcomes


def encode_texts(texts: Sequence[str], encoder: Encoder, store: EmbeddingCache | None, count: Count) -> Vectors:
    """One row a text. Texts of like length go together, for a batch is padded to its longest."""
    vectors = np.zeros((len(texts), encoder.dim), np.float32)
    for batch in _grouped(sorted(range(len(texts)), key=lambda row: len(texts[row]))):
        _fill(
            vectors, [(row, text_key(texts[row]), texts[row]) for row in batch], encoder, encoder.encode_reports, store
        )
        count(len(batch))
    return vectors


def image_key(image: Image) -> bytes:
    """The same for the same pixels, whatever file they came in."""
    content = np.ascontiguousarray(image)
    return hashlib.sha256(f"image {content.dtype.str} {content.shape} ".encode() + content.tobytes()).digest()


def text_key(text: str) -> bytes:
    return hashlib.sha256(b"text " + text.encode(errors="surrogatepass")).digest()


def _fill(
    vectors: Vectors,
    batch: list[tuple[int, bytes, Any]],
    encoder: Encoder,
    encode: Callable[[Iterable[Any]], Vectors],
    store: EmbeddingCache | None,
) -> None:
    """The rows of a batch, from the cache or else from the model."""
    missing = []
    for row, key, item in batch:
        known = None if store is None else store.get(key)
        if known is None:
            missing.append((row, key, item))
        else:
            vectors[row] = known
    if missing:
        rows, keys, items = zip(*missing, strict=True)
        fresh = _checked(encode(items), len(items), encoder)
        vectors[list(rows)] = fresh
        if store is not None:
            store.put(list(keys), fresh)


def _checked(vectors: Vectors, count: int, encoder: Encoder) -> Vectors:
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.shape != (count, encoder.dim):
        raise NotMeasurable(f"the encoder {encoder.name} does not return one vector of its dimension per item")
    if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
        raise NotMeasurable(f"the encoder {encoder.name} returns vectors that are zero or not numbers")
    return vectors


def _read(root: Path, places: Sequence[Place], encoder: Encoder, workers: int | None) -> Iterator[Image | Quarantined]:
    """Images as the encoder takes them; whole ones come one by one, for a pipe full of them would fill memory."""
    if not isinstance(encoder, Prepared):
        return read_many(partial(_load, root), places, workers=1, chunk=1)
    if len(places) < FEW:
        workers = 1
    return read_many(partial(_load_prepared, root, encoder.prepare), places, workers=workers)


def _load(root: Path, place: Place) -> Image:
    return load_image(root, place[0], frame=place[1])


def _load_prepared(root: Path, prepare: Callable[[Image], Image], place: Place) -> Image:
    return prepare(_load(root, place))


def _grouped(items: Iterable[Item]) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, BATCH)):
        yield batch

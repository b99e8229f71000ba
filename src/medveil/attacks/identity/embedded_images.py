"""Every image read once: its digest, a thumbnail, whether it is a frontal chest, and its identity vector.

Images stream through in small batches; what cannot be read or does not belong is set aside with its reason.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.cohort.dicom.many import read_many
from medveil.cohort.features import FEW, thumbnail
from medveil.cohort.images import load_image
from medveil.encoders.identity.chest_check import bundled_check, chest_features
from medveil.encoders.identity.preparing import Preparation
from medveil.encoders.vectors.cache import EmbeddingCache
from medveil.errors import Quarantined

BATCH = 128
OTHER_VIEW = "not a frontal view, by the table"
NOT_FRONTAL = "does not look like a frontal chest X-ray"

Image = NDArray[Any]
Singles = NDArray[np.float32]
Progress = Callable[[int, int], None]  # images done, of how many


class Embedder(Protocol):
    """What the attack asks of a network; `medveil.encoders.identity` has one."""

    name: str
    dim: int
    card: dict[str, Any]
    preparation: Preparation  # what is made of an image before the network gets it

    def embed(self, images: Iterable[Image]) -> Singles: ...

    def attention(self, a: Image, b: Image) -> tuple[Singles, Singles]: ...


@dataclass(frozen=True)
class EmbeddedImages:
    """A cohort's images as vectors. `rows` are the rows of its table that can be attacked; the rest is set aside."""

    rows: NDArray[np.intp]
    vectors: Singles
    thumbnails: NDArray[np.float16]
    digests: NDArray[np.void]
    set_aside: dict[int, str]  # row -> reason

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many images were set aside, by reason."""
        return dict(sorted(Counter(self.set_aside.values()).items()))


@dataclass(frozen=True)
class _ReadImage:
    row: int
    digest: bytes
    thumbnail: NDArray[np.float16]
    prepared: Image


def embed_images(
    cohort: Cohort, embedder: Embedder, *, cache: Path | None = None, progress: Progress | None = None
) -> EmbeddedImages:
    """Read all images of a cohort once and embed those that are frontal chest X-rays."""
    store = None if cache is None else EmbeddingCache(cache, _model(embedder), embedder.dim)
    set_aside: dict[int, str] = {}
    rows: list[int] = []
    digests: list[bytes] = []
    thumbnails = [np.zeros((0, 1024), np.float16)]
    vectors = [np.zeros((0, embedder.dim), np.float32)]
    stream = _read_images(cohort, embedder.preparation, set_aside, progress)
    while batch := list(islice(stream, BATCH)):
        vectors.append(_embedded(batch, embedder, store))
        thumbnails.append(np.stack([image.thumbnail for image in batch]))
        rows += [image.row for image in batch]
        digests += [image.digest for image in batch]
    return EmbeddedImages(
        rows=np.array(rows, dtype=np.intp),
        vectors=np.concatenate(vectors),
        thumbnails=np.concatenate(thumbnails),
        digests=np.array(digests, dtype="V32"),
        set_aside=set_aside,
    )


def _read_images(
    cohort: Cohort, prepare: Preparation, set_aside: dict[int, str], progress: Progress | None
) -> Iterator[_ReadImage]:
    other = cohort.table["view"].isin(("LATERAL", "OTHER")).to_numpy()
    set_aside |= dict.fromkeys(np.flatnonzero(other).tolist(), OTHER_VIEW)
    frontal: pd.DataFrame = cohort.table.loc[~other, ["path", "frame"]]
    places = [(int(row), path, int(frame)) for row, path, frame in frontal.itertuples()]
    workers = 1 if len(places) < FEW else None
    results = read_many(partial(_read_image, cohort.root, prepare), places, workers=workers)
    for done, (place, result) in enumerate(zip(places, results, strict=True), 1):
        if isinstance(result, Quarantined):
            set_aside[place[0]] = result.reason
        else:
            yield result
        if progress:
            progress(done, len(places))


def _read_image(root: Path, prepare: Preparation, place: tuple[int, str, int]) -> _ReadImage:
    row, path, frame = place
    image = load_image(root, path, frame=frame)
    if bundled_check().score(chest_features(image))[0] < 0:
        raise Quarantined(NOT_FRONTAL)
    return _ReadImage(row, pixel_digest(image), thumbnail(image).astype(np.float16), prepare(image))


def pixel_digest(image: Image) -> bytes:
    """The same for the same pixels, whatever file they came in."""
    content = np.ascontiguousarray(image)
    return hashlib.sha256(f"{content.dtype.str} {content.shape} ".encode() + content.tobytes()).digest()


def _model(embedder: Embedder) -> str:
    return f"{embedder.name} {embedder.dim} {json.dumps(embedder.card, sort_keys=True, default=str)}"


def _embedded(batch: list[_ReadImage], embedder: Embedder, store: EmbeddingCache | None) -> Singles:
    known = [None if store is None else store.get(image.digest) for image in batch]
    missing = [place for place, vector in enumerate(known) if vector is None]
    fresh = embedder.embed(batch[place].prepared for place in missing) if missing else np.zeros((0, embedder.dim))
    if store is not None:
        store.put([batch[place].digest for place in missing], fresh.astype(np.float32))
    vectors = np.empty((len(batch), embedder.dim), np.float32)
    for place, vector in enumerate(known):
        if vector is not None:
            vectors[place] = vector
    vectors[missing] = fresh
    return vectors

"""From a cohort to the vectors of its image-report pairs: every image and every text once, what fails set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.encoders.batches import Count, Place, encode_files, encode_texts
from medveil.encoders.encoder import Encoder, Reading, Vectors
from medveil.encoders.vectors.cache import EmbeddingCache
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.errors import NotMeasurable

if TYPE_CHECKING:
    from medveil.encoders.headless import Headless

OTHER_VIEW = "not a frontal view, by the table"
NO_REPORT = "no report"

Progress = Callable[[int, int], None]  # images and distinct reports done, of how many
Encoded = tuple[Vectors, list[bytes | str], Vectors]  # image vectors, their pixels' keys or why not, text vectors
Encode = Callable[[list[Place], list[str], Count], Encoded]


def encode_cohort(
    cohort: Cohort,
    encoder: Encoder,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
    ray: bool = False,
) -> Embeddings:
    """Encode the frontal images that have a report, and their reports.

    With a cache, what was encoded before is not encoded again, also after a killed run. With `ray`, the work is
    spread over a Ray cluster; the results are the same.
    """

    def on_cluster(places: list[Place], texts: list[str], count: Count) -> Encoded:
        from medveil.encoders.ray_encoding import ray_encoding

        with ray_encoding(cohort.root, encoder, cache) as work:
            return *work.files(places, count), work.texts(texts, count)

    encode = on_cluster if ray else _here(cohort.root, encoder, encoder, cache)
    return _encode_pairs(cohort, encoder, encode, progress)


def encode_features(
    cohort: Cohort, headless: Headless, *, cache: Path | None = None, progress: Progress | None = None
) -> Embeddings:
    """The same pairs as `encode_cohort` takes, as they stand before a model's heads; not of unit length."""
    encode = _here(cohort.root, headless.images, headless.reports, cache)
    return _encode_pairs(cohort, headless.reports, encode, progress)


def _here(root: Path, seeing: Encoder, reading: Encoder, cache: Path | None) -> Encode:
    """Encode in this process; images and texts may have an encoder each."""

    def encode(places: list[Place], texts: list[str], count: Count) -> Encoded:
        kept = _store(seeing, cache)
        images, outcomes = encode_files(root, places, seeing, kept, count)
        kept = kept if reading is seeing else _store(reading, cache)
        return images, outcomes, encode_texts(texts, reading, kept, count)

    return encode


def _store(encoder: Encoder, cache: Path | None) -> EmbeddingCache | None:
    return None if cache is None else EmbeddingCache(cache, encoder.fingerprint, encoder.dim)


def _encode_pairs(cohort: Cohort, reading: Encoder, encode: Encode, progress: Progress | None) -> Embeddings:
    rows, set_aside = _pairs(cohort)
    if not len(rows):
        raise NotMeasurable("no frontal image of the cohort has a report; linkage needs pairs of both")
    texts, text_of = _distinct(cohort.table["report"].iloc[rows], reading)
    places = _places(cohort, rows)
    images, outcomes, reports = encode(places, texts, _counting(progress, len(places) + len(texts)))
    read = np.array([isinstance(outcome, bytes) for outcome in outcomes])
    if not read.any():
        raise NotMeasurable("none of the images with a report could be read; check the cohort's files")
    counts = Counter(set_aside) + Counter(outcome for outcome in outcomes if isinstance(outcome, str))
    _make_copies_equal(images, outcomes)
    kept = images if read.all() else images[read]  # a copy only where rows go
    return Embeddings(kept, reports[text_of[read]], rows[read], dict(sorted(counts.items())))


def _make_copies_equal(images: Vectors, outcomes: list[bytes | str]) -> None:
    """The same pixels get the same vector to the last bit, which differs a little between batches: ties are exact."""
    first: dict[bytes | str, int] = {}
    for row, outcome in enumerate(outcomes):
        images[row] = images[first.setdefault(outcome, row)]


def _pairs(cohort: Cohort) -> tuple[NDArray[np.intp], dict[str, int]]:
    """The rows to encode, and how many are left out for which reason."""
    other = cohort.table["view"].isin(("LATERAL", "OTHER")).to_numpy()
    silent = (cohort.table["report"].fillna("").str.strip() == "").to_numpy(dtype=bool)
    counts = {OTHER_VIEW: int(other.sum()), NO_REPORT: int((silent & ~other).sum())}
    return np.flatnonzero(~other & ~silent), {reason: count for reason, count in counts.items() if count}


def _distinct(reports: pd.Series, encoder: Encoder) -> tuple[list[str], NDArray[np.intp]]:
    """The texts the encoder can tell apart, and which of them each report is: one vector each, so ties are exact."""
    codes, texts = pd.factorize(reports)
    distinct = [str(text) for text in texts]
    if isinstance(encoder, Reading):
        same = pd.factorize(np.array(encoder.readings(distinct), dtype=object))[0]
        first = np.unique(same, return_index=True)[1]
        distinct, codes = [distinct[place] for place in first], same[codes]
    return distinct, codes.astype(np.intp)


def _places(cohort: Cohort, rows: NDArray[np.intp]) -> list[Place]:
    table = cohort.table.iloc[rows]
    return list(zip(table["path"], table["frame"].astype(int), strict=True))


def _counting(progress: Progress | None, total: int) -> Callable[[int], None]:
    """Adds up what is done of images and texts."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        if progress:
            progress(done, total)

    return count

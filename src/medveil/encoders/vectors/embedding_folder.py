"""Embeddings on disk, as `medveil encode` writes them: two arrays, the table of their pairs, and what made them.

Vectors recognise people, so the files are their owner's only. The table has the cohort's ids and what an audit
groups by; of a report it has a number for its text and its length, not the text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import medveil
from medveil.cohort import LABELS, Cohort
from medveil.encoders.encoder import Encoder, Vectors
from medveil.encoders.vectors.precomputed import read_embeddings
from medveil.errors import InputError
from medveil.runtime.storage import atomic_path, write_json

KIND = "medveil.embeddings/"
FORMAT = f"{KIND}1"
IMAGES, REPORTS, IDS, MANIFEST = "images.npy", "reports.npy", "ids.parquet", "manifest.json"
KEPT = ("image_id", "patient_id", "study_id", "site", "view", "age", "sex", "split", *LABELS)


@dataclass(frozen=True)
class Embeddings:
    """Vectors, of unit length unless they are features; row i of both is a pair, `rows[i]` its row in the cohort's
    table."""

    images: Vectors
    reports: Vectors
    rows: NDArray[np.intp]
    set_aside: dict[str, int]  # reason -> images

    def __len__(self) -> int:
        return len(self.rows)


def save_embeddings(embeddings: Embeddings, cohort: Cohort, out: Path, *, encoder: Encoder) -> None:
    """Write the folder; its manifest comes last, and holds the hash of every other file."""
    out = Path(out)
    _write(out / IMAGES, lambda file: np.save(file, embeddings.images, allow_pickle=False))
    _write(out / REPORTS, lambda file: np.save(file, embeddings.reports, allow_pickle=False))
    _write(out / IDS, pairs_of(embeddings, cohort).to_parquet)
    manifest = {
        "format": FORMAT,
        "medveil": medveil.__version__,
        "encoder": encoder.name,
        "dim": encoder.dim,
        "license": encoder.license,
        "fingerprint": encoder.fingerprint,
        "pairs": len(embeddings),
        "set_aside": embeddings.set_aside,
        "sha256": {name: _digest(out / name) for name in (IMAGES, REPORTS, IDS)},
    }
    write_json(out / MANIFEST, manifest)


def pairs_of(embeddings: Embeddings, cohort: Cohort) -> pd.DataFrame:
    """The table of the pairs, in their order, without the reports' text."""
    table = cohort.table.iloc[embeddings.rows]
    pairs = table[list(KEPT)].reset_index(drop=True)
    words = table["report"].reset_index(drop=True).str.split()
    return pairs.assign(report_code=pd.factorize(words.str.join(" "))[0], report_words=words.str.len().astype(int))


def is_embedding_folder(folder: Path) -> bool:
    """Whether `save_embeddings`, of this version or another, wrote it."""
    try:
        return str(json.loads((Path(folder) / MANIFEST).read_text(encoding="utf-8"))["format"]).startswith(KIND)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def open_embeddings(folder: Path) -> tuple[Embeddings, pd.DataFrame, dict[str, Any]]:
    """What `save_embeddings` wrote: the vectors (mapped), the table of the pairs, and the manifest."""
    folder = Path(folder)
    manifest = _read_manifest(folder)
    for name in (IMAGES, REPORTS, IDS):
        if not (folder / name).is_file() or _digest(folder / name) != manifest["sha256"][name]:
            raise InputError(f"{folder / name} is not the file its manifest describes; encode the cohort again")
    images, reports, ids = read_embeddings(folder / IMAGES, folder / REPORTS, folder / IDS)
    return Embeddings(images, reports, np.arange(len(ids)), dict(manifest["set_aside"])), ids, manifest


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] == FORMAT:
            return manifest
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{folder} was not written by this version of `medveil encode`; encode the cohort again")


def _write(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """A whole file or none, readable by its owner only from the first byte on."""
    with atomic_path(path) as temporary:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            write(file)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Vectors kept on disk between runs, so that an image or a text is put through the network once.

A cache holds digests and vectors, no names, numbers, texts or pictures. A vector recognises a person all the
same: the files are their owner's only. Every file is named after its own content, so that half-written or
damaged ones are told and left out, and several runs may share a folder.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.runtime.storage import told, write_bytes

Vectors = NDArray[np.float32]
KEY = 32  # bytes


class EmbeddingCache:
    """What one model made of images and texts, by their digest."""

    def __init__(self, folder: Path, model: str, dim: int) -> None:
        self._folder = Path(folder) / hashlib.sha256(model.encode()).hexdigest()[:16]
        self._dim = dim
        self._places: dict[bytes, tuple[Path, int]] = {}
        self._shard: tuple[Path | None, Vectors] = (None, np.zeros((0, dim), np.float32))
        with told():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
        for path in sorted(self._folder.glob("*.vectors")):
            keys, _ = self._read(path)
            self._places |= {key: (path, row) for row, key in enumerate(keys)}

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: bytes) -> Vectors | None:
        """The vector kept under this digest, or nothing if there is none."""
        if key not in self._places:
            return None
        path, row = self._places[key]
        last, vectors = self._shard  # read at once: another thread may look into another file meanwhile
        if last != path:  # neighbours in the cohort are neighbours here
            keys, vectors = self._read(path)
            if row >= len(keys) or keys[row] != key:
                return None
            self._shard = (path, vectors)
        return vectors[row]

    def put(self, keys: list[bytes], vectors: Vectors) -> None:
        """Keep these, whole or not at all."""
        if not keys:
            return
        content = b"".join(keys) + np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        path = self._folder / f"{_digest(content)}.vectors"
        write_bytes(path, content, private=True)
        self._places |= {key: (path, row) for row, key in enumerate(keys)}

    def _read(self, path: Path) -> tuple[list[bytes], Vectors]:
        """Keys and vectors of one file; of a damaged one, none."""
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        count, rest = divmod(len(content), KEY + 4 * self._dim)
        if rest or _digest(content) != path.stem:
            return [], np.zeros((0, self._dim), np.float32)
        keys = [content[place : place + KEY] for place in range(0, count * KEY, KEY)]
        vectors = np.frombuffer(content, dtype="<f4", offset=count * KEY).reshape(count, self._dim)
        return keys, vectors.astype(np.float32)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]

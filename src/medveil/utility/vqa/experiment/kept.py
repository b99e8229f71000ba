"""What earlier runs found out, in a journal: the same question to the same model is not asked twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.runtime.journal import Journal, Noted

Entry = dict[str, Any]


class Kept:
    """Without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._journal = Journal(path) if path else None

    def entry(self, name: str, digest: str, make: Callable[[], Entry]) -> Entry:
        """What is kept under this name, if it was made from the same things; else it is made."""
        if self._journal is None:
            return make()
        noted = self._journal.get(name)
        if noted is None or noted.digest != digest:
            noted = Noted(digest, make())
        self._journal.put(name, noted)
        return noted.entry

    def finish(self) -> None:
        """What this run had no use for goes."""
        if self._journal is not None:
            self._journal.finish()

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


def digest_of(told: Any) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def digest_of_image(image: NDArray[np.uint8]) -> str:
    return hashlib.sha256(str(image.shape).encode() + np.ascontiguousarray(image).tobytes()).hexdigest()

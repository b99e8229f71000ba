from __future__ import annotations

from pathlib import Path, PosixPath

import numpy as np
import pytest

from medveil.encoders.vectors.cache import EmbeddingCache


def test_another_thread_may_look_into_another_file_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = EmbeddingCache(tmp_path, "model", 4)
    one, other = bytes(32), bytes([1]) * 32
    for number, key in enumerate((one, other)):
        cache.put([key], np.full((1, 4), number, np.float32))
    cache.get(one)  # its file is open now
    compare = PosixPath.__eq__

    def interrupted(path: Path, with_path: object) -> bool:
        monkeypatch.setattr(PosixPath, "__eq__", compare)
        same = path == with_path
        cache.get(other)
        return same

    monkeypatch.setattr(PosixPath, "__eq__", interrupted)
    assert np.array_equal(cache.get(one), np.zeros(4))

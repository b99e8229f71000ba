from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.attacks.identity import embedded_images
from medveil.attacks.identity.embedded_images import embed_images
from medveil.encoders.vectors.cache import EmbeddingCache


def test_what_was_put_comes_back_in_another_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    keys = [bytes(rng.bytes(32)) for _ in range(5)]
    vectors = rng.normal(size=(5, 7)).astype(np.float32)
    EmbeddingCache(tmp_path, "one", 7).put(keys[:3], vectors[:3])
    EmbeddingCache(tmp_path, "one", 7).put(keys[3:], vectors[3:])
    again = EmbeddingCache(tmp_path, "one", 7)
    assert len(again) == 5
    assert np.array_equal(np.stack([again.get(key) for key in keys]), vectors)
    assert again.get(bytes(32)) is None
    assert EmbeddingCache(tmp_path, "another", 7).get(keys[0]) is None  # another network, other vectors


def test_damaged_files_are_left_out(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path, "one", 4)
    cache.put([bytes(32)], np.ones((1, 4), np.float32))
    cache.put([bytes([1]) * 32], np.ones((1, 4), np.float32))
    torn, changed = sorted(tmp_path.rglob("*.vectors"))
    torn.write_bytes(torn.read_bytes()[:-3])
    content = bytearray(changed.read_bytes())
    content[-1] ^= 1
    changed.write_bytes(content)
    assert len(EmbeddingCache(tmp_path, "one", 4)) == 0


def test_a_killed_run_goes_on_where_it_was(
    clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_images, "BATCH", 4)
    cohort = cohort_of(*clinic.visits(range(6)))
    whole = embed_images(cohort, stand_in)
    assert stand_in.embedded == 12

    class Killed(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 10:
            raise Killed

    with pytest.raises(Killed):
        embed_images(cohort, stand_in, cache=tmp_path / "cache", progress=stop)
    before = stand_in.embedded
    resumed = embed_images(cohort, stand_in, cache=tmp_path / "cache")
    assert stand_in.embedded - before == 4  # two batches of four were kept
    assert np.array_equal(resumed.vectors, whole.vectors)
    embed_images(cohort, stand_in, cache=tmp_path / "cache")
    assert stand_in.embedded - before == 4


def test_no_identifier_in_the_cache_and_nobody_else_may_read_it(
    clinic: Any, cohort_of: Any, stand_in: Any, tmp_path: Path
) -> None:
    cohort = cohort_of(*clinic.visits(range(4)))
    embed_images(cohort, stand_in, cache=tmp_path / "cache")
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files and all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    written = b"".join(path.read_bytes() + str(path.relative_to(tmp_path)).encode() for path in files)
    for column in ("image_id", "patient_id", "study_id", "path"):
        for value in cohort.table[column]:
            assert value.encode() not in written

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.encoders import ray_encoding as cluster
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.loading import load_encoder
from medveil.errors import NotMeasurable
from medveil.runtime.cluster import ray_cluster

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with ray_cluster() as ray:
        yield ray


def test_ray_gives_the_same_vectors_and_uses_the_same_cache(
    ray: Any, hospital: Cohort, clip_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CHUNK", 5)
    table = hospital.frontal().table.iloc[:12].copy()
    table.loc[4, "path"] = "no-such-file.dcm"
    cohort = Cohort.of(table, hospital.root)
    encoder = load_encoder(str(clip_folder))
    here = encode_cohort(cohort, encoder)
    told: list[int] = []
    there = encode_cohort(
        cohort, encoder, cache=tmp_path, ray=True, progress=lambda done, total: told.append(total - done)
    )
    assert told[-1] == 0
    assert np.allclose(there.images, here.images, atol=1e-6)
    assert np.allclose(there.reports, here.reports, atol=1e-6)
    assert np.array_equal(there.rows, here.rows)
    assert there.set_aside == here.set_aside == {"missing file": 1}
    encoder.image = encoder.text = None  # type: ignore[assignment]
    again = encode_cohort(cohort, encoder, cache=tmp_path)
    assert np.array_equal(again.images, there.images)
    assert ray.is_initialized()  # it was running before, so it is left running


def test_an_error_of_a_worker_comes_back_as_one_sentence(ray: Any, hospital: Cohort) -> None:
    class Broken:
        name, dim, license, fingerprint = "broken", 4, "none", "broken 1"

        def encode_images(self, images: Any) -> Any:
            return np.zeros((len(images), 4), np.float32)

        encode_reports = encode_images

    cohort = hospital.where(np.arange(len(hospital)) < 8)
    with pytest.raises(NotMeasurable, match=r"\Athe encoder broken returns vectors that are zero or not numbers\Z"):
        encode_cohort(cohort, Broken(), ray=True)

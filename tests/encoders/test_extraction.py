from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.encoders import batches
from medveil.encoders.extraction import NO_REPORT, OTHER_VIEW, encode_cohort
from medveil.errors import NotMeasurable


@pytest.fixture
def cohort(hospital: Cohort) -> Cohort:
    """A dozen pairs: one lateral, one silent, one with a broken file, and twice the same text."""
    frontal = hospital.frontal()
    table = frontal.table.iloc[:12].copy()
    table["report"] = [f"{text} {row}" for row, text in enumerate(table["report"])]
    table.loc[7, "report"], table.loc[8, "report"] = "heart enlarged 7", "lungs are full 8"  # of the same length
    table.loc[1, "report"] = table.loc[0, "report"]
    table.loc[2, "view"] = "LATERAL"
    table.loc[3, "report"] = " \n"
    table.loc[4, "path"] = "no-such-file.dcm"
    table.loc[6, "path"] = table.loc[5, "path"]
    return Cohort.of(table, frontal.root)


def test_pairs_are_encoded_and_the_rest_is_set_aside_with_its_reason(cohort: Cohort, stand_in: Any) -> None:
    found = encode_cohort(cohort, stand_in)
    assert found.rows.tolist() == [0, 1, 5, 6, 7, 8, 9, 10, 11]
    assert found.set_aside == {OTHER_VIEW: 1, NO_REPORT: 1, "missing file": 1}
    for place, row in enumerate(found.rows):
        assert np.allclose(found.images[place], stand_in.encode_images([cohort.image(row)])[0], atol=1e-6)
        assert np.allclose(found.reports[place], stand_in.encode_reports([cohort.table["report"][row]])[0], atol=1e-6)


def test_the_same_text_is_encoded_once(cohort: Cohort, stand_in: Any) -> None:
    found = encode_cohort(cohort, stand_in)
    assert stand_in.reports == 9  # ten reports of images that look frontal, two of them equal
    assert np.array_equal(found.reports[0], found.reports[1])


def test_texts_that_read_alike_tie_exactly(cohort: Cohort, stand_in: Any) -> None:
    stand_in.readings = lambda texts: [text[-1:].encode() for text in texts]
    found = encode_cohort(cohort, stand_in)
    assert stand_in.reports == 8  # rows 0, 1 and 10 end in 0
    assert np.array_equal(found.reports[0], found.reports[7])
    assert not np.array_equal(found.reports[0], found.reports[6])


def test_the_same_pixels_have_the_same_vector_to_the_last_bit(cohort: Cohort, stand_in: Any) -> None:
    class Noisy(type(stand_in)):
        def encode_images(self, images: Any) -> Any:
            return super().encode_images(images) + np.float32(1e-7) * np.arange(len(images := list(images)))[:, None]

    found = encode_cohort(cohort, Noisy())
    assert np.array_equal(found.images[2], found.images[3])
    assert not np.array_equal(found.images[3], found.images[4])


def test_progress_counts_images_and_distinct_texts(
    cohort: Cohort, stand_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 4)
    told: list[tuple[int, int]] = []
    encode_cohort(cohort, stand_in, progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 19), (8, 19), (10, 19), (14, 19), (18, 19), (19, 19)]


class Killed(Exception):
    pass


def test_a_killed_run_goes_on_where_it_was(
    cohort: Cohort, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 4)
    whole = encode_cohort(cohort, stand_in)

    def stop(done: int, total: int) -> None:
        if done == 14:  # all images, and four of the nine texts
            raise Killed

    with pytest.raises(Killed):
        encode_cohort(cohort, stand_in, cache=tmp_path / "cache", progress=stop)
    before = stand_in.images, stand_in.reports
    resumed = encode_cohort(cohort, stand_in, cache=tmp_path / "cache")
    assert (stand_in.images - before[0], stand_in.reports - before[1]) == (0, 5)
    assert not np.array_equal(resumed.reports[4], resumed.reports[5])
    assert np.array_equal(resumed.images, whole.images)
    assert np.array_equal(resumed.reports, whole.reports)
    encode_cohort(cohort, stand_in, cache=tmp_path / "cache")
    assert (stand_in.images - before[0], stand_in.reports - before[1]) == (0, 5)


def test_another_model_does_not_get_the_cached_vectors(cohort: Cohort, stand_in: Any, tmp_path: Path) -> None:
    encode_cohort(cohort, stand_in, cache=tmp_path)
    before = stand_in.images
    stand_in.fingerprint = "stand-in 2"
    encode_cohort(cohort, stand_in, cache=tmp_path)
    assert stand_in.images == 2 * before


def test_the_cache_holds_no_text_and_no_identifier(cohort: Cohort, stand_in: Any, tmp_path: Path) -> None:
    encode_cohort(cohort, stand_in, cache=tmp_path / "cache")
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files and all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    written = b"".join(path.read_bytes() + str(path.relative_to(tmp_path)).encode() for path in files)
    for column in ("image_id", "patient_id", "study_id", "path", "report"):
        for value in cohort.table[column]:
            assert value[:20].encode() not in written


def test_prepared_images_come_from_other_processes_as_from_this_one(
    hospital: Cohort, clip_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medveil.encoders.loading import load_encoder

    cohort = hospital.frontal().where(np.arange(len(hospital.frontal())) < 20)
    encoder = load_encoder(str(clip_folder))
    here = encode_cohort(cohort, encoder)
    assert np.allclose(here.images, encoder.encode_images(cohort.images()), atol=1e-5)
    monkeypatch.setattr(batches, "FEW", 0)
    there = encode_cohort(cohort, encoder)
    assert np.array_equal(here.images, there.images)


def test_nothing_to_encode_is_told_in_a_sentence(cohort: Cohort, stand_in: Any) -> None:
    silent = cohort.table.assign(report="")
    with pytest.raises(NotMeasurable, match="linkage needs pairs"):
        encode_cohort(replace(cohort, table=silent), stand_in)
    lost = cohort.table.assign(path="no-such-file.dcm")
    with pytest.raises(NotMeasurable, match="could be read"):
        encode_cohort(replace(cohort, table=lost), stand_in)


@pytest.mark.parametrize("broken", [np.nan, 0.0])
def test_a_broken_encoder_is_not_taken_for_a_safe_cohort(cohort: Cohort, stand_in: Any, broken: float) -> None:
    stand_in.encode_reports = lambda texts: np.full((len(texts), stand_in.dim), broken, np.float32)
    with pytest.raises(NotMeasurable, match="zero or not numbers"):
        encode_cohort(cohort, stand_in)
    stand_in.encode_reports = lambda texts: np.ones((1, stand_in.dim), np.float32)
    with pytest.raises(NotMeasurable, match="one vector of its dimension"):
        encode_cohort(cohort, stand_in)

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.cohort import LABELS, Cohort
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.vectors.embedding_folder import is_embedding_folder, open_embeddings, save_embeddings
from medveil.errors import InputError


@pytest.fixture
def saved(hospital: Cohort, stand_in: Any, tmp_path: Path) -> Path:
    save_embeddings(encode_cohort(hospital, stand_in), hospital, tmp_path / "out", encoder=stand_in)
    return tmp_path / "out"


def test_what_was_saved_comes_back(saved: Path, hospital: Cohort, stand_in: Any) -> None:
    whole = encode_cohort(hospital, stand_in)
    found, pairs, manifest = open_embeddings(saved)
    assert isinstance(found.images, np.memmap)
    assert np.array_equal(found.images, whole.images)
    assert np.array_equal(found.reports, whole.reports)
    assert found.set_aside == whole.set_aside
    kept = hospital.table.iloc[whole.rows].reset_index(drop=True)
    for column in ("image_id", "patient_id", "study_id", "view", "age", *LABELS):
        pd.testing.assert_series_equal(pairs[column], kept[column])
    same = kept["report"].to_numpy()[:, None] == kept["report"].to_numpy()
    codes = pairs["report_code"].to_numpy()
    assert np.array_equal(codes[:, None] == codes, same)
    assert pairs["report_words"][0] == len(kept["report"][0].split())
    assert {key: manifest[key] for key in ("encoder", "dim", "license", "fingerprint", "pairs")} == {
        "encoder": "stand-in",
        "dim": 6,
        "license": "none",
        "fingerprint": "stand-in 1",
        "pairs": len(whole),
    }


def test_no_report_and_no_path_is_written_and_nobody_else_may_read_it(saved: Path, hospital: Cohort) -> None:
    files = [path for path in saved.iterdir() if path.name != "manifest.json"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    columns = set(pd.read_parquet(saved / "ids.parquet").columns)
    assert not columns & {"report", "path", "date"}
    manifest = (saved / "manifest.json").read_text()
    assert not any(value in manifest for value in hospital.table["patient_id"])


def test_such_a_folder_is_told_from_others(saved: Path, hospital: Cohort, tmp_path: Path) -> None:
    assert is_embedding_folder(saved)
    assert not is_embedding_folder(hospital.root)
    (tmp_path / "manifest.json").write_text("[]")
    assert not is_embedding_folder(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "medveil.embeddings/99"}')
    assert is_embedding_folder(tmp_path)


def test_a_folder_that_is_not_whole_is_refused(saved: Path) -> None:
    vectors = np.load(saved / "images.npy")
    np.save(saved / "images.npy", vectors[::-1])
    with pytest.raises(InputError, match=r"images\.npy is not the file its manifest describes"):
        open_embeddings(saved)
    (saved / "images.npy").unlink()
    with pytest.raises(InputError, match=r"images\.npy is not the file its manifest describes"):
        open_embeddings(saved)
    (saved / "manifest.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(InputError, match="was not written by this version"):
        open_embeddings(saved)
    with pytest.raises(InputError, match="was not written by this version"):
        open_embeddings(saved / "nowhere")

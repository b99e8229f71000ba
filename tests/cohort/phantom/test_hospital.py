"""The generator: same bytes whatever the workers, the number of patients, or the moment it was killed."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.cohort import LABELS, Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.cohort.phantom.plan import plan_patient
from medveil.errors import InputError

SMALL = {"patients": 6, "sites": 3, "seed": 3, "size": 96}


def tree(out: Path) -> dict[str, str]:
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("small") / "hospital"
    build_hospital(out, **SMALL, workers=1)
    return out


def test_the_cohort_is_what_the_files_say(phantom) -> None:
    table = phantom.cohort.table
    again = Cohort.open(phantom.out)
    pd.testing.assert_frame_equal(again.table, table)
    assert table["patient_id"].nunique() == phantom.patients
    assert set(table["image_id"]) == set(phantom.gold.images)
    for row in table.itertuples():
        image = phantom.gold.images[row.image_id]
        assert (row.patient_id, row.study_id, row.path) == (image.patient_id, image.study_id, image.path)
        assert (phantom.out / image.report_path).read_text() == row.report
        assert (phantom.out / row.path).is_file()
    assert len(list(phantom.out.rglob("*.dcm"))) == len(table)


def test_labels_are_one_zero_hedged_and_missing(phantom) -> None:
    labels = phantom.cohort.table[list(LABELS)]
    assert {-1.0, 0.0, 1.0} == set(np.unique(labels.to_numpy()[labels.notna().to_numpy()]))
    assert labels.isna().any(axis=None)
    quiet = phantom.cohort.table[labels["No Finding"] == 1]
    found = [label for label in LABELS if label not in ("No Finding", "Support Devices")]
    assert len(quiet)
    assert not (quiet[found] == 1).any(axis=None)


def test_paths_of_some_sites_name_the_patient(phantom) -> None:
    entries = [entry for image in phantom.gold.images.values() for entry in image.in_names]
    assert {"NAME", "MRN", "ACCESSION", "DATE", "UID"} <= {entry.category for entry in entries}
    for entry in entries:
        assert entry.path[entry.start : entry.end] == entry.text
        assert (phantom.out / entry.path).is_file()


def test_patients_stay_the_same_in_a_larger_hospital_and_with_more_workers(small: Path, tmp_path: Path) -> None:
    larger = tmp_path / "larger"
    build_hospital(larger, **(SMALL | {"patients": 9}), workers=2)
    few, many = tree(small), tree(larger)
    changed = {name for name in few if few[name] != many.get(name)}
    assert changed == {"phantom.json", "cohort.parquet"}
    first = Cohort.open(larger).table.iloc[: len(Cohort.open(small))]
    pd.testing.assert_frame_equal(first, Cohort.open(small).table)


def test_a_second_run_changes_nothing(small: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in small.rglob("*")}
    cohort = build_hospital(small, **SMALL)
    assert {path: path.stat().st_mtime_ns for path in small.rglob("*")} == before
    assert len(cohort) == len(Cohort.open(small))


def test_lost_files_are_made_again(small: Path) -> None:
    before = tree(small)
    for pattern in ("files/**/*.dcm", "reports/**/*.txt", "gold/patients/*.json", "gold/masks/**/*.heart.png"):
        next(iter(sorted(small.glob(pattern)))).unlink()
    (small / "files" / ".left.dcm.1.partial").write_bytes(b"half")
    build_hospital(small, **SMALL, workers=2)
    assert tree(small) == before


def test_a_killed_run_ends_with_the_same_bytes(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    code = (
        "import sys; from pathlib import Path; from medveil.cohort.phantom.hospital import build_hospital\n"
        f"build_hospital(Path(sys.argv[1]), **{SMALL}, workers=1)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(out)], stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while len(list(out.glob("gold/patients/*.json"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (out / "cohort.parquet").exists()
    build_hospital(out, **SMALL, workers=1)
    assert tree(out) == tree(small)


def test_other_settings_are_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other settings"):
        build_hospital(small, **(SMALL | {"seed": 4}))
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match="not an empty folder"):
        build_hospital(tmp_path, **SMALL)
    assert (tmp_path / "mine.txt").read_text() == "precious"


@pytest.mark.parametrize(
    "wrong", [{"patients": 0}, {"sites": 0}, {"sites": 11}, {"size": 10}, {"size": 9999}, {"seed": -1}, {"workers": 0}]
)
def test_senseless_settings_are_refused(tmp_path: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        build_hospital(tmp_path / "x", **({"patients": 1} | wrong))
    assert not (tmp_path / "x").exists()


def test_progress_counts_patients_in_order(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    build_hospital(tmp_path / "x", **(SMALL | {"patients": 2}), workers=1, progress=lambda *told: heard.append(told))
    assert heard == [(1, 2), (2, 2)]


def test_another_seed_is_another_hospital(small: Path, tmp_path: Path) -> None:
    build_hospital(tmp_path / "x", **(SMALL | {"seed": 4, "patients": 2}), workers=1)
    assert not load_gold(small).identifier_strings() & {
        image.patient_id for image in load_gold(tmp_path / "x").images.values()
    }


def test_visits_of_one_patient_share_the_person_and_little_else(phantom) -> None:
    several = [images for images in phantom.gold.patients.values() if len(images) > 1]
    assert several
    for images in several:
        studies = [phantom.gold.images[image].study_id for image in images]
        assert len(set(studies)) == len(studies)


def test_every_row_has_the_visits_of_the_plan(phantom) -> None:
    for number, images in enumerate(phantom.gold.patients.values()):
        assert len(images) == len(plan_patient(phantom.seed, number, phantom.sites).visits)


def test_what_a_worker_loads_draws_and_writes_but_holds_no_tables() -> None:
    code = "import sys, medveil.cohort.phantom.patient_files; sys.exit(bool({'pandas', 'torch'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""`release --protect anatomy` as a whole: every film made anew, and nothing of the old ones left to find."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from medveil.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release.protect_anatomy import protect_cohort
from medveil.release.verify.run import verify

pytestmark = pytest.mark.slow
KEYS = Keys.for_demonstration(1)
ASKED = Settings(protect="anatomy", risk=0.9, attacks=("identity-adversaries:effort=1",), measures=("label-probe",))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("protected") / "in"
    build_hospital(folder, patients=8, size=256, seed=5, workers=1)
    return folder


def test_every_film_is_made_anew_the_same_by_however_many_workers(source: Path, tmp_path: Path) -> None:
    released = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        release(source, out, keys=KEYS, settings=ASKED, workers=workers)
        released.append({path.name: path.read_bytes() for path in (out / "data").rglob("*.png")})
    assert released[0] == released[1]
    told = json.loads((tmp_path / "1" / "report.json").read_text())
    assert "identity-adversaries" in {each["after"]["part"] for each in told["comparisons"]}
    cohort = Cohort.open(tmp_path / "1" / "data")
    assert len(cohort) == len(released[0]) > 15
    assert {load_image(cohort.root, path).shape for path in cohort.table["path"]} == {(256, 256)}
    found = verify(tmp_path / "1", source, keys=KEYS, workers=1)
    assert (found.leaks, found.losses) == (0, 0)


def test_several_draws_of_a_code_are_released_and_checked(source: Path, tmp_path: Path) -> None:
    settings = replace(ASKED, defenses=("default", "anatomy:bits=3,draws=2"))
    release(source, tmp_path / "out", keys=KEYS, settings=settings, workers=1)
    table = Cohort.open(tmp_path / "out" / "data").table
    assert table.groupby("study_id").size().mod(2).eq(0).all()
    found = verify(tmp_path / "out", source, keys=KEYS, workers=1)
    assert (found.files, found.leaks, found.losses) == (len(table) + 1, 0, 0)


def test_films_protected_alone_are_told_to_be_no_release(source: Path, tmp_path: Path) -> None:
    options = {"method": "blur", "bits": None, "level": 8.0, "draws": None, "weights": None, "risk": None}
    outcome = protect_cohort(
        source,
        tmp_path / "out",
        keys=KEYS,
        **options,  # type: ignore[arg-type]
        layout=None,
        options=None,
        device="cpu",
        seed=7,
        workers=1,
        progress=lambda stage, done, total: None,
    )
    assert outcome.verdict != "PASS"
    told = json.loads(outcome.report.with_suffix(".json").read_text())
    open_places = {gap["what"] for gap in told["gaps"] if "no defense covers it" in gap["why"]}
    assert open_places == {"Identifiers in the table", "Report text", "Text burned into the image"}
    assert not any("did not move" in reason for reason in told["reasons"])
    assert any("--protect anatomy" in each["command"] for each in told["remedies"])


def test_dicom_files_come_out_valid_and_checked(source: Path, tmp_path: Path) -> None:
    settings = Settings(
        defenses=("headers", "table", "reports", "anatomy:bits=3"), attacks=("singling-out",), writer="dicom"
    )
    release(source, tmp_path / "out", keys=KEYS, settings=settings, workers=1)
    found = verify(tmp_path / "out", source, keys=KEYS, workers=1)
    assert found.files > 15
    assert (found.leaks, found.losses) == (0, 0)

"""verify and review on images and a table, as `release` writes them: clean at first, then spoiled in one place."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, StorageError
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.clean.run import Work, clean
from medveil.release.folder import begin, held
from medveil.release.review.carrying_out import carry_out
from medveil.release.review.decisions_file import run_of
from medveil.release.review.worst_first import write_review
from medveil.release.verify.manifest import check_manifest
from medveil.release.verify.quarantine import name_withheld
from medveil.release.verify.run import verify

KEYS = Keys(b"\x07" * 32)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table") / "hospital"
    build_hospital(folder, patients=2, sites=2, seed=11, size=256, workers=1)
    return folder


def run(source: Path, out: Path) -> Path:
    """As `release` does, without attacks."""
    engine = Engine(KEYS)
    work = Work.of_images(read_cohort(source), engine)
    with held(out):
        created = begin(out, "table", {"defenses": engine.told(), "layout": None}, KEYS)
        clean(work, out, engine, created=created, workers=1, runner=None, crosswalk=None, progress=lambda *done: None)
    return out


@pytest.fixture(scope="module")
def pristine(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = run(source, tmp_path_factory.mktemp("released") / "out")
    verify(out, source, keys=KEYS, workers=1)
    return out


@pytest.fixture
def out(pristine: Path, tmp_path: Path) -> Path:
    shutil.copytree(pristine, tmp_path / "out")
    return tmp_path / "out"


def test_a_released_table_holds_no_leak_and_is_signed(pristine: Path) -> None:
    summary = json.loads((pristine / "verify.json").read_text())
    assert summary["files"] == len(Cohort.open(pristine / "data")) + 1
    assert summary["answer_key"] is True
    assert summary["leaks"] == 0, (pristine / "discrepancies.csv").read_text()
    assert check_manifest(pristine) == []


def _change(out: Path, **values: Callable[[pd.DataFrame], object]) -> None:
    after = Cohort.open(out / "data")
    Cohort.of(after.table.assign(**values), out / "data", name=after.name).save(out / "data")


def _name_the_patient(out: Path, source: Path) -> None:
    before = read_cohort(source).table["patient_id"]
    real = {KEYS.pseudonym("patient", patient): patient for patient in before}
    _change(out, patient_id=lambda table: table["patient_id"].map(real))


def _bring_back_the_report(out: Path, source: Path) -> None:
    before = read_cohort(source).table
    real = {
        KEYS.pseudonym("image", image): text for image, text in zip(before["image_id"], before["report"], strict=True)
    }
    _change(out, report=lambda table: table["image_id"].map(real))


def _move_the_dates_back(out: Path, source: Path) -> None:
    _change(out, date=lambda table: table["date"] + pd.Timedelta(days=3))


def _write_on_an_image(out: Path, source: Path) -> None:
    path = sorted((out / "data").rglob("*.png"))[0]
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    ink = np.zeros(image.shape, np.uint8)
    cv2.putText(ink, "JANE MILLER", (20, 130), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1, 2)
    cv2.imwrite(str(path), np.where(ink > 0, image.max(), image))


def _lose_an_image(out: Path, source: Path) -> None:
    sorted((out / "data").rglob("*.png"))[0].unlink()


def _lose_the_table(out: Path, source: Path) -> None:
    (out / "data" / "cohort.parquet").unlink()


def _add_a_file(out: Path, source: Path) -> None:
    shutil.copy(source / read_cohort(source).table["path"].iat[0], out / "data" / "images" / "miller.dcm")


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_name_the_patient, {"row: as in the source", "row: changed since the run"}),
        (_bring_back_the_report, {"text: a known identifier", "bytes: a known identifier"}),
        (_move_the_dates_back, {"intervals: another date"}),
        (_write_on_an_image, {"pixels: text is read", "files: changed since the run"}),
        (_lose_an_image, {"files: missing"}),
        (_lose_the_table, {"row: missing", "files: missing or unreadable"}),
        (_add_a_file, {"files: a file without an original"}),
    ],
)
def test_what_was_spoiled_is_found(
    spoil: Callable[[Path, Path], None], expected: set[str], out: Path, source: Path
) -> None:
    spoil(out, source)
    outcome = verify(out, source, keys=KEYS, workers=1)
    assert outcome.exit_code == 1
    assert expected <= {f"{one.check}: {one.found}" for one in outcome.discrepancies}
    assert "miller" not in (out / "discrepancies.csv").read_text().lower()


class TestReview:
    def page(self, out: Path, source: Path, tmp_path: Path) -> str:
        shown, hidden = write_review(out, source, tmp_path / "review.html", keys=KEYS, most=100)
        assert (shown, hidden) == (len(Cohort.open(out / "data")), 0)
        return (tmp_path / "review.html").read_text()

    def decide(self, out: Path, tmp_path: Path, *rejected: str) -> Path:
        told = {path: {"decision": "reject", "frames": {}, "note": ""} for path in rejected}
        content = {"format": "medveil.decisions/2", "run": run_of(out), "decisions": told}
        (tmp_path / "decisions.json").write_text(json.dumps(content))
        return tmp_path / "decisions.json"

    def test_shows_images_and_reports_before_and_after(self, out: Path, source: Path, tmp_path: Path) -> None:
        page = self.page(out, source, tmp_path)
        assert page.count("data:image/jpeg") == 2 * len(Cohort.open(out / "data"))
        assert "<del>" in page and "<ins>" in page

    def test_what_is_rejected_leaves_data_and_table_and_does_not_come_back(
        self, out: Path, source: Path, tmp_path: Path
    ) -> None:
        before = Cohort.open(out / "data")
        gone = before.table["path"].iat[0]
        assert carry_out(out, self.decide(out, tmp_path, gone), keys=KEYS).rejected == (gone,)
        after = Cohort.open(out / "data")
        assert gone not in set(after.table["path"]) and len(after) == len(before) - 1
        assert after.name == before.name
        assert not (out / "data" / gone).exists()
        with (out / "quarantine.csv").open() as file:
            assert {"id": Path(gone).stem, "reason": "rejected in review", "rows": ""} in list(csv.DictReader(file))
        assert check_manifest(out) == []
        assert verify(out, source, keys=KEYS, workers=1).leaks == 0
        run(source, out)
        assert len(Cohort.open(out / "data")) == len(after)
        (only,) = name_withheld(out, source, keys=KEYS)
        assert KEYS.pseudonym("image", before.table["image_id"].iat[0]) != only.id == Path(gone).stem
        assert only.file is not None and (source / only.file).is_file()

    def test_a_page_that_cannot_be_written_is_refused_before_the_work(self, out: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StorageError, match="the page cannot be written"):
            write_review(out, tmp_path / "absent", tmp_path / "file" / "page.html", keys=KEYS, most=1)

    def test_another_key_is_refused(self, out: Path, source: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="another key"):
            write_review(out, source, tmp_path / "page.html", keys=Keys(b"\x08" * 32), most=1)

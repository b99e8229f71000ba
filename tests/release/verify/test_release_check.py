"""The check of a release finds what the defenses left, and says where."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.parts import choose
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.clean.run import Work
from medveil.release.clean.table_writer import TableWriter
from medveil.release.verify.release_check import check_release
from medveil.report.content import OutputCheck

KEYS = Keys(b"check" * 8)


@pytest.fixture
def few(hospital: Cohort) -> Cohort:
    return hospital.where(np.arange(len(hospital)) < 3)


def released(original: Cohort, out: Path, *, reports: list[str], words: list[str]) -> list[str]:
    """Gray images with these words on them, and a table with these reports; the names they go by."""
    names = [KEYS.pseudonym("image", image) for image in original.table["image_id"]]
    table = original.table.assign(
        report=reports,
        image_id=names,
        **{
            f"{kind}_id": [KEYS.pseudonym(kind, one) for one in original.table[f"{kind}_id"]]
            for kind in ("patient", "study")
        },
        site="site-1",
        age=np.minimum(np.floor(original.table["age"]), 90),
        date=[
            day.normalize() - dt.timedelta(KEYS.date_shift(who))
            for day, who in zip(original.table["date"], original.table["patient_id"], strict=True)
        ],
        path=[f"images/{name[:2]}/{name}.png" for name in names],
    )
    for path, text in zip(table["path"], words, strict=True):
        image = np.full((200, 400), 90, np.uint8)
        cv2.putText(image, text, (20, 110), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 2)
        (out / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(out / "data" / path), image)
    Cohort.of(table, out / "data", name="few").save(out / "data")
    return names


def check(original: Cohort, out: Path, *defenses: str) -> OutputCheck:
    engine = Engine(KEYS, choose("defenses", defenses))
    work = Work.of_images(original, engine)
    assert isinstance(work.writer, TableWriter)
    found = check_release(work, out, engine, images_read=2, workers=1, progress=lambda stage, done, total: None)
    assert found is not None
    return found


def test_what_was_left_is_told_with_its_place(few: Cohort, tmp_path: Path) -> None:
    number = few.table["patient_id"].iat[1]
    reports = ["No effusion.", f"Id {number}.", "Clear."]
    names = released(few, tmp_path, reports=reports, words=["", "", ""])
    found = check(few, tmp_path)
    assert found.found["known identifiers in reports: MRN"] == 1
    assert found.images == (names[1],)


def test_a_clean_release_is_clean(few: Cohort, tmp_path: Path) -> None:
    released(few, tmp_path, reports=["No effusion."] * 3, words=["", "L", ""])
    found = check(few, tmp_path)
    assert (found.found, found.images) == ({}, ())
    assert found.looked_at == {"files searched": 3, "reports searched": 3, "images read": 2, "rows compared": 3}


def test_a_date_that_was_moved_onto_a_known_one_is_no_leak(few: Cohort, tmp_path: Path) -> None:
    day = few.table["date"].iat[0]
    shift = dt.timedelta(days=KEYS.date_shift(few.table["patient_id"].iat[0]))
    for before, leaks in ((day + shift, 0), (day, 1)):
        texts = [f"Compared with {one:%Y-%m-%d}." for one in (before, day)]
        original = replace(few, table=few.table.assign(report=[texts[0], "Clear.", "Clear."]))
        released(original, tmp_path, reports=[texts[1], "Clear.", "Clear."], words=["", "", ""])
        assert check(original, tmp_path).found.get("known identifiers in reports: DATE", 0) == leaks


def test_an_id_of_the_source_in_the_table_is_found(few: Cohort, tmp_path: Path) -> None:
    released(few, tmp_path, reports=["Clear."] * 3, words=["", "", ""])
    after = Cohort.open(tmp_path / "data")
    Cohort.of(after.table.assign(patient_id=few.table["patient_id"]), after.root, name="few").save(after.root)
    assert check(few, tmp_path).found["values in the table: patient_id"] == 3


def test_rows_that_nothing_changes_are_no_find(few: Cohort, tmp_path: Path) -> None:
    released(few, tmp_path, reports=["No effusion."] * 3, words=["PA"] * 3)
    table = Cohort.open(tmp_path / "data").table
    Cohort.of(table.assign(date=few.table["date"].to_numpy()), tmp_path / "data", name="few").save(tmp_path / "data")
    assert check(few, tmp_path).found == {"dates that did not move with the others": 3}
    assert check(few, tmp_path, "headers", "reports").found == {}

"""The check of a release finds what the defenses left, and says where."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.person.keys import Keys
from medveil.release.check import check_release
from medveil.release.released import Released
from medveil.report.content import OutputCheck

KEYS = Keys(b"check" * 8)


@pytest.fixture
def few(hospital: Cohort) -> Cohort:
    return hospital.where(np.arange(len(hospital)) < 3)


def released(original: Cohort, folder: Path, *, reports: list[str], words: list[str]) -> Cohort:
    """Gray images with these words on them, and these reports."""
    table = original.table.assign(report=reports, path=[f"{row}.png" for row in range(len(original))])
    for path, text in zip(table["path"], words, strict=True):
        image = np.full((200, 400), 90, np.uint8)
        cv2.putText(image, text, (20, 110), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 2)
        cv2.imwrite(str(folder / path), image)
    return replace(original, table=table, root=folder)


def check(original: Cohort, after: Cohort) -> OutputCheck:
    found = check_release(
        original,
        Released(after, [0, 1, 2]),
        KEYS,
        read=True,
        seed=0,
        workers=1,
        progress=lambda stage, done, total: None,
    )
    assert found is not None
    return found


def test_what_was_left_is_told_with_its_place(few: Cohort, tmp_path: Path) -> None:
    number = few.table["patient_id"].iat[1]
    ids = few.table["image_id"].tolist()
    after = released(few, tmp_path, reports=["No effusion.", f"Id {number}.", "Clear."], words=["", "", "JANE MILLER"])
    found = check(few, after)
    assert found.found["known identifiers in reports: MRN"] == 1
    assert found.found["images in which text can be read"] == 1
    assert found.images == (ids[1], ids[2])


def test_a_clean_release_is_clean(few: Cohort, tmp_path: Path) -> None:
    found = check(few, released(few, tmp_path, reports=["No effusion."] * 3, words=["", "L", ""]))
    assert (found.found, found.images) == ({}, ())
    assert found.looked_at == {"files searched": 3, "reports searched": 3, "images read": 3}


def test_a_date_that_was_moved_onto_a_known_one_is_no_leak(few: Cohort, tmp_path: Path) -> None:
    day = few.table["date"].iat[0]
    shift = dt.timedelta(days=KEYS.date_shift(few.table["patient_id"].iat[0]))
    for before, leaks in ((day + shift, 0), (day, 1)):
        texts = [f"Compared with {one:%Y-%m-%d}." for one in (before, day)]
        original = replace(few, table=few.table.assign(report=[texts[0], "Clear.", "Clear."]))
        after = released(original, tmp_path, reports=[texts[1], "Clear.", "Clear."], words=["", "", ""])
        assert check(original, after).found.get("known identifiers in reports: DATE", 0) == leaks

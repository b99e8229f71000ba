from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from medveil.cohort import Cohort
from medveil.cohort.phantom.hospital import phantom_pairs
from medveil.errors import InputError
from medveil.release.protect.shared_people import refuse_shared_people

PAIRS = list(phantom_pairs(8, seed=41, size=160, workers=1))
REPORTS = [f"Report {number}. {text}" for number, (_, text) in enumerate(PAIRS)]


def made(folder: Path, people: dict[str, int], *, reports: dict[str, str] | None = None, quality: int = 100) -> Cohort:
    """A cohort whose patients have these phantoms' pictures and reports; saved anew at this quality."""
    folder.mkdir()
    rows = []
    for name, number in people.items():
        picture = PAIRS[number][0].astype(np.float64)
        scaled = (255 * (picture - picture.min()) / np.ptp(picture)).astype(np.uint8)
        Image.fromarray(scaled).save(folder / f"{len(rows)}.jpg", quality=quality)
        report = (reports or {}).get(name, f"Of {folder.name}. {REPORTS[number]}")
        rows.append(
            {"image_id": name, "patient_id": name, "study_id": name, "path": f"{len(rows)}.jpg", "report": report}
        )
    return Cohort.of(pd.DataFrame(rows), folder)


def refused(private: Cohort, public: Cohort) -> str:
    with pytest.raises(InputError, match="among the pairs to protect") as refusal:
        refuse_shared_people(private, public, lambda *_: None)
    assert "anna" not in str(refusal.value)
    return str(refusal.value)


@pytest.fixture
def private(tmp_path: Path) -> Cohort:
    return made(tmp_path / "private", {"anna": 0, "007": 1, "carl": 2})


def test_other_people_are_accepted(private: Cohort, tmp_path: Path) -> None:
    refuse_shared_people(private, made(tmp_path / "public", {"x": 3, "y": 4, "z": 5}), lambda *_: None)


@pytest.mark.parametrize("spelling", ["anna", " Anna", "7", "7.0"])
def test_the_same_id_is_refused(private: Cohort, tmp_path: Path, spelling: str) -> None:
    assert "(in both: 1 ids)" in refused(private, made(tmp_path / "public", {"x": 3, spelling: 4}))


@pytest.mark.parametrize("quality", [100, 40])
def test_a_picture_saved_anew_is_refused(private: Cohort, tmp_path: Path, quality: int) -> None:
    assert "(in both: 1 pictures)" in refused(
        private,
        made(
            tmp_path / "public",
            {"x": 3, "y": 1},
        ),
    )
    again = made(tmp_path / "again", {"x": 3, "y": 1}, quality=quality)
    picture = Image.open(again.root / "1.jpg").resize((131, 131)).crop((2, 3, 129, 130))
    picture.point(lambda gray: 20 + gray * 0.8).save(again.root / "1.jpg", quality=quality)
    assert "(in both: 1 pictures)" in refused(private, again)


def test_the_same_report_is_refused_however_it_is_spaced(private: Cohort, tmp_path: Path) -> None:
    copied = str(private.table["report"].iloc[0]).upper().replace(" ", "\n  ")
    public = made(tmp_path / "public", {"x": 3, "y": 4}, reports={"y": copied})
    assert "(in both: 1 reports)" in refused(private, public)


def test_a_phrase_of_the_house_is_nobodys(tmp_path: Path) -> None:
    normal = dict.fromkeys(("anna", "carl", "x"), "No acute disease.")
    private = made(tmp_path / "private", {"anna": 0, "007": 1, "carl": 2}, reports=normal)
    refuse_shared_people(private, made(tmp_path / "public", {"x": 3, "y": 4}, reports=normal), lambda *_: None)

"""An image in which text is still read is not released, whoever cleaned it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release import run as running
from medveil.release.clean.engine import Engine
from medveil.release.clean.records import STILL_READ, take_back, withdrawn
from medveil.release.clean.run import Work, clean
from medveil.release.clean.summary import Summary
from medveil.release.review.worst_first import write_review
from medveil.release.verify import read_again as reading
from medveil.release.verify.read_again import ReadAgain, read_again

KEYS = Keys(b"again" * 8)
QUICK = Settings(attacks=("singling-out",), measures=("label-probe",))
QUIETLY: Any = {"seed": 1, "workers": 1, "progress": lambda stage, done, total: None}


@pytest.fixture(scope="module")
def source(hospital: Cohort, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("six") / "in"
    folder.mkdir()
    for number, path in enumerate(hospital.table["path"].iloc[:6]):
        shutil.copy(hospital.root / path, folder / f"{number}.dcm")
    return folder


def overlooked(*given: Any, **rest: Any) -> Summary:
    """As if the remover had left text on two images."""
    summary = clean(*given, **rest)
    for path in sorted((given[1] / "data").rglob("*.png"))[:2]:
        film = cv2.imread(str(path), -1)
        ink = cv2.putText(np.zeros(film.shape, np.uint8), "JANE MILLER", (10, 140), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1, 2)
        cv2.imwrite(str(path), np.where(ink > 0, np.iinfo(film.dtype).max, film).astype(film.dtype))
    return summary


def test_an_image_in_which_text_is_still_read_is_withheld_and_waits_for_a_person(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        cleanings = iter([overlooked, clean])
        patched.setattr(running, "clean", lambda *given, **rest: next(cleanings)(*given, **rest))
        outcome = release(source, out, keys=KEYS, settings=QUICK, workers=1)
    assert (outcome.released, outcome.withheld, outcome.exit_code) == (4, 2, 1)
    report = json.loads((out / "report.json").read_text())
    assert report["subject"]["quarantined"] == {STILL_READ: 2}
    assert report["check"]["found"] == {}
    assert "4 of 4 images were read." in report["check"]["by"]
    assert list(pd.read_csv(out / "quarantine.csv")["reason"]) == [STILL_READ] * 2
    assert len(list((out / "data").rglob("*.png"))) == len(Cohort.open(out / "data")) == 4
    assert release(source, out, keys=KEYS, settings=QUICK, workers=1) == outcome, "they stay away"
    assert write_review(out, source, tmp_path / "page.html", keys=KEYS, most=1) == (1, 5)
    assert STILL_READ in (tmp_path / "page.html").read_text()


def test_text_in_the_sample_means_that_all_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def legible(work: Work, out: Path, engine: Engine, read: frozenset[str], *rest: object) -> dict[str, str]:
        looked.append(len(read))
        return {min(read): STILL_READ}

    monkeypatch.setattr(reading, "_legible", legible)
    monkeypatch.setattr(reading, "MOST_READ", 4)
    found = read_again(*six(tmp_path), **QUIETLY)
    assert looked == [4, 2] and found.images == 6 and len(found.withheld) == 2


def test_a_clean_sample_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def legible(work: Work, out: Path, engine: Engine, read: frozenset[str], *rest: object) -> dict[str, str]:
        looked.append(len(read))
        return {}

    monkeypatch.setattr(reading, "_legible", legible)
    monkeypatch.setattr(reading, "MOST_READ", 4)
    assert read_again(*six(tmp_path), **QUIETLY) == ReadAgain(4, {})
    assert looked == [4]


def six(out: Path) -> tuple[Work, Path, Engine]:
    """Images that are there."""
    engine = Engine(KEYS)
    names = {"path": [f"{n}.png" for n in range(6)], "image_id": list("123456"), "study_id": list("123456")}
    cohort = Cohort.of(pd.DataFrame({**names, "patient_id": list("aabbcc")}), out)
    work = Work.of_images(cohort, engine)
    for group in work.groups:
        for one in group.files:
            place = out / "data" / work.writer.path(one, engine.keys)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return work, out, engine


def test_only_what_the_check_withdrew_can_be_taken_back(tmp_path: Path) -> None:
    (tmp_path / "withdrawn.json").write_text(json.dumps({"a.png": STILL_READ, "b.png": "rejected in review"}))
    take_back(tmp_path, ["a.png", "b.png"])
    assert withdrawn(tmp_path) == {"b.png": "rejected in review"}

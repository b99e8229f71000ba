"""Several draws of a film come out as images of its study, each with a row of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.input import read_source
from medveil.defenses.anatomy.method import Film
from medveil.errors import SettingsError
from medveil.parts import Guarantee, choose
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.clean.records import DATA
from medveil.release.clean.run import Work, clean
from medveil.release.folder import begin
from medveil.release.gaps import anatomy_bound
from medveil.release.released import Released, released_table

KEYS = Keys.for_demonstration(1)
DRAWS, BITS = 3, 2


class Noise:
    """Draws what says nothing."""

    def bits(self, level: float) -> float:
        return level

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("formal", "noise")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[np.ndarray]:
        return [one.integers(0, 255, (256, 256)).astype(np.uint8) for one in chance]


@pytest.fixture
def drawn(hospital: Cohort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Cohort, Engine, Released, Path]:
    monkeypatch.setattr("medveil.defenses.anatomy.method.load_method", lambda *given, **how: Noise())
    frontal = hospital.table["view"].isin(("PA", "AP")).to_numpy()
    some = hospital.where((frontal & (np.cumsum(frontal) <= 4)).tolist())
    engine = Engine(KEYS, choose("defenses", ["table", f"anatomy:bits={BITS},draws={DRAWS}"]))
    out = tmp_path / "out"
    told = {"defenses": engine.told(), "layout": None, "input": {}}
    work, created = Work.of_images(some, engine), begin(out, "table", told, KEYS)
    how = {"workers": 1, "runner": None, "crosswalk": None, "progress": lambda stage, done, total: None}
    summary = clean(work, out, engine, created=created, **how)
    return some, engine, released_table(out, some, summary, engine), out


def test_every_draw_is_an_image_of_the_study(drawn: tuple[Cohort, Engine, Released, Path]) -> None:
    some, _, released, out = drawn
    assert released.cohort is not None
    table = released.cohort.table
    assert len(table) == DRAWS * len(some) and table["image_id"].is_unique
    assert sorted(released.rows) == sorted(list(range(len(some))) * DRAWS)
    studies = some.table["study_id"].iloc[released.rows].map(lambda study: KEYS.pseudonym("study", study))
    assert studies.tolist() == table["study_id"].tolist()
    made = {load_image(out / DATA, path).tobytes() for path in table["path"]}
    assert len(made) == len(table)


def test_the_bound_counts_a_code_once(drawn: tuple[Cohort, Engine, Released, Path]) -> None:
    some, engine, released, _ = drawn
    bound = anatomy_bound(engine, some, released)
    most = int(some.table["patient_id"].value_counts().max())
    people = some.table["patient_id"].nunique()
    assert bound is not None and bound.success == min(1.0, 2.0 ** (BITS * most) / people)


def test_dicom_files_are_drawn_once(hospital: Cohort) -> None:
    engine = Engine(KEYS, choose("defenses", ["default", "anatomy:draws=2"]))
    with pytest.raises(SettingsError, match="come out as images with a table"):
        Work.of_files(read_source(hospital.root, workers=1), engine)

from __future__ import annotations

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.utility.film_rows import frontal_pair


def cohort(views: list[str], patients: list[str]) -> Cohort:
    rows = range(len(views))
    names = {name: [f"{name}-{k}" for k in rows] for name in ("image_id", "study_id", "path")}
    return Cohort.of(pd.DataFrame(names | {"patient_id": patients, "view": views}), ".")  # type: ignore[arg-type]


def test_laterals_are_left_out_as_the_originals_tell() -> None:
    originals = cohort(["PA", "LATERAL", "AP", "PA"], ["a", "a", "b", "c"])
    released = cohort(["OTHER"] * 4, ["x", "x", "y", "z"])  # whose table no longer says
    after, before = frontal_pair(released, originals, most=100, seed=0)
    assert list(before.table["image_id"]) == list(after.table["image_id"]) == ["image_id-0", "image_id-2", "image_id-3"]


def test_whole_patients_are_drawn() -> None:
    people = [f"p{k // 3}" for k in range(60)]
    both = cohort(["PA"] * 60, people)
    _, drawn = frontal_pair(both, both, most=20, seed=1)
    assert len(drawn) == 18
    assert set(drawn.table.groupby("patient_id").size()) == {3}
    renamed = cohort(["PA"] * 60, [f"q{99 - k // 3}" for k in range(60)])
    _, same = frontal_pair(renamed, renamed, most=20, seed=1)
    assert list(same.table["image_id"]) == list(drawn.table["image_id"])  # names change no draw


def test_one_patient_is_too_few() -> None:
    one = cohort(["PA", "PA"], ["a", "a"])
    with pytest.raises(NotMeasurable, match="two patients"):
        frontal_pair(one, one, most=10, seed=0)

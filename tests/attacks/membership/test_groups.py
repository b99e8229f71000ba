from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.membership.groups import Groups, patients_of
from medveil.cohort import Cohort
from medveil.errors import InputError, NotMeasurable


def _cohort(train: int, test: int, val: int, start: int = 0) -> Cohort:
    split = ["train"] * train + ["test"] * test + ["val"] * val
    names = [f"p{number + start}" for number in range(len(split))]
    table = pd.DataFrame(
        {
            "image_id": [f"{name}-{film}" for film in range(2) for name in names],
            "patient_id": names * 2,
            "study_id": [f"s{name}" for name in names] * 2,
            "path": [f"{name}-{film}.png" for film in range(2) for name in names],
            "split": split * 2,
        }
    )
    return Cohort.of(table, Path("/nowhere"))


def test_the_split_says_who_is_who() -> None:
    groups = Groups.of_split(_cohort(40, 30, 20), seed=1)
    assert [len(patients_of(each)) for each in (groups.members, groups.others, groups.crowd)] == [40, 30, 20]


def test_without_a_crowd_some_of_the_others_are_put_apart() -> None:
    for cohort in (_cohort(40, 60, 0), _cohort(40, 0, 60), _cohort(40, 57, 3)):
        groups = Groups.of_split(cohort, seed=1)
        assert [len(patients_of(each)) for each in (groups.members, groups.others, groups.crowd)] == [40, 40, 20]
        assert not set(patients_of(groups.others)) & set(patients_of(groups.crowd))


def test_two_data_sets_say_it_too() -> None:
    groups = Groups.of_two(_cohort(40, 0, 0), _cohort(0, 45, 0, start=100), seed=1)
    assert [len(patients_of(each)) for each in (groups.members, groups.others, groups.crowd)] == [40, 30, 15]


def test_somebody_on_both_sides_is_refused_without_a_name() -> None:
    with pytest.raises(InputError, match="both members and non-members") as refused:
        Groups.of_two(_cohort(40, 0, 0), _cohort(0, 45, 0, start=39), seed=1)
    assert "p39" not in str(refused.value)


def test_too_few_or_nobody_else_is_refused() -> None:
    with pytest.raises(NotMeasurable, match="at least 20 members"):
        Groups.of_split(_cohort(10, 60, 20), seed=1)
    with pytest.raises(InputError, match="nobody else"):
        Groups.of_split(_cohort(40, 0, 0), seed=1)
    cohort = _cohort(40, 30, 20)
    nobody = Cohort.of(cohort.table.assign(split=np.nan), cohort.root)
    with pytest.raises(InputError, match="names no members"):
        Groups.of_split(nobody, seed=1)

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.attacks.singling_out.attack import SinglingOut
from medveil.cohort import Cohort
from medveil.testing import check_attack

people = st.lists(st.tuples(st.integers(20, 23), st.sampled_from(["F", "M", None])), min_size=2, max_size=30)


@given(people)
def test_equals_counting_by_hand(facts: list[tuple[int, str | None]]) -> None:
    table = pd.DataFrame(
        {
            "image_id": [f"i{k}" for k in range(len(facts))],
            "patient_id": [f"p{k}" for k in range(len(facts))],
            "study_id": [f"s{k}" for k in range(len(facts))],
            "path": "x.png",
            "age": [age for age, _ in facts],
            "sex": [sex for _, sex in facts],
        }
    )
    cohort = Cohort.of(table, Path())
    found = SinglingOut().run(cohort, cohort, seed=0).estimates
    assert found["success rate"].value == pytest.approx(sum(1 / facts.count(f) for f in facts) / len(facts))
    assert found["unique patients"].value == pytest.approx(sum(facts.count(f) == 1 for f in facts) / len(facts))


def test_conforms(hospital: Cohort) -> None:
    check_attack(SinglingOut(), hospital)

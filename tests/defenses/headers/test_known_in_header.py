from __future__ import annotations

import pytest
from pydicom.dataset import Dataset

from medveil.cohort.identifiers import Category
from medveil.defenses.headers.known_in_header import known_in
from medveil.defenses.person import Known
from medveil.errors import Quarantined


def header(name: str | list[str]) -> Dataset:
    dataset = Dataset()
    dataset.PatientName = "Lines^Eleanor"
    dataset.OperatorsName = name
    return dataset


def test_names_of_the_header_are_known_the_patients_own_first() -> None:
    names = known_in(header(["Able^Ann", "Baker^Bob"]))
    assert names == (
        Known(Category.NAME, "Lines^Eleanor"),
        Known(Category.DOCTOR, "Able^Ann"),
        Known(Category.DOCTOR, "Baker^Bob"),
    )


@pytest.mark.filterwarnings("ignore:The PN component length")
@pytest.mark.parametrize("name", ["A" * 5000, [f"Able{number}^Ann" for number in range(5000)]])
def test_pixels_that_pass_for_names_are_not_searched_for(name: str | list[str]) -> None:
    with pytest.raises(Quarantined):
        known_in(header(name))

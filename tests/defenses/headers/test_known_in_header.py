from __future__ import annotations

import pytest
from pydicom.dataelem import RawDataElement
from pydicom.dataset import Dataset
from pydicom.tag import BaseTag

from medveil.defenses.headers.known_in_header import known_in, readable_in
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known


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


def test_what_can_be_read_of_a_damaged_header_is_known() -> None:
    dataset = header("Able^Ann")
    dataset.AccessionNumber = "A1234567"
    dataset.StudyDate = "20200102"
    dataset[0x00100040] = RawDataElement(BaseTag(0x00100040), "ZZ", 2, b"F ", 0, False, True)
    dataset[0x00081070] = RawDataElement(BaseTag(0x00081070), "ZZ", 8, b"Able^Ann", 0, False, True)
    with pytest.raises(Quarantined):
        known_in(dataset)
    assert {known.value for known in readable_in(dataset)} == {"Lines^Eleanor", "A1234567", "20200102"}

from __future__ import annotations

import shutil
from pathlib import Path

import pydicom
import pytest

from medveil.cohort import Cohort
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.release.people import person_of_row

KEYS = Keys.for_demonstration(1)


def test_a_report_is_not_cleaned_without_what_the_header_tells(hospital: Cohort, tmp_path: Path) -> None:
    row = dict(hospital.table.iloc[0])
    file = tmp_path / row["path"]
    file.parent.mkdir(parents=True)
    shutil.copy(hospital.root / row["path"], file)
    dataset = pydicom.dcmread(file)
    assert str(dataset.PatientName) in {known.value for known in person_of_row(row, tmp_path, KEYS).known}
    dataset.OperatorsName = [f"Able{number}^Ann" for number in range(1000)]
    dataset.save_as(file)
    with pytest.raises(Quarantined):
        person_of_row(row, tmp_path, KEYS)

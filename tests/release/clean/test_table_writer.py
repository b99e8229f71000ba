"""Images and a table: what a row's image, report and header tell goes through the engine as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pydicom
import pytest

from medveil.cohort import Cohort
from medveil.errors import Quarantined
from medveil.parts import choose
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, ImageRow
from medveil.release.clean.table_writer import TableWriter

KEYS = Keys.for_demonstration(1)


def test_a_report_is_not_cleaned_without_what_the_header_tells(hospital: Cohort, tmp_path: Path) -> None:
    row = hospital.table.iloc[0].to_dict()
    file = tmp_path / row["path"]
    file.parent.mkdir(parents=True)
    shutil.copy(hospital.root / row["path"], file)
    dataset = pydicom.dcmread(file)
    group = Group(row["patient_id"], (ImageRow(row),))
    person = group.person(KEYS, tmp_path)
    assert str(dataset.PatientName) in {known.value for known in person.known}
    engine = Engine(KEYS, choose("defenses", ["table"]))
    written = TableWriter().written(ImageRow(row), group, person, tmp_path, engine)
    assert written.row is not None and row["patient_id"] not in repr(written.row | {"report": ""})
    dataset.OperatorsName = [f"Able{number}^Ann" for number in range(1000)]
    dataset.save_as(file)
    with pytest.raises(Quarantined):
        TableWriter().written(ImageRow(row), group, person, tmp_path, engine)

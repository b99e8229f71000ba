from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.schema import COLUMNS, LABELS
from medveil.errors import InputError


def rows(**changes: object) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "image_id": ["a", "b", "c"],
            "patient_id": ["Smith", "Smith", "Jones"],
            "study_id": ["s1", "s2", "s3"],
            "path": ["a.png", "sub/b.png", "c.png"],
        }
    )
    return table.assign(**changes)


def test_missing_columns_are_filled_and_typed() -> None:
    cohort = Cohort.of(rows(), Path())
    assert tuple(cohort.table.columns) == COLUMNS
    assert cohort.table["report"].isna().all()
    assert (cohort.table["frame"] == 0).all()
    assert cohort.table[LABELS[0]].dtype == "float32"


@pytest.mark.parametrize(
    ("changes", "row", "column"),
    [
        ({"image_id": ["a", "b", "a"]}, 3, "image_id"),
        ({"patient_id": ["Smith", None, "Jones"]}, 2, "patient_id"),
        ({"path": ["a.png", "../b.png", "c.png"]}, 2, "path"),
        ({"path": ["a.png", "b.png", "/etc/c.png"]}, 3, "path"),
        ({"path": ["a.png", "b.png", "x/../../c.png"]}, 3, "path"),
        ({"age": [1.0, 2.0, 131.0]}, 3, "age"),
        ({"age": [-1.0, 2.0, 3.0]}, 1, "age"),
        ({"frame": [0, -1, 0]}, 2, "frame"),
        ({"view": ["PA", "AP", "SIDEWAYS"]}, 3, "view"),
        ({"split": ["train", "test", "val"]}, 2, "patient_id"),
        ({"study_id": ["s1", "s2", "s1"]}, 3, "study_id"),
        ({"Edema": [0, 1, 2]}, 3, "Edema"),
    ],
)
def test_the_error_names_row_and_column_and_no_value(changes: dict[str, object], row: int, column: str) -> None:
    with pytest.raises(InputError) as caught:
        Cohort.of(rows(**changes), Path())
    message = str(caught.value)
    assert f"row {row}, column {column}" in message
    for value in ("Smith", "Jones", "png", "SIDEWAYS", "131"):
        assert value not in message


def test_an_unreadable_number_names_the_column() -> None:
    with pytest.raises(InputError, match="column age holds a value that is not a number"):
        Cohort.of(rows(age=["old", "older", "oldest"]), Path())


def test_a_foreign_column_is_refused_without_printing_it() -> None:
    with pytest.raises(InputError, match="position 5") as caught:
        Cohort.of(rows(SecretName=1), Path())
    assert "SecretName" not in str(caught.value)


def test_an_empty_cohort_is_refused() -> None:
    with pytest.raises(InputError, match="no images"):
        Cohort.of(rows().iloc[:0], Path())


def test_save_and_open_give_the_same_table(tmp_path: Path) -> None:
    table = rows(
        age=[50.0, 51.5, None],
        sex=["F", "F", None],
        view=["PA", "AP", "LATERAL"],
        date=pd.to_datetime(["2020-01-02 03:04", None, "1999-12-31 00:00"]),
        report=["Ünïcode", None, ""],
        Edema=[1, -1, None],
    )
    cohort = Cohort.of(table, tmp_path, name="Köln")
    cohort.save(tmp_path)
    again = Cohort.open(tmp_path)
    pd.testing.assert_frame_equal(again.table, cohort.table)
    assert again.name == "Köln"
    assert len(again.frontal()) == 2


def test_a_foreign_parquet_is_refused(tmp_path: Path) -> None:
    rows().to_parquet(tmp_path / "cohort.parquet")
    with pytest.raises(InputError, match="not written by this version"):
        Cohort.open(tmp_path)
    (tmp_path / "cohort.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(InputError, match="not a readable Parquet"):
        Cohort.open(tmp_path)

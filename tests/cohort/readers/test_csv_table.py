from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort
from medveil.errors import InputError


def test_aliases_and_values(tmp_path, picture, reasons):
    picture(tmp_path / "pictures" / "a.png")
    picture(tmp_path / "pictures" / "b.png")
    (tmp_path / "table.csv").write_text(
        "Image Path,Subject ID,Study,Gender,Age,View Position,Study Date,Split,Report,Pleural Effusion,Favourite\n"
        'pictures/a.png,007,s1,female,045Y,AP portable,20200102,validation,"Line one,\nline ""two"" ",1.0,x\n'
        "./pictures/b.png,007,s1,?,300,LL,2020-01-03T04:05:06,validation,,-1,y\n"
        "pictures/gone.png,8,s2,M,1,PA,,train,,,\n"
        "../outside.png,8,s2,M,1,PA,,train,,,\n"
        ",9,s3,M,1,PA,,train,,,\n"
    )
    for path in (tmp_path, tmp_path / "table.csv"):
        cohort = read_cohort(path)
        table = cohort.table
        assert list(table["path"]) == ["pictures/a.png", "pictures/b.png"]
        assert list(table["patient_id"]) == ["007", "007"]
        assert table["sex"][0] == "F"
        assert pd.isna(table["sex"][1])
        assert table["age"][0] == 45
        assert np.isnan(table["age"][1])
        assert list(table["view"]) == ["AP", "LATERAL"]
        assert list(table["split"]) == ["val", "val"]
        assert list(table["date"]) == [pd.Timestamp("2020-01-02"), pd.Timestamp("2020-01-03 04:05:06")]
        assert table["report"][0] == 'Line one,\nline "two" '
        assert list(table["Pleural Effusion"]) == [1, -1]
        assert reasons(cohort) == {"missing file": 1, "path leads outside the folder": 1, "row without path": 1}


def test_absolute_paths_inside_the_folder(tmp_path, picture):
    picture(tmp_path / "a.png")
    (tmp_path / "t.csv").write_text(f"path,patient\n{tmp_path / 'a.png'},1\n")
    assert list(read_cohort(tmp_path / "t.csv").table["path"]) == ["a.png"]


def test_the_needed_column_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("path,colour\na.png,red\n")
    with pytest.raises(InputError, match="no patient_id column"):
        read_cohort(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a.png,1,x,s\na.png,1,x,s\n", "row 2, column image_id"),
        ("a.png,1,x,s\nb.png,2,y,s\n", "row 2, column study_id"),
    ],
)
def test_contradictions_name_row_and_column(tmp_path, picture, rows, message):
    picture(tmp_path / "a.png")
    picture(tmp_path / "b.png")
    (tmp_path / "t.csv").write_text("path,patient_id,image_id,study_id\n" + rows)
    with pytest.raises(InputError, match=message):
        read_cohort(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00\x01", b"path,patient_id,edema\na.png,1,maybe\n", b'path,patient_id\n"a.png,1\n']
)
def test_broken_tables_are_one_sentence(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError):
        read_cohort(tmp_path / "t.csv")

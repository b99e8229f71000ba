from __future__ import annotations

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.readers import readers
from medveil.cohort.readers.registry import register
from medveil.errors import InputError


def test_specific_readers_are_asked_before_general_ones():
    order = [reader.general for reader in readers().values()]
    assert order == sorted(order)
    assert set(readers()) == {
        "chexpert_plus",
        "covid19",
        "csv",
        "dicom",
        "mimic_cxr",
        "nih14",
        "openi",
        "r2gen",
    }


def test_a_saved_cohort_opens_as_it_is(tmp_path):
    table = pd.DataFrame({"image_id": ["a"], "patient_id": ["p"], "study_id": ["s"], "path": ["a.png"]})
    Cohort.of(table, tmp_path, name="mine").save(tmp_path)
    (tmp_path / "other.csv").write_text("path,patient_id\na.png,p\n")
    assert read_cohort(tmp_path).name == "mine"


def test_an_unknown_folder_is_one_sentence_that_lists_the_layouts(tmp_path):
    (tmp_path / "notes.md").write_text("nothing here")
    with pytest.raises(InputError, match=r"no known layout.*NIH ChestX-ray14") as caught:
        read_cohort(tmp_path)
    assert "notes" not in str(caught.value)


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="there is nothing at"):
        read_cohort(tmp_path / "nowhere")


def test_an_unknown_layout_name(tmp_path):
    with pytest.raises(InputError, match="choose one of"):
        read_cohort(tmp_path, layout="nonsense")


def test_two_readers_may_not_share_a_name():
    with pytest.raises(ValueError, match="csv"):

        @register
        class Again:
            name = "csv"
            title = ""
            general = True

from __future__ import annotations

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.input import read_cohort
from medveil.cohort.input.source import layouts
from medveil.cohort.readers import readers
from medveil.cohort.readers.registry import register
from medveil.errors import InputError


def test_the_layouts_that_have_names():
    assert list(readers()) == sorted(readers())
    assert set(layouts()) == {
        "chexpert",
        "chexpert_plus",
        "covid19",
        "csv",
        "dicom",
        "fundus_vessels",
        "mimic_cxr",
        "nih14",
        "odir",
        "openi",
        "r2gen",
    }


def test_a_saved_cohort_opens_as_it_is(tmp_path):
    table = pd.DataFrame({"image_id": ["a"], "patient_id": ["p"], "study_id": ["s"], "path": ["a.png"]})
    Cohort.of(table, tmp_path, name="mine").save(tmp_path)
    (tmp_path / "other.csv").write_text("path,patient_id\na.png,p\n")
    assert read_cohort(tmp_path).name == "mine"


def test_an_unknown_folder_is_one_sentence(tmp_path):
    (tmp_path / "notes.md").write_text("nothing here")
    with pytest.raises(InputError, match="holds no image that could be used") as caught:
        read_cohort(tmp_path)
    assert "notes" not in str(caught.value)


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="there is nothing at"):
        read_cohort(tmp_path / "nowhere")


def test_an_unknown_layout_name(tmp_path):
    with pytest.raises(InputError, match="choose one of"):
        read_cohort(tmp_path, layout="nonsense")


def test_two_readers_may_not_share_a_name():
    with pytest.raises(ValueError, match="nih14"):

        @register
        class Again:
            name = "nih14"
            title = ""

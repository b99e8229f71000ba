from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from pydicom.dataset import Dataset

from medveil.cohort.dicom import read_metadata
from medveil.cohort.dicom.metadata import view_of

PIXELS = np.zeros((4, 4), dtype=np.uint8)


def test_everything_the_cohort_needs(make_dicom):
    info = read_metadata(
        make_dicom(
            PIXELS,
            ViewPosition="PA",
            PatientAge="045Y",
            PatientSex="F",
            StudyDate="20210304",
            StudyTime="101112.25",
            InstitutionName="St. Elsewhere",
        )
    )
    assert (info.patient_id, info.view, info.age, info.sex, info.site) == ("P1", "PA", 45, "F", "St. Elsewhere")
    assert info.date == datetime(2021, 3, 4, 10, 11, 12)
    assert (info.modality, info.frames, info.has_pixels) == ("DX", 1, True)


@pytest.mark.parametrize(
    ("position", "view"),
    [
        ("PA", "PA"),
        ("AP", "AP"),
        ("AP Supine", "AP"),
        ("AP semi erect", "AP"),
        ("LL", "LATERAL"),
        ("L", "LATERAL"),
        ("LATERAL", "LATERAL"),
        ("XTABLE LATERAL", "LATERAL"),
        ("AP AXIAL", "OTHER"),
        ("PA LLD", "OTHER"),
        ("LAO", "OTHER"),
        ("", None),
        (None, None),
    ],
)
def test_view_positions(position, view):
    assert view_of(position) == view


@pytest.mark.parametrize(
    ("attributes", "view"),
    [
        ({"SeriesDescription": "CHEST PA"}, "PA"),
        ({"SeriesDescription": "Chest PA and lateral"}, None),
        ({"ProtocolName": "Thorax lat."}, "LATERAL"),
        ({"ProtocolName": "PORTABLE CHEST AP", "SeriesDescription": "W Chest"}, "AP"),
        ({"SeriesDescription": "L hand"}, None),
    ],
)
def test_views_from_descriptions(make_dicom, attributes, view):
    assert read_metadata(make_dicom(PIXELS, **attributes)).view == view


def test_view_from_its_code(make_dicom):
    code = Dataset()
    code.CodeMeaning = "postero-anterior"
    path = make_dicom(PIXELS, ViewCodeSequence=[code], SeriesDescription="Chest lateral")
    assert read_metadata(path).view == "PA"


@pytest.mark.parametrize(
    ("attributes", "age"),
    [
        ({"PatientAge": "006M"}, 0.5),
        ({"PatientAge": "000D"}, 0),
        ({"PatientBirthDate": "19800101", "StudyDate": "20200101"}, 40),
        ({"PatientBirthDate": "20300101", "StudyDate": "20200101"}, None),
        ({"PatientBirthDate": "19800101"}, None),
        ({"PatientAge": "999Y"}, None),
    ],
)
def test_ages(make_dicom, attributes, age):
    found = read_metadata(make_dicom(PIXELS, **attributes)).age
    assert found == (pytest.approx(age, abs=0.01) if age is not None else None)


@pytest.mark.parametrize("charset", ["ISO_IR 999", "nonsense", "ISO 2022 IR 87\\ISO_IR 192", ""])
def test_unknown_character_sets_do_not_stop_reading(tmp_path, make_dicom, charset):
    path = make_dicom(PIXELS, SpecificCharacterSet="ISO_IR 100", InstitutionName="Hôpital Saint-André")
    text = charset.encode().ljust(10)[:10]
    path.write_bytes(path.read_bytes().replace(b"ISO_IR 100", text))
    info = read_metadata(path)
    assert info.patient_id == "P1"
    assert info.site


def test_broken_values_are_missing(make_dicom):
    def edit(dataset: Dataset) -> None:
        dataset.add_new("StudyDate", "LO", "no date")
        dataset.add_new("NumberOfFrames", "LO", "many")
        dataset.add_new("PatientSex", "LO", "?")

    info = read_metadata(make_dicom(PIXELS, edit=edit))
    assert (info.date, info.frames, info.sex) == (None, 1, None)

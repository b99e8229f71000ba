from __future__ import annotations

import pytest
from pydicom.dataset import Dataset
from pydicom.uid import UID

from medveil.defenses.pixels.objects.kinds import (
    HEAD,
    LABEL,
    PHOTOGRAPH,
    RECOGNISABLE,
    SCREEN,
    may_be_photograph,
    recognisable_by,
    refuse_text,
)
from medveil.errors import Quarantined

CLASSES = {
    "CT": "1.2.840.10008.5.1.4.1.1.2",
    "capture": "1.2.840.10008.5.1.4.1.1.7",
    "colour capture": "1.2.840.10008.5.1.4.1.1.7.4",
    "digital": "1.2.840.10008.5.1.4.1.1.1.1",
    "endoscopy": "1.2.840.10008.5.1.4.1.1.77.1.1",
    "fundus": "1.2.840.10008.5.1.4.1.1.77.1.5.1",
    "photograph": "1.2.840.10008.5.1.4.1.1.77.1.4",
    "slide": "1.2.840.10008.5.1.4.1.1.77.1.6",
    "ultrasound": "1.2.840.10008.5.1.4.1.1.6.1",
}


def header(kind: str = "", **attributes: object) -> Dataset:
    dataset = Dataset()
    if kind:
        dataset.SOPClassUID = UID(CLASSES[kind])
    for keyword, value in attributes.items():
        setattr(dataset, keyword, value)
    return dataset


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        (header("digital", Modality="DX", RecognizableVisualFeatures="YES"), RECOGNISABLE),
        (header("photograph", Modality="XC"), PHOTOGRAPH),
        (header("capture", Modality="XC"), PHOTOGRAPH),
        (header("photograph", Modality="XC", RecognizableVisualFeatures="NO"), None),
        (header("endoscopy", Modality="ES"), None),
        (header("fundus", Modality="OP"), None),
        (header("digital", Modality="DX", BodyPartExamined="SKULL"), None),
        (header("slide", Modality="SM", ImageType=["ORIGINAL", "PRIMARY", "VOLUME", "NONE"]), None),
        (header("CT", Modality="CT", SeriesDescription="Low dose chest"), None),
    ],
)
def test_what_a_header_says_withholds_and_nothing_else(dataset: Dataset, reason: str | None) -> None:
    assert recognisable_by(dataset) == reason
    refuse_text(dataset)


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        (header("slide", Modality="SM", ImageType=["ORIGINAL", "PRIMARY", "LABEL", "NONE"]), LABEL),
        (header("capture", Modality="CT", SeriesDescription="Dose Report"), SCREEN),
        (header("CT", Modality="CT", ImageType=["DERIVED", "SECONDARY", "SCREEN SAVE"]), SCREEN),
    ],
)
def test_screens_and_labels_are_refused_whatever_becomes_of_faces(dataset: Dataset, reason: str) -> None:
    with pytest.raises(Quarantined) as refused:
        refuse_text(dataset)
    assert refused.value.reason == reason
    assert recognisable_by(dataset) is None


@pytest.mark.parametrize(
    ("attributes", "withheld"),
    [
        ({"BodyPartExamined": "HEAD", "SliceThickness": "1.0"}, True),
        ({"BodyPartExamined": "HEAD"}, True),  # not told: it may be thin
        ({"BodyPartExamined": "HEAD", "SliceThickness": "5.0"}, False),
        ({"BodyPartExamined": "HEAD", "SliceThickness": "1.0", "RecognizableVisualFeatures": "NO"}, False),
        (
            {"BodyPartExamined": "HEAD", "SliceThickness": "1.0", "ImageType": ["ORIGINAL", "PRIMARY", "LOCALIZER"]},
            False,
        ),
        ({"BodyPartExamined": "CHEST", "SliceThickness": "1.0"}, False),
        ({"StudyDescription": "CT_HEAD W/O CONTRAST", "SliceThickness": "0.6"}, True),
        ({"StudyDescription": "CT CHEST", "SliceThickness": "0.6"}, False),
    ],
)
def test_a_head_in_thin_slices_is_withheld_unless_its_face_was_taken_off(
    attributes: dict[str, object], withheld: bool
) -> None:
    assert (recognisable_by(header("CT", Modality="CT", **attributes)) == HEAD) == withheld


@pytest.mark.parametrize(
    ("dataset", "looked_at"),
    [
        (header(), True),
        (header("capture", Modality="CT"), True),
        (header("colour capture", Modality="OT", SamplesPerPixel=3), True),
        (header("endoscopy", Modality="ES", SamplesPerPixel=3), True),
        (header("fundus", Modality="OP", SamplesPerPixel=3), True),
        (header("CT", Modality="CT", SamplesPerPixel=3), True),
        (header("CT", Modality="CT", SamplesPerPixel=1), False),
        (header("digital", Modality="DX", SamplesPerPixel=1), False),
        (header("ultrasound", Modality="US", SamplesPerPixel=3), False),
        (header("slide", Modality="SM", SamplesPerPixel=3), False),
    ],
)
def test_pixels_are_looked_at_unless_no_camera_made_them(dataset: Dataset, looked_at: bool) -> None:
    assert may_be_photograph(dataset) == looked_at

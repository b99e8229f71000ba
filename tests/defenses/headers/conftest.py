from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import ExplicitVRLittleEndian

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.person.keys import Keys
from medveil.person.person import Person

DIGITAL_X_RAY = "1.2.840.10008.5.1.4.1.1.1.1"
SAMPLES: dict[str, Any] = {
    "AS": "045Y",
    "AT": 0x00100010,
    "DA": "20200131",
    "DS": "1.5",
    "DT": "20200131103000.5",
    "FD": 1.5,
    "FL": 1.5,
    "IS": "7",
    "OB": b"original",
    "OW": b"original",
    "PN": "Original^Name",
    "TM": "103000",
    "UI": "1.2.3.4",
    "UL": 7,
    "UN": b"original",
    "UR": "http://original",
    "US": 7,
}
TEXTS = frozenset({"AE", "CS", "LO", "LT", "SH", "ST", "UC", "UT"})
# The kind of what this edition added and the dictionary does not have yet.
NEWER = {"Sequence": "SQ", "DateTime": "DT", "Comment": "UT", "EthnicGroups": "UC", "URI": "UR", "Reference": "UR"}


def rows(name: str = "attributes.csv") -> list[dict[str, str]]:
    text = files("medveil.defenses.headers").joinpath(name).read_text()
    return list(csv.DictReader(text.splitlines()))


def tag_of(row: dict[str, str]) -> int:
    """A tag of this row; x is 0, and the private row's element is (0099,1001)."""
    if row["tag"] == "odd group":
        return 0x00991001
    if row["tag"] == "(50xx,xxxx)":
        return 0x50000022
    return int(row["tag"].strip("()").replace(",", "").replace("x", "0"), 16)


def vr_of(row: dict[str, str]) -> str:
    tag = tag_of(row)
    if row["tag"] == "odd group":
        return "LO"
    try:
        return str(dictionary_VR(tag)).split(" or ")[-1]
    except KeyError:
        return next((vr for ending, vr in NEWER.items() if row["keyword"].endswith(ending)), "LO")


def empty_file(sop_class: str = DIGITAL_X_RAY) -> FileDataset:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = sop_class
    meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    dataset = FileDataset("", {}, file_meta=meta, preamble=b"MRN 12345".ljust(128, b"\0"))
    dataset.SOPClassUID = sop_class
    return dataset


def with_every_attribute() -> FileDataset:
    """An X-ray image with every attribute of both tables; a sequence has one item of one free text."""
    dataset = empty_file()
    dataset.add_new(0x00990010, "LO", "ORIGINAL CREATOR")
    for row in (*rows(), *rows("beyond.csv")):
        tag, vr = tag_of(row), vr_of(row)
        if tag >> 16 in (0x0000, 0x0002, 0x0004):
            continue
        if vr == "SQ":
            item = Dataset()
            item.CodeMeaning = "inner words"
            dataset.add_new(tag, "SQ", Sequence([item]))
        else:
            # Texts of their own: one that repeats a name or a hospital would be searched for everywhere.
            value = row["keyword"][-16:].upper() if vr in TEXTS else SAMPLES[vr]
            dataset.add_new(tag, vr, {"PatientSex": "F", "TimezoneOffsetFromUTC": "+0100"}.get(row["keyword"], value))
    return dataset


@pytest.fixture
def person() -> Person:
    return Person(Keys.for_demonstration(3), "12345")


@pytest.fixture
def cleaner() -> Callable[..., HeaderCleaner]:
    """A cleaner with these options whose free-text step leaves a mark."""

    def make(*options: Option, **attributes: str) -> HeaderCleaner:
        tags = {int(tag_for_keyword(keyword) or 0): action for keyword, action in attributes.items()}
        return HeaderCleaner(Profile(frozenset(options), tags), clean_text=lambda text, person: "cleaned")

    return make


@pytest.fixture
def every_attribute() -> FileDataset:
    return with_every_attribute()


@pytest.fixture
def x_ray() -> Callable[[], FileDataset]:
    return empty_file


@pytest.fixture
def table_rows() -> list[dict[str, Any]]:
    """The table as a test reads it: the row, a tag of it, its kind."""
    return [dict(row, number=tag_of(row), vr=vr_of(row)) for row in rows()]


@pytest.fixture
def rows_beyond() -> list[dict[str, Any]]:
    return [dict(row, number=tag_of(row), vr=vr_of(row)) for row in rows("beyond.csv")]

"""What a profile retains, and a date another was moved onto, is no leak; anything else still is."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path

import pydicom
import pytest

from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.allowed_values import without_moved_dates
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.run import verify

KEYS = Keys(b"\x07" * 32)
SHIFT = Person(KEYS, "1").shift
FIRST = dt.date(2018, 10, 18)
SECOND = FIRST + SHIFT  # moves onto the first
OPTIONS = {
    "Retain UIDs": "StudyInstanceUID",
    "Retain Device Identity": "DeviceSerialNumber",
    "Retain Institution Identity": "InstitutionName",
    "Retain Longitudinal Temporal Information Full Dates": "StudyDate",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("retained") / "hospital"
    build_hospital(folder, patients=1, sites=1, seed=11, size=256, workers=1)
    return folder


def cleaned(source: Path, folder: Path, profile: str) -> Path:
    (folder / "profile.toml").write_text(profile)
    settings = deid_defenses(profile=folder / "profile.toml", fill="black")
    deidentify(source, folder / "out", keys=KEYS, defenses=settings, workers=1)
    return folder / "out"


def leaks(out: Path, source: Path) -> set[str]:
    """What headers and reports tell that they should not."""
    verify(out, source, keys=KEYS, workers=1)
    with (out / "discrepancies.csv").open(newline="") as file:
        discrepancies = [Discrepancy.of(row) for row in csv.DictReader(file)]
    return {f"{wrong.check}: {wrong.found}" for wrong in discrepancies if wrong.leak and wrong.check != "pixels"}


@pytest.mark.parametrize("option", OPTIONS)
def test_what_an_option_retains_is_no_leak(source: Path, tmp_path: Path, option: str) -> None:
    out = cleaned(source, tmp_path, f'options = ["{option}", "Clean Pixel Data"]')
    image = next(iter(load_gold(source).images.values()))
    (released,) = (out / "data").rglob(f"{KEYS.pseudonym('image', image.image_id)}.dcm")
    dataset, original = pydicom.dcmread(released), pydicom.dcmread(source / image.path)
    assert dataset[OPTIONS[option]].value == original[OPTIONS[option]].value
    assert leaks(out, source) == set()
    dataset.ImageComments = str(original.PatientID)
    dataset.save_as(released)
    assert {"bytes: a known identifier", "header: a known identifier"} <= leaks(out, source)


def test_all_options_that_retain_go_together(source: Path, tmp_path: Path) -> None:
    """A station that is kept bears the initials of a hospital, which stand in attributes that are not."""
    out = cleaned(source, tmp_path, f"options = {[*OPTIONS]}")
    assert leaks(out, source) == set()


def test_what_an_exception_of_ones_own_lets_through_is_one(source: Path, tmp_path: Path) -> None:
    out = cleaned(source, tmp_path, 'options = ["Clean Pixel Data"]\nattributes = { PatientName = "K" }')
    assert {
        "bytes: a known identifier",
        "header: a known identifier",
        "answer key: the identifier of the answer key",
    } <= (leaks(out, source))


def test_reports_keep_their_dates_where_headers_do(source: Path, tmp_path: Path) -> None:
    out = cleaned(source, tmp_path, f'options = ["{list(OPTIONS)[-1]}", "Clean Pixel Data"]')
    dates = {
        one.text for image in load_gold(source).images.values() for one in image.in_report if one.category == "DATE"
    }
    released = " ".join(path.read_text() for path in (out / "data").rglob("*.txt"))
    assert dates and [date for date in dates if date not in released] == []


def remaining(*known: Known) -> set[Known]:
    return set(without_moved_dates(Person(KEYS, "1", known)))


def test_a_date_another_was_moved_onto_stands_there_rightly_as_a_number_too() -> None:
    first, second = (Known(Category.DATE, f"{day:%Y%m%d}") for day in (FIRST, SECOND))
    as_number = Known(Category.OTHER_ID, first.value)
    assert remaining(first, second, as_number) == {second}


def test_nothing_else_is_forgiven() -> None:
    date, number = Known(Category.DATE, "20181018"), Known(Category.OTHER_ID, "20181018")
    record = Known(Category.MRN, "20181018")
    assert remaining(date, number, record) == {date, number, record}
    assert record in remaining(date, record, Known(Category.DATE, f"{SECOND:%Y%m%d}"))

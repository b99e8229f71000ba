from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydicom.dataset import FileDataset

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.errors import SettingsError
from medveil.person.person import Person

TOML = """
options = ["Clean Pixel Data Option", "retain safe private", "113105",
           "Retain Longitudinal Temporal Information with Modified Dates"]
safe_private = ["ACME 1.1", "OTHER (0019,xx05)"]

[attributes]
StationName = "K"
"(0018,1030)" = "X"
NameToUse = "Z"
"""
YAML = """
options:
  - Clean Pixel Data
  - Retain Safe Private
  - Clean Descriptors
  - Retain Longitudinal Temporal Information Modified Dates
safe_private: [ACME 1.1, "OTHER (0019,xx05)"]
attributes: {StationName: K, "(0018,1030)": X, NameToUse: Z}
"""


@pytest.mark.parametrize(("name", "text"), [("p.toml", TOML), ("p.yaml", YAML), ("p.yml", YAML)])
def test_a_profile_is_read_in_the_standards_words(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert Profile.read(tmp_path / name) == Profile(
        frozenset({Option.CLEAN_PIXEL_DATA, Option.SAFE_PRIVATE, Option.CLEAN_DESCRIPTORS, Option.MODIFIED_DATES}),
        {0x00081010: "K", 0x00181030: "X", 0x00100012: "Z"},
        frozenset({("ACME 1.1", 0, 0), ("OTHER", 0x0019, 0x05)}),
    )


def test_every_option_is_known_by_its_meaning_and_its_code() -> None:
    for option in Option:
        short = option.meaning.removesuffix(" Option")
        assert Option.named(option.meaning) is Option.named(short.upper()) is Option.named(option.code) is option


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("p.toml", 'options = ["Clean Everything"]', "not an option"),
        ("p.toml", 'option = ["Clean Descriptors"]', "means nothing"),
        ("p.toml", 'options = "Clean Descriptors"', "list of names"),
        ("p.toml", "options = [", "well-formed"),
        ("p.yaml", "options: [", "well-formed"),
        ("p.yaml", "- 1", "no settings"),
        ("p.json", "{}", "must end in"),
        ("p.toml", '[attributes]\nPatientsName = "X"', "not an attribute"),
        ("p.toml", '[attributes]\n"(0019,0010)" = "K"', "not an attribute"),
        ("p.toml", '[attributes]\nPatientName = "remove"', "action that does not exist"),
        ("p.toml", "attributes = 3", "table of keyword"),
        ("p.toml", 'safe_private = ["ACME 1.1"]', "Retain Safe Private"),
        ("p.toml", 'options = ["113106", "113107"]', "either in full or modified"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_sentence(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SettingsError, match=told) as refused:
        Profile.read(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_a_missing_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Profile.read(tmp_path / "none.toml")


def test_exceptions_come_before_the_table(
    x_ray: Callable[[], FileDataset], cleaner: Callable[..., HeaderCleaner], person: Person
) -> None:
    dataset = x_ray()
    dataset.StationName, dataset.PatientID, dataset.Manufacturer = "XR1", "12345", "Veritek"
    dataset.StudyDate, dataset.StudyDescription = "20200131", "chest"
    exceptions = {"StationName": "K", "PatientID": "D", "Manufacturer": "X", "StudyDate": "X", "StudyDescription": "Z"}
    done = cleaner(Option.MODIFIED_DATES, Option.CLEAN_DESCRIPTORS, **exceptions).clean(
        dataset, person, pixels_cleaned=False
    )
    assert dataset.StationName == "XR1" and dataset.PatientID == person.pseudonym
    assert "Manufacturer" not in dataset and "StudyDate" not in dataset and dataset.StudyDescription is None
    assert {one.keyword: one.action for one in done if not one.code} == exceptions


def test_only_an_exception_that_lets_more_through_weakens() -> None:
    assert Profile(frozenset(), {0x00081010: "K"}).weakened
    assert Profile(frozenset(), {0x00081030: "C"}).weakened
    assert not Profile(frozenset({Option.DEVICE_IDENTITY}), {0x00081010: "K"}).weakened
    assert not Profile(frozenset(), {0x00081010: "X", 0x00080070: "K"}).weakened
    assert not Profile.default().weakened

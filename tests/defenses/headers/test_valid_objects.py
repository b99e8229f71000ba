"""Objects stay valid: Debian's dciodvfy finds nothing wrong that was not wrong before."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pydicom
import pytest
from pydicom.dataset import Dataset, FileDataset
from pydicom.sequence import Sequence
from pydicom.uid import DeflatedExplicitVRLittleEndian

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.headers.actions import resolve, type_of
from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person

TEST_FILES = Path(pydicom.__file__).parent / "data" / "test_files"
PERSON = Person(Keys.for_demonstration(3), "12345")
PROFILES = [
    Profile(),
    Profile.default(),
    Profile(frozenset(Option) - {Option.FULL_DATES}),
    Profile(frozenset({Option.FULL_DATES, Option.CLEAN_DESCRIPTORS})),
]
needs_dciodvfy = pytest.mark.skipif(
    shutil.which("dciodvfy") is None, reason="dciodvfy (Debian's dicom3tools) is not installed"
)


@needs_dciodvfy
@pytest.mark.parametrize("profile", PROFILES)
def test_phantom_files(profile: Profile, hospital_folder: Path, tmp_path: Path) -> None:
    seen = set()
    for image in load_gold(hospital_folder).images.values():
        if (image.site, len(image.in_header) % 4) in seen:
            continue
        seen.add((image.site, len(image.in_header) % 4))
        assert not _new_errors(hospital_folder / image.path, profile, tmp_path)


@needs_dciodvfy
@pytest.mark.parametrize("profile", PROFILES[:3:2])
def test_a_file_of_every_kind_that_pydicom_brings(profile: Profile, tmp_path: Path) -> None:
    seen = set()
    for path in sorted(TEST_FILES.rglob("*.dcm")):
        if "truncated" in path.name:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                dataset = open_dicom(path, pixels=False)
                kind = dataset.get("SOPClassUID")
                if kind in seen or dataset.file_meta.get("TransferSyntaxUID") == DeflatedExplicitVRLittleEndian:
                    continue  # dciodvfy cannot inflate
                new = _new_errors(path, profile, tmp_path)
            except Quarantined:
                continue
        seen.add(kind)
        assert not new, path.name
    assert len(seen) > 12


def _new_errors(path: Path, profile: Profile, folder: Path) -> Counter[str]:
    dataset = open_dicom(path, pixels=True)
    cleaner = HeaderCleaner(profile, clean_text=lambda text, person: "cleaned")
    cleaner.clean(dataset, PERSON, pixels_cleaned=True)
    dataset.save_as(folder / "after.dcm", enforce_file_format=True)
    return _errors(folder / "after.dcm") - _errors(path)


def _errors(path: Path) -> Counter[str]:
    told = subprocess.run(["dciodvfy", "-new", str(path)], capture_output=True, text=True, errors="replace")
    lines = (told.stdout + told.stderr).splitlines()
    assert lines, "dciodvfy said nothing"
    # What follows the last dash names the module, which the checker guesses anew.
    return Counter(re.sub(r"<[^<>]*>$", "", line) for line in lines if line.startswith("Error"))


@pytest.mark.parametrize(
    ("action", "by_type"),
    [
        ("X/Z/D", {"1": "D", "1C": "D", "2": "Z", "2C": "Z", "3": "X"}),
        ("X/Z", {"2": "Z", "2C": "Z", "3": "X"}),
        ("X/D", {"1": "D", "1C": "D", "3": "X"}),
        ("Z/D", {"1": "D", "1C": "D", "2": "Z"}),
        ("X/Z/U*", {"1": "U", "1C": "U", "2": "Z", "3": "X"}),
        ("Z", {"1": "D", "2": "Z", "3": "Z"}),
        ("K", {"1": "K", "3": "K"}),
    ],
)
def test_compound_actions_follow_the_type(action: str, by_type: dict[str, str]) -> None:
    assert {kind: resolve(action, kind) for kind in by_type} == by_type


def test_types_by_object_and_sequence() -> None:
    x_ray, ct_enhanced, unknown = "1.2.840.10008.5.1.4.1.1.1.1", "1.2.840.10008.5.1.4.1.1.2.1", "1.2.3"
    assert type_of("DeviceSerialNumber", within="", sop_class=x_ray) == "3"
    assert type_of("DeviceSerialNumber", within="", sop_class=ct_enhanced) == "1"
    assert type_of("DeviceSerialNumber", within="", sop_class=unknown) == "1"
    assert type_of("ContentDate", within="", sop_class=x_ray) == "2C"
    assert type_of("PatientID", within="", sop_class=x_ray) == "2"
    assert type_of("RequestedProcedureID", within="ReferencedRequestSequence", sop_class=x_ray) == "2"
    assert type_of("Manufacturer", within="", sop_class=x_ray) == "3"


def test_what_must_be_there_stays_there_and_tells_nothing(x_ray: Callable[..., FileDataset]) -> None:
    dataset = x_ray("1.2.840.10008.5.1.4.1.1.2.1")
    dataset.DeviceSerialNumber = "S123456"
    dataset.ContentDate, dataset.ContentTime, dataset.AcquisitionDateTime = "20200131", "101112", "20200131101112"
    HeaderCleaner(Profile(), clean_text=lambda text, person: text).clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.DeviceSerialNumber == "REMOVED"
    assert (dataset.ContentDate, dataset.ContentTime) == ("19000101", "000000")
    assert dataset.AcquisitionDateTime == "19000101000000"


@pytest.mark.parametrize(
    ("profile", "age"),
    [
        (Profile.default(), "090Y"),
        (Profile(), None),
        (Profile(frozenset({Option.PATIENT_CHARACTERISTICS}), {0x00101010: "X"}), None),
    ],
)
def test_the_age_outlives_the_birth_date(profile: Profile, age: str | None, x_ray: Callable[..., FileDataset]) -> None:
    dataset = x_ray()
    dataset.StudyInstanceUID, dataset.PatientBirthDate, dataset.StudyDate = "1.2.3", "19200101", "20200131"
    HeaderCleaner(profile, clean_text=lambda text, person: text).clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.PatientBirthDate is None and dataset.get("PatientAge") == age
    assert dataset.PatientID == PERSON.pseudonym and dataset.PatientName


def test_overlays_go_as_a_whole_unless_graphics_are_cleaned(x_ray: Callable[..., FileDataset]) -> None:
    def made() -> FileDataset:
        dataset = x_ray()
        dataset.add_new(0x60020010, "US", 2)
        dataset.add_new(0x60020022, "LO", "drawn by Smith")
        dataset.add_new(0x60023000, "OW", b"\1\0")
        return dataset

    def clean(dataset: FileDataset, *options: Option, pixels: bool) -> FileDataset:
        cleaner = HeaderCleaner(Profile(frozenset(options)), clean_text=lambda text, person: "drawn")
        cleaner.clean(dataset, PERSON, pixels_cleaned=pixels)
        return dataset

    assert not any(tag.group == 0x6002 for tag in clean(made(), pixels=True).keys())  # noqa: SIM118
    assert not any(tag.group == 0x6002 for tag in clean(made(), Option.CLEAN_GRAPHICS, pixels=False).keys())  # noqa: SIM118
    kept = clean(made(), Option.CLEAN_GRAPHICS, pixels=True)
    assert [kept[0x60020000 + number].value for number in (0x10, 0x22, 0x3000)] == [2, "drawn", b"\1\0"]


def test_a_report_keeps_its_structure_and_loses_its_words(x_ray: Callable[..., FileDataset]) -> None:
    def made() -> FileDataset:
        dataset = x_ray("1.2.840.10008.5.1.4.1.1.88.11")
        code, text, observer = Dataset(), Dataset(), Dataset()
        code.CodeValue, code.CodingSchemeDesignator, code.CodeMeaning = "121071", "DCM", "Finding"
        text.RelationshipType, text.ValueType, text.TextValue = "CONTAINS", "TEXT", "Mr Smith has a cold"
        text.ConceptNameCodeSequence = Sequence([code])
        observer.ValueType, observer.PersonName = "PNAME", "Smith^John"
        dataset.ContentSequence = Sequence([text, observer])
        return dataset

    plain, kept = made(), made()
    HeaderCleaner(Profile(), clean_text=lambda text, person: "he").clean(plain, PERSON, pixels_cleaned=False)
    options = frozenset({Option.CLEAN_STRUCTURED})
    HeaderCleaner(Profile(options), clean_text=lambda text, person: text.replace("Mr Smith", "he")).clean(
        kept, PERSON, pixels_cleaned=False
    )
    assert plain.ContentSequence[0].TextValue == "REMOVED" and plain.ContentSequence[0].ValueType == "TEXT"
    assert kept.ContentSequence[0].TextValue == "he has a cold"
    assert kept.ContentSequence[0].ConceptNameCodeSequence[0].CodeMeaning == "Finding"
    assert plain.ContentSequence[1].PersonName == kept.ContentSequence[1].PersonName == "REMOVED"


def test_what_is_written_can_be_read_by_others(x_ray: Callable[..., FileDataset]) -> None:
    dataset = x_ray()
    dataset.preamble = b"Smith^John".ljust(128, b"\0")
    HeaderCleaner(Profile(), clean_text=lambda text, person: text).clean(dataset, PERSON, pixels_cleaned=False)
    out = BytesIO()
    dataset.save_as(out, enforce_file_format=True)
    assert out.getvalue()[:132] == b"\0" * 128 + b"DICM"

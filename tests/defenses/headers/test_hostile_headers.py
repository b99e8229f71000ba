"""Headers that nest, lie and break: a clean result or quarantine, never a crash and never a leak."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pydicom
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom import dcmread
from pydicom.dataset import Dataset, FileDataset
from pydicom.sequence import Sequence
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom.opening import open_dicom
from medveil.defenses.headers.cleaner import DEEPEST, HeaderCleaner
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person

TEST_FILES = Path(pydicom.__file__).parent / "data" / "test_files"
PERSON = Person(Keys.for_demonstration(3), "12345")
SECRET = "Quixotix"
CLEANER = HeaderCleaner(Profile.default(), clean_text=lambda text, person: text.replace(SECRET, ""))
# Where a name may stand: listed and unlisted, text and not, private, unknown to the dictionary.
PLACES = [
    (0x00100010, "PN"),
    (0x00081070, "PN"),
    (0x00321031, "SQ"),
    (0x00080080, "LO"),
    (0x00081030, "LO"),
    (0x00104000, "LT"),
    (0x00080070, "LO"),
    (0x00180015, "CS"),
    (0x00400275, "SQ"),
    (0x00081140, "SQ"),
    (0x0040A730, "SQ"),
    (0x0040A160, "UT"),
    (0x0040A123, "PN"),
    (0x00081199, "SQ"),
    (0x00191001, "LO"),
    (0x00191002, "SQ"),
    (0x00080203, "LO"),
    (0x60000022, "LO"),
    (0x50000022, "LO"),
]


def headers(depth: int = 3) -> st.SearchStrategy[Dataset]:
    def build(chosen: list[tuple[tuple[int, str], list[Dataset]]]) -> Dataset:
        dataset = Dataset()
        for (tag, vr), items in chosen:
            if vr == "SQ":
                dataset.add_new(tag, vr, Sequence(items))
            else:
                dataset.add_new(tag, vr, SECRET.upper() if vr == "CS" else SECRET)
        return dataset

    deeper = st.just([]) if depth == 0 else st.lists(st.deferred(lambda: headers(depth - 1)), max_size=2)
    return st.lists(st.tuples(st.sampled_from(PLACES), deeper), max_size=6).map(build)


@given(headers())
@settings(max_examples=40)
def test_no_nesting_hides_a_name(x_ray_header: Dataset) -> None:
    dataset = _file(x_ray_header)
    dataset.PatientName = SECRET
    dataset.PatientIdentityRemoved = "NO"
    CLEANER.clean(dataset, PERSON, pixels_cleaned=True)
    written = _written(dataset)
    assert SECRET.encode() not in written and SECRET.upper().encode() not in written


@pytest.mark.parametrize("tag", [0x00081140, 0x0040A730, 0x00081199, 0x00400275])
def test_a_hundred_levels_deep_is_cleaned_to_the_bottom(tag: int) -> None:
    bottom = Dataset()
    bottom.PatientName = SECRET
    bottom.InstitutionName = SECRET
    dataset = _file(_nested(bottom, tag, 100))
    options = frozenset({Option.CLEAN_STRUCTURED, Option.CLEAN_DESCRIPTORS, Option.UIDS})
    HeaderCleaner(Profile(options), clean_text=lambda text, person: text).clean(dataset, PERSON, pixels_cleaned=False)
    assert tag in dataset
    assert SECRET.encode() not in _written(dataset)


def test_deeper_than_can_be_written_is_quarantined() -> None:
    dataset = _file(_nested(Dataset(), 0x00081199, 3 * DEEPEST))
    with pytest.raises(Quarantined, match="nested too deep"):
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)


def _nested(bottom: Dataset, tag: int, levels: int) -> Dataset:
    for _ in range(levels):
        above = Dataset()
        above.add_new(tag, "SQ", Sequence([bottom]))
        bottom = above
    return bottom


def _file(dataset: Dataset) -> FileDataset:
    file = FileDataset("", dataset)
    file.SOPClassUID = "1.2.840.10008.5.1.4.1.1.1.1"
    file.SOPInstanceUID = "1.2.3"
    file.set_original_encoding(False, True)
    return file


def _written(dataset: FileDataset) -> bytes:
    out = BytesIO()
    dataset.save_as(out, enforce_file_format=True)
    return out.getvalue()


def _explicit(tag: int, vr: str, value: bytes) -> bytes:
    head = (tag >> 16).to_bytes(2, "little") + (tag & 0xFFFF).to_bytes(2, "little") + vr.encode()
    long = vr in ("UT", "OB", "UN")
    length = b"\0\0" + len(value).to_bytes(4, "little") if long else len(value).to_bytes(2, "little")
    return head + length + value


def _read(*elements: bytes) -> FileDataset:
    meta = _explicit(0x00020010, "UI", ExplicitVRLittleEndian.encode() + b"\0")
    own = _explicit(0x00080016, "UI", b"1.2.840.10008.5.1.4.1.1.1.1\0") + _explicit(0x00080018, "UI", b"1.2.3\0")
    content = b"".join(sorted([own, *elements], key=lambda element: element[:2]))
    length = _explicit(0x00020000, "UL", len(meta).to_bytes(4, "little"))
    return dcmread(BytesIO(b"\0" * 128 + b"DICM" + length + meta + content))


@pytest.mark.parametrize(
    ("elements", "reason"),
    [
        ([_explicit(0x00080005, "CS", b"ISO_IR 999"), _explicit(0x00081030, "LO", b"CHEST ")], "character set"),
        ([_explicit(0x00081030, "LO", "Müller".encode() + b" ")], "character set"),
        ([_explicit(0x00100010, "PN", b"\x1b$B;3ED\x1b(B")], "character set"),
        ([_explicit(0x00080005, "CS", b"ISO_IR 192"), _explicit(0x00081030, "LO", b"M\xfcller")], "character set"),
        ([_explicit(0x00080005, "CS", b"ISO_IR 100"), _explicit(0x00100010, "PN", b"M\x8cller")], "character set"),
        ([_explicit(0x00100040, "UT", b"Quixotix")], "another kind"),
        ([_explicit(0x00280010, "LO", b"Quixotix")], "another kind"),
        ([_explicit(0x00101030, "DS", b"heavy ")], "another kind"),
        (
            [_explicit(0x00080005, "CS", b"ISO_IR 100"), _explicit(0x00081030, "LO", "Müller ".encode())],
            "character set",
        ),
        ([_explicit(0x00080070, "LO", b"Veritek\x10\0\x10\0PN\x08\0Quixotix")], "character set"),
        ([_explicit(0x00181153, "IS", b"19371016")], "date where a number"),
        ([_explicit(0x00280102, "US", b"\x0b\0Quixotix")], "more values"),
        ([_explicit(0x00100010, "PN", b"Quixotix"), _explicit(0x00281201, "OW", b"lut Quixotix")], "among bytes"),
        ([_explicit(0x00282000, "OB", b"icc Quixotix")], "a colour profile that is none"),
    ],
)
def test_what_cannot_be_read_surely_is_quarantined(elements: list[bytes], reason: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydicom warns of what it guesses
        dataset = _read(*elements)
        with pytest.raises(Quarantined, match=reason):
            CLEANER.clean(dataset, PERSON, pixels_cleaned=False)


def test_text_in_a_declared_character_set_is_read_in_it() -> None:
    dataset = _read(_explicit(0x00080005, "CS", b"ISO_IR 192"), _explicit(0x00081030, "LO", "Thorax für".encode()))
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.StudyDescription == "Thorax für" and dataset.SpecificCharacterSet == "ISO_IR 192"


def test_values_that_are_not_what_they_should_be_follow_the_basic_action(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.add_new(0x00100040, "CS", "QUIXOTIX")
        dataset.add_new(0x00101010, "AS", "ninety")
        dataset.add_new(0x00080020, "DA", "yesterday")
        dataset.add_new(0x00080022, "DA", "20209999")
        dataset.add_new(0x00080030, "TM", "Quixotix")
        dataset.add_new(0x00080201, "SH", "Quixotix")
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.PatientSex is None and "PatientAge" not in dataset
    assert dataset.StudyDate is None and "AcquisitionDate" not in dataset and dataset.StudyTime is None
    assert "TimezoneOffsetFromUTC" not in dataset


def test_what_strayed_into_an_attribute_the_table_does_not_list(x_ray: Callable[[], FileDataset]) -> None:
    """One flipped bit makes a birth date the name of a radionuclide."""
    dataset = x_ray()
    dataset.Radionuclide, dataset.SoftwareVersions, dataset.ConvolutionKernel = "19371016", "19371016", "B30f"
    dataset.PositionReferenceIndicator, dataset.ImageID = "by Quixotix", "by Quixotix"
    dataset.ProcedureCodeSequence = [Dataset()]
    dataset.ProcedureCodeSequence[0].CodeValue = "20180303"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.ScanningSequence = "QUIXOTIX^W"
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.Radionuclide == dataset.SoftwareVersions == dataset.ScanningSequence == "REMOVED"
    assert dataset.ConvolutionKernel == "B30f"
    assert dataset.ImageID.strip() == "by" and dataset.ProcedureCodeSequence[0].CodeValue == "20180303"


def test_a_class_uid_that_goes_on_is_replaced(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.1.1 Quixotix"
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert "Quixotix" not in str(dataset)


def test_a_transfer_syntax_that_is_none_is_quarantined(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    dataset.file_meta.TransferSyntaxUID = "1.2.3"
    with pytest.raises(Quarantined, match="transfer syntax"):
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)


def test_long_text_the_table_does_not_list_is_free_text(x_ray: Callable[[], FileDataset]) -> None:
    dataset, plain = x_ray(), x_ray()
    dataset.DetectorDescription = plain.DetectorDescription = "calibrated by Quixotix"
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    HeaderCleaner(Profile(), clean_text=lambda text, person: text).clean(plain, PERSON, pixels_cleaned=False)
    assert dataset.DetectorDescription.strip() == "calibrated by" and "DetectorDescription" not in plain


def test_unknown_misplaced_and_length_elements_go(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    for tag in (0x00081499, 0x00000600, 0x00080000):
        dataset.add_new(tag, "UN" if tag != 0x00080000 else "UL", b"Quixotix" if tag != 0x00080000 else 12)
    dataset.add_new(0x00081498, "LO", "something")
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert not {0x00081498, 0x00081499, 0x00000600, 0x00080000} & set(dataset.keys())


def test_names_in_attributes_the_table_does_not_list_are_cut_out(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    dataset.PatientName = "Quixotix^Wilhelmina"
    dataset.Manufacturer = "Veritek for Quixotix"
    dataset.SoftwareVersions = ["V1", "Wilhelmina Quixotix"]
    dataset.ContentDescription = "nothing here"
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.Manufacturer == "Veritek for"
    assert dataset.SoftwareVersions == ["V1", "REMOVED"]
    assert dataset.ContentDescription == "nothing here"


def test_names_in_what_an_option_keeps_are_cut_out_but_not_what_it_keeps(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    dataset.PatientName, dataset.EthnicGroup = "Quixotix^Wilhelmina", "Quixotix"
    dataset.StationName, dataset.InstitutionName = "XR1", "General Hospital"
    dataset.InstitutionalDepartmentName = "General Hospital, Dr Quixotix"
    options = {Option.PATIENT_CHARACTERISTICS, Option.DEVICE_IDENTITY, Option.INSTITUTION_IDENTITY}
    cleaner = HeaderCleaner(Profile(frozenset(options)), clean_text=lambda text, person: text)
    cleaner.clean(dataset, PERSON, pixels_cleaned=False)
    assert (dataset.EthnicGroup, dataset.StationName) == ("REMOVED", "XR1")
    assert dataset.InstitutionName == "General Hospital"
    assert dataset.InstitutionalDepartmentName == "General Hospital, Dr"


def test_uids_of_every_attribute_are_replaced_but_those_of_the_standard(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    dataset.add_new(0x00080118, "UI", "2.16.840.1.113883.6.96")  # MappingResourceUID: a code system
    dataset.add_new(0x00209056, "SH", "1")
    dataset.add_new(0x00281199, "UI", "1.2.840.10008.1.5.1")
    dataset.add_new(0x00081250, "SQ", Sequence([Dataset()]))
    dataset.RelatedSeriesSequence[0].SeriesInstanceUID = "1.2.3.4"
    dataset.ConversionSourceAttributesSequence = [Dataset()]
    dataset.ConversionSourceAttributesSequence[0].ReferencedSOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
    dataset.ConversionSourceAttributesSequence[0].ReferencedSOPInstanceUID = "1.2.3.4"
    dataset.SOPInstanceUID = "1.2.3.4"
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    new = dataset.SOPInstanceUID
    assert new != "1.2.3.4" and dataset.file_meta.MediaStorageSOPInstanceUID == new
    assert dataset.RelatedSeriesSequence[0].SeriesInstanceUID == new
    source = dataset.ConversionSourceAttributesSequence[0]
    assert (source.ReferencedSOPClassUID, source.ReferencedSOPInstanceUID) == ("1.2.840.10008.5.1.4.1.1.2", new)
    assert dataset[0x00080118].value == "2.16.840.1.113883.6.96"


def test_an_object_without_a_uid_is_quarantined(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    del dataset.file_meta.MediaStorageSOPInstanceUID
    with pytest.raises(Quarantined, match="no SOP class or instance"):
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)


def test_a_directory_of_files_is_quarantined(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    dataset.DirectoryRecordSequence = []
    with pytest.raises(Quarantined, match="directory"):
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)


@pytest.mark.parametrize("profile", [Profile(), Profile(frozenset(Option) - {Option.FULL_DATES})])
def test_pydicoms_own_files_come_out_clean_or_not_at_all(profile: Profile) -> None:
    cleaner = HeaderCleaner(profile, clean_text=lambda text, person: "cleaned")
    clean = 0
    for path in sorted(file for file in TEST_FILES.rglob("*") if file.is_file()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                dataset = open_dicom(path, pixels=True)
                name, patient = str(dataset.get("PatientName") or ""), str(dataset.get("PatientID") or "")
                cleaner.clean(dataset, PERSON, pixels_cleaned=True)
                written = _written(dataset)
            except Quarantined:
                continue
            header = written[: len(written) - len(dataset.get("PixelData") or b"")]
        clean += 1
        assert len(name) < 6 or name.encode("utf-8", "replace") not in header
        assert len(patient) < 6 or patient.encode("utf-8", "replace") not in header
    assert clean > 40


def test_prose_where_a_code_belongs_is_free_text(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.CassetteOrientation = "as Quixotix had it, by telephone"
        dataset.ScanOptions = ["HELICAL MODE", "Quixotix, W."]
        CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert "Quixotix" not in str(dataset) and dataset.ScanOptions[0] == "HELICAL MODE"


def test_prose_where_a_code_belongs_goes_where_nothing_cleans_it(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.CassetteOrientation, dataset.ScanOptions = "as somebody had it, by telephone", "HELICAL MODE"
        HeaderCleaner(Profile(), clean_text=lambda text, person: text).clean(dataset, PERSON, pixels_cleaned=False)
    assert (dataset.CassetteOrientation, dataset.ScanOptions) == ("REMOVED", "HELICAL MODE")


@pytest.mark.parametrize("tag", [0x50003000, 0x60003000])
def test_graphics_that_spell_a_name_are_quarantined(x_ray: Callable[[], FileDataset], tag: int) -> None:
    for pixels, held in ((b"nothing known here", False), (b"for Quixotix ", True)):
        dataset = x_ray()
        dataset.PatientName = "Quixotix^Wilhelmina"
        dataset.add_new(tag, "OW", pixels)
        cleaner = HeaderCleaner(Profile(frozenset({Option.CLEAN_GRAPHICS})), clean_text=lambda text, person: text)
        if held:
            with pytest.raises(Quarantined, match="among bytes"):
                cleaner.clean(dataset, PERSON, pixels_cleaned=True)
        else:
            cleaner.clean(dataset, PERSON, pixels_cleaned=True)
            assert tag in dataset


def test_what_a_hospitals_own_code_means_is_free_text(x_ray: Callable[[], FileDataset]) -> None:
    dataset = x_ray()
    own, standard = Dataset(), Dataset()
    own.CodeValue, own.CodingSchemeDesignator, own.CodeMeaning = "T1", "99ACME", "Chest as Quixotix likes it"
    standard.CodeValue, standard.CodingSchemeDesignator, standard.CodeMeaning = "T-1", "SRT", "Quixotix fracture"
    dataset.AnatomicRegionSequence = [own, standard]
    CLEANER.clean(dataset, PERSON, pixels_cleaned=False)
    assert "Quixotix" not in own.CodeMeaning and standard.CodeMeaning == "Quixotix fracture"


@pytest.mark.parametrize(
    ("said", "left"),
    [("by [OTHER ID 5]", "by [OTHER ID 5]"), ("Drum by [OTHER ID]", "Drum by"), ("[OTHER ID 123456789]", "REMOVED")],
)
def test_what_stands_for_something_else_is_not_cut_in_half(
    x_ray: Callable[[], FileDataset], said: str, left: str
) -> None:
    dataset = x_ray()
    dataset.PlateType = "Quixotix"
    HeaderCleaner(Profile.default(), clean_text=lambda text, person: said).clean(dataset, PERSON, pixels_cleaned=False)
    assert dataset.PlateType == left

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset
from pydicom.tag import Tag
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRBigEndian, ImplicitVRLittleEndian

from medveil.cohort.dicom import elements, rewrite, write
from medveil.errors import InputError, Quarantined

DATA = Path(pydicom.__file__).parent / "data"
SHIPPED = sorted(
    path
    for folder in ("test_files", "charset_files", "palettes")
    for path in (DATA / folder).rglob("*")
    if path.is_file() and path.name != "README" and path.suffix not in (".txt", ".md", ".json", ".dump", ".icc", ".gz")
)
# Cut short on purpose, or with a stray byte in front: they must be refused, not mended.
REFUSED = {"MR_truncated.dcm": "truncated", "rtplan_truncated.dcm": "truncated", "no_meta.dcm": "not a DICOM file"}
PIXELS = np.arange(64, dtype=np.uint8).reshape(8, 8)


def read(path: Path) -> pydicom.FileDataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pydicom.dcmread(path, force=True)


def test_the_package_ships_its_files():
    assert len(SHIPPED) > 170


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_file(tmp_path, path):
    out = tmp_path / "out"
    if path.name in REFUSED:
        with pytest.raises(Quarantined, match=REFUSED[path.name]):
            rewrite(path, out, {})
        return
    rewrite(path, out, {})
    assert out.read_bytes() == path.read_bytes()
    rewrite(path, out, {"PatientName": "Nobody", "PatientComments": None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = read(path), read(out)
        touched = {Tag("PatientName"), Tag("PatientComments"), Tag(0x00100000)}
        assert set(after.keys()) - touched == set(before.keys()) - touched
        for tag in set(before.keys()) - touched:
            assert raw(before, tag) == raw(after, tag)
        assert after.PatientName == "Nobody"
        assert "PatientComments" not in after
    assert after.preamble == before.preamble


def raw(dataset: Dataset, tag: int) -> object:
    """pydicom's raw bytes; sequences of undefined length it has parsed already are compared by value."""
    element = dataset.get_item(tag)
    return element.value, element.VR


def nested(make_dicom, syntax: str | None = None) -> Path:
    def edit(dataset: Dataset) -> None:
        inner = Dataset()
        inner.PatientID = "inner"
        inner.add_new(0x00091001, "UN", b"odd private bytes!")
        outer = Dataset()
        outer.StudyDescription = "keep"
        outer.OtherPatientIDsSequence = [inner, Dataset()]
        dataset.RequestAttributesSequence = [Dataset(), outer]
        dataset["RequestAttributesSequence"].is_undefined_length = True
        dataset.add_new(0x00090010, "LO", "ACME")
        dataset.add_new(0x00091002, "UN", b"\x01\x02\x03\x04")
        if syntax:
            dataset.file_meta.TransferSyntaxUID = syntax

    return make_dicom(PIXELS, edit=edit)


@pytest.mark.parametrize("syntax", [None, ImplicitVRLittleEndian, ExplicitVRBigEndian, DeflatedExplicitVRLittleEndian])
def test_changes_inside_sequences(tmp_path, make_dicom, syntax):
    path = nested(make_dicom, syntax)
    place = ("RequestAttributesSequence", 1, "OtherPatientIDsSequence", 0)
    rewrite(path, tmp_path / "out", {(*place, "PatientID"): "a longer identifier", (*place, 0x00091001): None})
    before, after = read(path), read(tmp_path / "out")
    item = after.RequestAttributesSequence[1].OtherPatientIDsSequence[0]
    assert item.PatientID == "a longer identifier"
    assert 0x00091001 not in item
    # Undoing the change in pydicom's view gives the original back.
    original = before.RequestAttributesSequence[1].OtherPatientIDsSequence[0]
    original.PatientID = "a longer identifier"
    del original[0x00091001]
    assert after == before


def test_additions_go_where_they_belong(tmp_path, make_dicom):
    rewrite(make_dicom(PIXELS), tmp_path / "out", {"PatientIdentityRemoved": "YES", "AccessionNumber": "A1"})
    tags = list(read(tmp_path / "out").keys())
    assert tags == sorted(tags)
    assert read(tmp_path / "out").PatientIdentityRemoved == "YES"


def test_file_meta_follows(tmp_path, make_dicom):
    rewrite(
        make_dicom(PIXELS),
        tmp_path / "out",
        {"MediaStorageSOPInstanceUID": "1.2.3", "SOPInstanceUID": "1.2.3", 0x00020016: "MEDVEIL"},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = pydicom.dcmread(tmp_path / "out")
    assert after.file_meta.MediaStorageSOPInstanceUID == after.SOPInstanceUID == "1.2.3"
    meta = elements.Layout.of((tmp_path / "out").read_bytes())
    assert after.file_meta.FileMetaInformationGroupLength == len(meta.front) - meta.meta_at - 12


def test_text_is_encoded_in_the_files_character_set(tmp_path, make_dicom):
    path = make_dicom(PIXELS, SpecificCharacterSet="ISO_IR 192")
    rewrite(path, tmp_path / "out", {"PatientName": "山田^太郎"})
    assert read(tmp_path / "out").PatientName == "山田^太郎"
    latin = make_dicom(PIXELS, SpecificCharacterSet="ISO_IR 100", name="latin")
    with pytest.raises(Quarantined, match="attribute cannot be rewritten"):
        rewrite(latin, tmp_path / "other", {"PatientName": "山田^太郎"})
    assert not (tmp_path / "other").exists()


def test_pixels_can_be_replaced(tmp_path, make_dicom):
    path = make_dicom(PIXELS)
    rewrite(path, tmp_path / "out", {"PixelData": bytes(64)})
    after = read(tmp_path / "out")
    assert after.pixel_array.max() == 0
    del after.PixelData
    before = read(path)
    del before.PixelData
    assert after == before


@pytest.mark.parametrize(
    "place",
    [("OtherPatientIDsSequence", 0, "PatientID"), ("RequestAttributesSequence", 9, "PatientID")],
)
def test_changes_that_cannot_be_made_are_refused(tmp_path, make_dicom, place):
    with pytest.raises(Quarantined, match="attribute cannot be rewritten"):
        rewrite(nested(make_dicom), tmp_path / "out", {place: "X"})
    assert list(tmp_path.glob("*out*")) == []


def test_a_path_must_end_at_an_attribute(tmp_path, make_dicom):
    with pytest.raises(InputError):
        rewrite(make_dicom(PIXELS), tmp_path / "out", {("RequestAttributesSequence", 0): None})


def test_the_check_after_writing_catches_a_wrong_byte(tmp_path, make_dicom, monkeypatch):
    path = make_dicom(PIXELS, InstitutionName="St. Elsewhere")
    assemble = write._assemble
    monkeypatch.setattr(write, "_assemble", lambda *args: assemble(*args).replace(b"Elsewhere", b"Anywhere!"))
    with pytest.raises(Quarantined, match="rewriting changed other attributes"):
        rewrite(path, tmp_path / "out", {"PatientID": "X"})
    assert not (tmp_path / "out").exists()


def test_overwriting_the_source(make_dicom):
    path = make_dicom(PIXELS)
    rewrite(path, path, {"PatientID": "new"})
    assert read(path).PatientID == "new"

"""Damaged and hostile DICOM: only `Quarantined` may come out, quickly, without a warning."""

from __future__ import annotations

import io
import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from pydicom.dataset import Dataset
from pydicom.encaps import encapsulate
from pydicom.uid import DeflatedExplicitVRLittleEndian, JPEG2000Lossless, JPEGBaseline8Bit, RLELossless

from medveil.cohort.dicom import elements, read_metadata, read_pixels, rewrite
from medveil.errors import Quarantined

SMALL = (np.arange(1024) % 251).astype(np.uint8).reshape(32, 32)


def compressed(stream: bytes, syntax: str):
    def edit(dataset: Dataset) -> None:
        dataset.file_meta.TransferSyntaxUID = syntax
        dataset.PixelData = encapsulate([stream])
        dataset["PixelData"].is_undefined_length = True

    return edit


@pytest.mark.parametrize(
    "size", [{"Rows": 65535, "Columns": 65535}, {"NumberOfFrames": 2_000_000_000}], ids=["pixels", "frames"]
)
def test_declared_bombs_are_refused(make_dicom, size):
    with pytest.raises(Quarantined, match="too large"):
        read_pixels(make_dicom(SMALL, **size))


def test_a_stream_larger_than_its_header_is_refused_before_decoding(make_dicom):
    picture = io.BytesIO()
    Image.fromarray(SMALL).save(picture, "JPEG")
    stream = bytearray(picture.getvalue())
    at = stream.index(b"\xff\xc0")
    stream[at + 5 : at + 9] = struct.pack(">HH", 65000, 65000)
    with pytest.raises(Quarantined, match="unreadable pixel data"):
        read_pixels(make_dicom(SMALL, edit=compressed(bytes(stream), JPEGBaseline8Bit)))


def test_a_deflate_bomb_is_refused(tmp_path, make_dicom, monkeypatch):
    monkeypatch.setattr(elements, "MAX_INFLATED_BYTES", 1 << 20)

    def edit(dataset: Dataset) -> None:
        dataset.file_meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian

    path = make_dicom(SMALL, edit=edit)
    assert (read_pixels(path) == SMALL).all()
    whole = path.read_bytes()
    begin = len(elements.Layout.of(whole).front)
    packer = zlib.compressobj(wbits=-15)
    path.write_bytes(whole[:begin] + packer.compress(bytes(5 << 20)) + packer.flush())
    for read in (read_pixels, read_metadata):
        with pytest.raises(Quarantined, match="too large"):
            read(path)


@pytest.mark.parametrize("rows", [0, None])
def test_images_without_size(make_dicom, rows):
    path = make_dicom(SMALL, Rows=rows) if rows is not None else make_dicom(SMALL, edit=lambda d: d.pop("Rows"))
    with pytest.raises(Quarantined):
        read_pixels(path)


def test_no_transfer_syntax_we_know(make_dicom):
    path = make_dicom(SMALL, edit=compressed(b"xx", "1.2.840.10008.1.2.4.102"))
    with pytest.raises(Quarantined):
        read_pixels(path)


def test_deeply_nested_sequences(tmp_path, make_dicom):
    whole = make_dicom(SMALL).read_bytes()
    begin = len(elements.Layout.of(whole).front)
    nested = b"\x08\x00\x40\x11SQ\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff" * 20_000
    (tmp_path / "deep").write_bytes(whole[:begin] + nested)
    for read in (read_pixels, read_metadata, lambda path: rewrite(path, tmp_path / "out", {"PatientID": None})):
        with pytest.raises(Quarantined):
            read(tmp_path / "deep")
    assert not (tmp_path / "out").exists()


def test_other_files_and_empty_files(tmp_path):
    (tmp_path / "text").write_text("just a note " * 50)
    (tmp_path / "chance").write_bytes(b"\x08\x00" + bytes(range(256)) * 4)
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, reason in {
        "text": "not a DICOM file",
        "chance": "not a DICOM file|damaged DICOM file",
        "empty": "empty file",
        "pipe": "not a regular file",
        "nothing": "missing file",
    }.items():
        with pytest.raises(Quarantined, match=reason):
            read_metadata(tmp_path / name)


@pytest.mark.parametrize("syntax", ["native", RLELossless, JPEG2000Lossless, "jpeg"])
def test_truncated_at_any_place(tmp_path, make_dicom, syntax):
    def edit(dataset: Dataset) -> None:
        if syntax == "jpeg":
            picture = io.BytesIO()
            Image.fromarray(SMALL).save(picture, "JPEG")
            compressed(picture.getvalue(), JPEGBaseline8Bit)(dataset)
        elif syntax != "native":
            dataset.compress(syntax, generate_instance_uid=False)

    whole = make_dicom(SMALL, edit=edit).read_bytes()
    for length in range(1, len(whole) - 20, 13):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(Quarantined):
            read_pixels(tmp_path / "cut")


@pytest.mark.parametrize("syntax", ["native", RLELossless, JPEG2000Lossless, "jpeg"])
def test_flipped_bytes(tmp_path, make_dicom, syntax):
    def edit(dataset: Dataset) -> None:
        dataset.WindowCenter, dataset.WindowWidth = 30, 50
        dataset.SpecificCharacterSet = "ISO_IR 100"
        dataset.PatientAge, dataset.StudyDate = "045Y", "20200101"
        if syntax == "jpeg":
            picture = io.BytesIO()
            Image.fromarray(SMALL).save(picture, "JPEG")
            compressed(picture.getvalue(), JPEGBaseline8Bit)(dataset)
        elif syntax != "native":
            dataset.compress(syntax, generate_instance_uid=False)

    whole = make_dicom(SMALL, edit=edit).read_bytes()
    random = np.random.default_rng(5)
    outcomes = set()
    for _ in range(150):
        damaged = bytearray(whole)
        for at in random.integers(132, len(whole), size=random.integers(1, 6)):
            damaged[at] = random.integers(256)
        (tmp_path / "damaged").write_bytes(damaged)
        for read in (read_pixels, read_metadata, lambda path: rewrite(path, tmp_path / "out", {"PatientID": "X"})):
            try:
                read(tmp_path / "damaged")
                outcomes.add("read")
            except Quarantined:
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}

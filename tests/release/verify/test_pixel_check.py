from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage

from medveil.cohort.dicom.read import read_pixels
from medveil.release.verify import pixel_check
from medveil.release.verify.group_check import _colours
from medveil.release.verify.pixel_check import Read, Reader, is_of, read_by, stray_text


def film(text: str, *, turned: bool = False, bits: int = 8) -> NDArray[np.unsignedinteger]:
    rng = np.random.default_rng(3)
    image = cv2.GaussianBlur(rng.normal(90, 30, (400, 400)), (0, 0), 9).clip(0, 255).astype(np.uint8)
    cv2.putText(image, text, (60, 200), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 250, 2, cv2.LINE_AA)
    if turned:
        image = np.ascontiguousarray(np.rot90(image))
    return image if bits == 8 else (image.astype(np.uint16) << 4)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("bits", [8, 12])
def test_a_name_is_read_where_it_stands(reader: Reader, turned: bool, bits: int) -> None:
    found = stray_text(reader.read(film("VANDERMEER A", turned=turned, bits=bits)))
    assert found
    left, top, right, bottom = found[0].box
    middle = ((left + right) / 2, (top + bottom) / 2)
    expected = (192, 245) if turned else (155, 192)
    assert abs(middle[0] - expected[0]) < 60 and abs(middle[1] - expected[1]) < 60


def test_the_detection_that_runs_is_the_compiled_one(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    # the session is a private attribute of rapidocr: should it move, this fails
    detector = reader._engine.text_det
    asked: list[tuple[int, ...]] = []
    compiled = detector.session
    monkeypatch.setattr(detector, "session", lambda values: asked.append(values.shape) or compiled(values))
    assert compiled.__module__ == "medveil.runtime.compiled"
    assert reader.read(film("VANDERMEER A"))
    assert asked


def test_a_film_without_text_reads_as_nothing(reader: Reader) -> None:
    assert not stray_text(reader.read(film("")))


@pytest.mark.parametrize("text", ["L", "R", "PORTABLE", "AP ERECT", "110 KV", "AP SUPINE", "85kV", "国", "APSUPINE"])
def test_markers_and_specks_may_stay(text: str) -> None:
    assert not stray_text([Read(text, (0, 0, 9, 9), 0.9)])


@pytest.mark.parametrize("text", ["DOE", "L DOE", "12345", "AP 1953", "TECH OL 85 KV", "LM", "2018", "APDOE", "LAP"])
def test_anything_else_may_not(text: str) -> None:
    assert stray_text([Read(text, (0, 0, 9, 9), 0.9)])


def test_a_short_text_must_be_read_with_certainty() -> None:
    assert not stray_text([Read("0000", (0, 0, 9, 9), 0.84)])
    assert stray_text([Read("0001", (0, 0, 9, 9), 0.95)])
    assert stray_text([Read("VANDERMEER", (0, 0, 9, 9), 0.65)])


@pytest.mark.parametrize("text", ["00", "0-0", "OO", "0000"])
def test_rings_in_a_row_are_wires(text: str) -> None:
    assert not stray_text([Read(text, (0, 0, 9, 9), 0.99)])


@pytest.mark.parametrize("text", ["0-01", "OTTO", "0008", "DOO"])
def test_what_is_not_rings_alone_is_not(text: str) -> None:
    assert stray_text([Read(text, (0, 0, 9, 9), 0.99)])


def test_text_that_differs_in_colour_alone_is_read(reader: Reader, tmp_path: Path) -> None:
    ink = np.zeros((300, 480), np.uint8)
    cv2.putText(ink, "QUILLFEATHER", (40, 150), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 2)
    dataset = FileDataset(tmp_path / "a.dcm", {}, file_meta=FileMetaDataset(), preamble=b"\0" * 128)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID = SecondaryCaptureImageStorage
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID = "1.2.3"
    dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = 300, 480, 3
    dataset.PhotometricInterpretation, dataset.PlanarConfiguration = "RGB", 0
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.PixelData = np.where((ink > 0)[..., None], (177, 0, 0), (0, 90, 0)).astype(np.uint8).tobytes()
    dataset.save_as(tmp_path / "a.dcm", enforce_file_format=True)
    assert stray_text(reader.read(read_pixels(tmp_path / "a.dcm"))) == []
    planes = _colours(tmp_path / "a.dcm", dataset)(0)
    assert any(stray_text(reader.read(plane)) for plane in planes)


@pytest.mark.parametrize("text", ["800000", "0080-00"])
def test_twisted_rings_in_a_row_are_wires_unless_they_are_read_with_certainty(text: str) -> None:
    assert not stray_text([Read(text, (0, 0, 9, 9), 0.74)])
    assert stray_text([Read(text, (0, 0, 9, 9), 0.95)])


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((100, 100, 200, 120), True),  # the region itself
        ((110, 104, 150, 116), True),  # a word of it
        ((95, 85, 205, 138), True),  # drawn too high
        ((100, 121, 200, 141), False),  # the line below
        ((100, 100, 330, 120), False),  # with what stands beside it
        ((60, 40, 260, 180), False),  # half of the film
    ],
)
def test_what_was_read_is_known_by_its_place(box: tuple[int, int, int, int], expected: bool) -> None:
    assert is_of(box, (100, 100, 200, 120)) is expected


def test_a_reader_that_the_cleaner_does_not_use_reads_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, the page says whose eyes are shared."""
    (tmp_path / "rapidocr_onnxruntime" / "models").mkdir(parents=True)
    (tmp_path / "rapidocr_onnxruntime" / "__init__.py").write_text("raise ImportError('only its networks are used')")
    model = tmp_path / "rapidocr_onnxruntime" / "models" / "ch_PP-OCRv4_rec_infer.onnx"
    model.touch()
    with monkeypatch.context() as absent:
        absent.setattr(pixel_check, "find_spec", lambda name: None)
        pixel_check.stranger.cache_clear()
        assert pixel_check._strangers() == {} and "the cleaner's second reader" in read_by()
    monkeypatch.syspath_prepend(tmp_path)
    pixel_check.stranger.cache_clear()
    try:
        assert pixel_check.stranger() == model and "have no part in removing text" in read_by()
        assert pixel_check._strangers()["Rec.model_path"] == str(model)
    finally:
        pixel_check.stranger.cache_clear()


def test_a_line_that_is_more_surely_a_marker_is_no_stray_text() -> None:
    there, beside = (20, 18, 65, 30), (21, 40, 64, 52)
    misread, marker = Read("PORTAILE", there, 0.93), Read("PORTABLE", (21, 19, 64, 31), 0.99)
    assert not stray_text([misread, marker])
    assert stray_text([misread, Read("PORTABLE", beside, 0.99)])  # another line
    assert stray_text([misread, Read("PORTABLE", there, 0.92)])  # less sure
    assert stray_text([misread, Read("PORTER J", there, 0.99)])  # no marker
    assert stray_text([Read("PORTABLE MEYER", (20, 20, 95, 30), 0.93), marker])  # a name beside it
    assert stray_text([Read("RI", there, 0.93), Read("RT", there, 0.99)])  # initials are not a side for that

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset, FileDataset
from pydicom.encaps import encapsulate, get_frame
from pydicom.uid import (
    UID,
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    RLELossless,
)

from medveil.cohort.dicom.opening import open_dicom
from medveil.cohort.dicom.read import read_pixels
from medveil.cohort.dicom.stored_pixels import StoredPixels, blank_comments, drop_overlays
from medveil.cohort.dicom.stream_comments import CannotTell, rle_without_rest
from medveil.errors import Quarantined

TWELVE = np.random.default_rng(1).integers(0, 4096, (37, 33), dtype=np.uint16)


def stored(dataset: FileDataset) -> StoredPixels:
    found = StoredPixels.of(dataset)
    assert found is not None
    return found


def twelve_bits(dataset: Dataset) -> None:
    dataset.BitsStored, dataset.HighBit = 12, 11


def again(dataset: FileDataset) -> FileDataset:
    """Written and read by pydicom."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.save_as(buffer)
        return pydicom.dcmread(io.BytesIO(buffer.getvalue()), force=True)


NATIVE = (ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian, DeflatedExplicitVRLittleEndian)


@pytest.mark.parametrize("syntax", [*NATIVE, RLELossless, JPEG2000Lossless])
def test_one_changed_pixel_is_the_only_one_that_changes(make_dicom, syntax):
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        if syntax in (RLELossless, JPEG2000Lossless):
            dataset.compress(syntax, generate_instance_uid=False)
        else:
            dataset.file_meta.TransferSyntaxUID = syntax
        if syntax == ExplicitVRBigEndian:
            dataset.PixelData = TWELVE.byteswap().tobytes()

    dataset = open_dicom(make_dicom(TWELVE, edit=edit), pixels=True)
    pixels = stored(dataset)
    assert not pixels.dirty
    assert (pixels.frames[0] == TWELVE).all()
    pixels.frames[0][3, 5] = 7
    pixels.put_back()
    back = again(dataset)
    assert not back.file_meta.TransferSyntaxUID.is_encapsulated
    expected = TWELVE.copy()
    expected[3, 5] = 7
    assert (back.pixel_array == expected).all()


def test_every_readable_file_of_pydicom_survives_the_round_trip(shipped: Path):
    seen = 0
    for path in sorted(shipped.glob("*.dcm")):
        try:
            dataset = open_dicom(path, pixels=True)
            pixels = StoredPixels.of(dataset)
            if pixels is None:
                continue
            shown = [pixels.displayed(k) for k in range(len(pixels.frames))]
        except Quarantined:
            continue
        before = [frame.copy() for frame in pixels.frames]
        if not pixels.kind.startswith("YBR"):  # luma as stored, not as computed from RGB
            assert (shown[0] == read_pixels(path)).all(), path.name
        pixels.put_back()
        for tag in list(dataset.keys()):  # some of these files have other elements that cannot be written
            if tag.group not in (0x0028, 0x7FE0):
                del dataset[tag]
        list(dataset)  # converts them: pydicom copies raw ones even where the file contradicts its syntax
        back = stored(again(dataset))
        assert all((a == b).all() for a, b in zip(before, back.frames, strict=True)), path.name
        assert all((a == back.displayed(k)).all() for k, a in enumerate(shown)), path.name
        seen += 1
    assert seen > 40


def test_bits_above_the_stored_ones_are_cleared(make_dicom):
    hidden = TWELVE | np.uint16(0x4000)
    dataset = open_dicom(make_dicom(hidden, edit=twelve_bits), pixels=True)
    pixels = stored(dataset)
    assert pixels.dirty
    assert (pixels.frames[0] == TWELVE).all()
    pixels.put_back()
    assert np.frombuffer(dataset.PixelData, "<u2")[: TWELVE.size].max() < 4096


def test_negative_values_keep_their_sign(make_dicom):
    values = np.array([[-2048, -1], [0, 2047]], np.int16)
    dataset = open_dicom(make_dicom(values, edit=twelve_bits), pixels=True)
    pixels = stored(dataset)
    assert not pixels.dirty
    assert (pixels.frames[0] == values).all()
    raw = values.view(np.uint16) & 0x0FFF  # sign bits left out, as some modalities do
    dataset.PixelData = raw.tobytes()
    pixels = stored(dataset)
    assert (pixels.frames[0] == values).all()


def test_a_high_bit_out_of_place_is_moved_down(make_dicom):
    def edit(dataset: Dataset) -> None:
        dataset.BitsStored, dataset.HighBit = 12, 15

    dataset = open_dicom(make_dicom(TWELVE << 4, edit=edit), pixels=True)
    pixels = stored(dataset)
    assert (pixels.frames[0] == TWELVE).all()
    pixels.put_back()
    assert dataset.HighBit == 11


def test_bytes_after_the_last_frame_do_not_come_along(make_dicom):
    dataset = open_dicom(make_dicom(TWELVE), pixels=True)
    dataset.PixelData = dataset.PixelData + b"DOE^JANE"
    pixels = stored(dataset)
    assert pixels.dirty
    pixels.put_back()
    assert b"DOE" not in dataset.PixelData


def test_several_frames_and_colour(make_dicom):
    frames = np.random.default_rng(2).integers(0, 256, (3, 8, 10), dtype=np.uint8)
    dataset = open_dicom(make_dicom(frames[0]), pixels=True)
    dataset.NumberOfFrames = 3
    dataset.PixelData = frames.tobytes()
    pixels = stored(dataset)
    assert len(pixels.frames) == 3
    pixels.frames[2] = 255 - pixels.frames[2]
    pixels.put_back()
    assert (again(dataset).pixel_array[2] == 255 - frames[2]).all()
    colour = np.random.default_rng(3).integers(0, 256, (8, 10, 3), dtype=np.uint8)
    dataset = open_dicom(make_dicom(colour), pixels=True)
    dataset.PlanarConfiguration = 1
    dataset.PixelData = np.ascontiguousarray(colour.transpose(2, 0, 1)).tobytes()
    pixels = stored(dataset)
    assert (pixels.frames[0] == colour).all()
    pixels.put_back()
    assert (again(dataset).pixel_array == colour).all()


def test_overlay_groups_are_dropped(make_dicom):
    def edit(dataset: Dataset) -> None:
        for group in (0x6000, 0x6002):
            dataset.add_new((group, 0x0010), "US", 8)
            dataset.add_new((group, 0x0022), "LO", "DOE")
            dataset.add_new((group, 0x3000), "OW", b"\0" * 8)

    dataset = open_dicom(make_dicom(TWELVE, edit=edit), pixels=True)
    assert drop_overlays(dataset) == 2
    assert not [element for element in dataset if 0x6000 <= element.tag.group <= 0x60FF]


def test_without_pixels_there_is_nothing_and_floats_are_refused(make_dicom):
    dataset = open_dicom(make_dicom(TWELVE), pixels=True)
    del dataset.PixelData
    assert StoredPixels.of(dataset) is None
    dataset.FloatPixelData = b"\0" * 16
    with pytest.raises(Quarantined, match="unsupported"):
        StoredPixels.of(dataset)


def jpeg_with(comment: bytes) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray((TWELVE >> 4).astype(np.uint8)).save(buffer, "JPEG", comment=comment, exif=b"Exif\0\0" + comment)
    return buffer.getvalue() + comment


def test_comments_in_a_compressed_stream_are_blanked_and_the_image_stays(make_dicom):
    name = b"DOE^JANE 884312 "

    def edit(dataset: Dataset) -> None:
        dataset.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.4.50"
        dataset.PixelData = encapsulate([jpeg_with(name)])
        dataset["PixelData"].is_undefined_length = True

    dataset = open_dicom(make_dicom((TWELVE >> 4).astype(np.uint8), edit=edit), pixels=True)
    before = stored(dataset).frames[0].copy()
    assert dataset.PixelData.count(name.strip()) == 3
    blank_comments(dataset)
    assert name.strip() not in dataset.PixelData
    assert (stored(dataset).frames[0] == before).all()


def test_comments_in_jpeg_2000_are_blanked(make_dicom):
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        dataset.compress(JPEG2000Lossless, generate_instance_uid=False)

    dataset = open_dicom(make_dicom(TWELVE, edit=edit), pixels=True)
    assert b"OpenJPEG" in dataset.PixelData
    blank_comments(dataset)
    assert b"OpenJPEG" not in dataset.PixelData
    assert (stored(dataset).frames[0] == TWELVE).all()


WORDS = b"DOE^JANE 884312 "
GRAY = (TWELVE >> 4).astype(np.uint8)


def compressed(make_dicom, syntax: str, items: list[bytes], **table: bool) -> FileDataset:
    def edit(dataset: Dataset) -> None:
        dataset.file_meta.TransferSyntaxUID = syntax
        dataset.PixelData = encapsulate(items, **table)
        dataset["PixelData"].is_undefined_length = True

    return open_dicom(make_dicom(GRAY, edit=edit), pixels=True)


def run_lengths(make_dicom) -> bytes:
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        dataset.compress(RLELossless, generate_instance_uid=False)

    return get_frame(open_dicom(make_dicom(TWELVE, edit=edit), pixels=True).PixelData, 0, number_of_frames=1)


def test_words_after_the_runs_and_between_their_segments_are_blanked(make_dicom):
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        dataset.file_meta.TransferSyntaxUID = RLELossless
        second = int.from_bytes(stream[8:12], "little")
        moved = stream[:8] + (second + len(WORDS)).to_bytes(4, "little") + stream[12:second] + WORDS + stream[second:]
        dataset.PixelData = encapsulate([moved[:20] + WORDS + moved[36:] + WORDS])
        dataset["PixelData"].is_undefined_length = True

    stream = run_lengths(make_dicom)
    dataset = open_dicom(make_dicom(TWELVE, edit=edit), pixels=True)
    assert dataset.PixelData.count(WORDS) == 3
    blank_comments(dataset)
    assert WORDS not in dataset.PixelData
    assert (stored(dataset).frames[0] == TWELVE).all()


@pytest.mark.parametrize("damage", [b"\0\0\0\0", b"\x10\0\0\0"])
def test_runs_with_a_wrong_header_cannot_be_told(make_dicom, damage):
    with pytest.raises(CannotTell):
        rle_without_rest(damage + run_lengths(make_dicom)[4:], TWELVE.size)


def test_runs_that_end_early_cannot_be_told(make_dicom):
    with pytest.raises(CannotTell):
        rle_without_rest(run_lengths(make_dicom)[:-8], TWELVE.size)


@pytest.mark.parametrize("marker", [0xF0, 0xC8, 0x02])
def test_segments_nobody_can_explain_cannot_be_told(make_dicom, marker):
    whole = jpeg_with(b"")
    strange = whole[:2] + bytes([0xFF, marker, 0, 2 + len(WORDS)]) + WORDS + whole[2:]
    with pytest.raises(CannotTell):
        blank_comments(compressed(make_dicom, "1.2.840.10008.1.2.4.50", [strange]))


def test_a_colour_transform_keeps_no_words(make_dicom):
    whole = jpeg_with(b"")
    words = b"mrfx\1" + WORDS
    dataset = compressed(
        make_dicom, "1.2.840.10008.1.2.4.50", [whole[:2] + bytes([0xFF, 0xE8, 0, 2 + len(words)]) + words + whole[2:]]
    )
    blank_comments(dataset)
    assert b"mrfx\1" in dataset.PixelData and WORDS not in dataset.PixelData


def test_a_frame_that_nobody_is_shown_cannot_be_told(make_dicom):
    """One frame is promised, and two are there: what the second shows was never looked at."""
    dataset = compressed(make_dicom, "1.2.840.10008.1.2.4.50", [jpeg_with(b""), jpeg_with(b"")], has_bot=False)
    with pytest.raises(CannotTell):
        blank_comments(dataset)


def test_an_offset_table_of_words_cannot_be_told(make_dicom):
    dataset = compressed(make_dicom, "1.2.840.10008.1.2.4.50", [jpeg_with(b"")])
    blank_comments(dataset)
    assert dataset.PixelData[8:12] == bytes(4)
    dataset["PixelData"].value = dataset.PixelData[:8] + b"JANE" + dataset.PixelData[12:]
    with pytest.raises(CannotTell):
        blank_comments(dataset)


@pytest.mark.parametrize("kind", ["MONOCHROME2", "MONOCHROME1"])
def test_doses_of_32_bits_are_read_shown_and_put_back(make_dicom, kind):
    doses = TWELVE.astype(np.uint32) * 100_000

    def edit(dataset: Dataset) -> None:
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 32, 32, 31
        dataset.PixelData, dataset.PhotometricInterpretation = doses.tobytes(), kind

    path = make_dicom(TWELVE, edit=edit)
    dataset = open_dicom(path, pixels=True)
    found = stored(dataset)
    shown = found.displayed(0)
    assert shown.dtype == np.uint16 and {int(shown.min()), int(shown.max())} == {0, 65535}
    assert (np.argmax(doses) == (np.argmax if kind == "MONOCHROME2" else np.argmin)(shown)).all()
    assert np.array_equal(read_pixels(path), shown)
    found.frames[0] = found.frames[0].copy()
    found.frames[0][3, 4] += 1
    found.put_back()
    doses[3, 4] += 1
    assert np.array_equal(again(dataset).pixel_array, doses)


@pytest.mark.parametrize(
    ("syntax", "reason"),
    [
        ("1.2.840.10008.1.2.4.102", "a document or recording inside"),  # MPEG-4
        ("1.2.840.10008.1.2.4.107", "a document or recording inside"),  # HEVC
        ("1.2.840.10008.1.2.6.1", "unsupported transfer syntax"),
        ("1.2.3.4", "unsupported transfer syntax"),
    ],
)
def test_videos_and_unknown_syntaxes_are_refused_for_what_they_are(make_dicom, syntax, reason):
    dataset = open_dicom(make_dicom(np.zeros((8, 10), np.uint8)), pixels=True)
    dataset.NumberOfFrames = 30
    dataset.file_meta.TransferSyntaxUID = UID(syntax)
    dataset.PixelData = encapsulate([b"\0\0\0 ftypisom"])
    with pytest.raises(Quarantined) as refused:
        StoredPixels.of(dataset)
    assert refused.value.reason == reason

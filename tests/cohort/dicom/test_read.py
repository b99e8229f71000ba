from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image
from pydicom.dataset import Dataset
from pydicom.encaps import encapsulate
from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi_lut
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    RLELossless,
)

from medveil.cohort.dicom import read_pixels
from medveil.errors import Quarantined

TWELVE = np.random.default_rng(1).integers(0, 4096, (37, 33), dtype=np.uint16)


def twelve_bits(dataset: Dataset) -> None:
    dataset.BitsStored, dataset.HighBit = 12, 11


def full_range(values: np.ndarray, top: int) -> np.ndarray:
    return np.rint(values / top * 65535).astype(np.uint16)


@pytest.mark.parametrize("syntax", [RLELossless, JPEG2000Lossless, DeflatedExplicitVRLittleEndian])
def test_lossless_syntaxes_give_the_same_pixels(make_dicom, syntax):
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        if syntax == DeflatedExplicitVRLittleEndian:
            dataset.file_meta.TransferSyntaxUID = syntax
        else:
            dataset.compress(syntax, generate_instance_uid=False)

    assert (read_pixels(make_dicom(TWELVE, edit=edit)) == full_range(TWELVE, 4095)).all()


@pytest.mark.parametrize("syntax", [ImplicitVRLittleEndian, ExplicitVRBigEndian])
def test_native_syntaxes_give_the_same_pixels(tmp_path, make_dicom, syntax):
    def edit(dataset: Dataset) -> None:
        twelve_bits(dataset)
        dataset.file_meta.TransferSyntaxUID = syntax
        if syntax == ExplicitVRBigEndian:
            dataset.PixelData = TWELVE.byteswap().tobytes()

    assert (read_pixels(make_dicom(TWELVE, edit=edit)) == full_range(TWELVE, 4095)).all()


def as_pydicom_shows(path: Path) -> np.ndarray:
    """An independent way to the same picture: pydicom's own pipeline on the pixels themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = pydicom.dcmread(path)
        values = apply_modality_lut(dataset.pixel_array, dataset)
        shown = apply_voi_lut(values, dataset).astype(float)
    signed = dataset.PixelRepresentation
    low = -(2 ** (dataset.BitsStored - 1)) if signed else 0
    high = low + 2**dataset.BitsStored - 1
    slope, intercept = float(dataset.get("RescaleSlope", 1)), float(dataset.get("RescaleIntercept", 0))
    low, high = low * slope + intercept, high * slope + intercept
    shown = (shown - low) / (high - low)
    return 1 - shown if dataset.PhotometricInterpretation == "MONOCHROME1" else shown


@pytest.mark.parametrize(
    "name",
    [
        "MR_small.dcm",
        "MR_small_RLE.dcm",
        "MR_small_bigendian.dcm",
        "MR_small_implicit.dcm",
        "MR_small_jp2klossless.dcm",
        "MR_small_jpeg_ls_lossless.dcm",
        "CT_small.dcm",
        "693_J2KI.dcm",
        "JPEG2000.dcm",
        "JPGExtended.dcm",
        "JPEGLSNearLossless_08.dcm",
        "JPEGLSNearLossless_16.dcm",
        "J2K_pixelrep_mismatch.dcm",
        "image_dfl.dcm",
        "examples_overlay.dcm",
    ],
)
def test_shipped_files_look_as_in_pydicom(shipped, name):
    pixels = read_pixels(shipped / name)
    expected = as_pydicom_shows(shipped / name)
    assert np.abs(pixels / np.iinfo(pixels.dtype).max - expected).max() < 1 / np.iinfo(pixels.dtype).max


def test_lossless_jpeg_of_a_colour_image(shipped):
    """JPEG lossless against the same picture uncompressed."""
    lossless = read_pixels(shipped / "SC_rgb_jpeg_gdcm.dcm")
    plain = read_pixels(shipped / "SC_rgb_rle.dcm")
    assert (lossless == plain).all()
    assert len(np.unique(plain)) > 5


@pytest.mark.parametrize(
    "name", ["SC_rgb_dcmtk_+eb+cr.dcm", "SC_ybr_full_422_uncompressed.dcm", "SC_rgb_rle_16bit.dcm"]
)
def test_colour_becomes_luminance(shipped, name):
    rgb = pydicom.dcmread(shipped / name).pixel_array.astype(float)
    expected = 0.299 * rgb[..., 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]
    assert np.abs(read_pixels(shipped / name) - expected).max() <= 0.5 + 1e-9


def test_palette_becomes_luminance(shipped):
    path = shipped / "examples_palette.dcm"
    dataset = pydicom.dcmread(path)
    rgb = apply_color_lut(dataset.pixel_array, dataset).astype(float)
    assert np.abs(read_pixels(path) - rgb @ [0.299, 0.587, 0.114]).max() <= 0.5 + 1e-9


def test_baseline_jpeg_matches_pillow(make_dicom):
    ramp = np.tile(np.arange(0, 256, 4, dtype=np.uint8), (64, 1))
    file = io.BytesIO()
    Image.fromarray(ramp).save(file, "JPEG", quality=95)

    def edit(dataset: Dataset) -> None:
        dataset.file_meta.TransferSyntaxUID = JPEGBaseline8Bit
        dataset.PixelData = encapsulate([file.getvalue()])
        dataset["PixelData"].is_undefined_length = True

    pixels = read_pixels(make_dicom(ramp, edit=edit))
    assert np.abs(pixels.astype(int) - np.asarray(Image.open(file))).max() <= 2


def test_monochrome1_is_inverted_with_and_without_window(make_dicom):
    plain = read_pixels(make_dicom(TWELVE, edit=twelve_bits))
    inverted = read_pixels(make_dicom(TWELVE, edit=twelve_bits, PhotometricInterpretation="MONOCHROME1"))
    assert (inverted == 65535 - plain).all()
    window = {"WindowCenter": 2000, "WindowWidth": 1000}
    narrow = read_pixels(make_dicom(TWELVE, edit=twelve_bits, **window))
    other = read_pixels(make_dicom(TWELVE, edit=twelve_bits, PhotometricInterpretation="MONOCHROME1", **window))
    assert np.abs(other.astype(int) - (65535 - narrow.astype(int))).max() <= 1
    assert narrow[TWELVE < 1400].max() == 0
    assert other[TWELVE < 1400].min() == 65535


def test_signed_pixels_with_rescale(make_dicom):
    values = np.array([[-2048, -1, 0, 2047]], dtype=np.int16)
    path = make_dicom(values, edit=twelve_bits, RescaleSlope=2, RescaleIntercept=10)
    assert read_pixels(path).tolist() == [[0, round(2047 / 4095 * 65535), round(2048 / 4095 * 65535), 65535]]


def test_negative_slope_turns_the_picture(make_dicom):
    values = np.array([[0, 255]], dtype=np.uint8)
    assert read_pixels(make_dicom(values, RescaleSlope=-1, RescaleIntercept=255)).tolist() == [[255, 0]]


@pytest.mark.parametrize("signed", [False, True])
def test_odd_high_bit_and_overlay_bits(make_dicom, signed):
    """Ten bits in the middle of sixteen, with other bits set above and below."""
    values = np.arange(-512, 512, dtype=np.int16) if signed else np.arange(1024, dtype=np.int16)
    raw = ((values.astype(np.uint16) & 0x3FF) << 3) | 0xE000 | 0b101
    path = make_dicom(raw.reshape(32, 32).astype(np.uint16), BitsStored=10, HighBit=12, PixelRepresentation=int(signed))
    expected = full_range(np.arange(1024.0), 1023)
    assert (read_pixels(path).ravel() == expected).all()


def test_stray_bits_above_the_stored_ones_are_ignored(make_dicom):
    path = make_dicom(TWELVE | 0x8000, edit=twelve_bits)
    assert (read_pixels(path) == full_range(TWELVE, 4095)).all()


def test_frames_are_read_one_by_one(make_dicom):
    frames = np.arange(3 * 4 * 5, dtype=np.uint8).reshape(3, 4, 5)

    def edit(dataset: Dataset) -> None:
        dataset.NumberOfFrames = 3
        dataset.PixelData = frames.tobytes()

    path = make_dicom(frames[0], edit=edit)
    for number in range(3):
        assert (read_pixels(path, number) == frames[number]).all()
    with pytest.raises(Quarantined, match="no such frame"):
        read_pixels(path, 3)


def test_frames_have_their_own_window(make_dicom):
    frames = np.full((2, 2, 2), 100, dtype=np.uint8)

    def edit(dataset: Dataset) -> None:
        dataset.NumberOfFrames = 2
        dataset.PixelData = frames.tobytes()
        dataset.PerFrameFunctionalGroupsSequence = []
        for center in (50, 200):
            item, voi = Dataset(), Dataset()
            voi.WindowCenter, voi.WindowWidth = center, 20
            item.FrameVOILUTSequence = [voi]
            dataset.PerFrameFunctionalGroupsSequence.append(item)

    path = make_dicom(frames[0], edit=edit)
    assert read_pixels(path, 0).min() == 255
    assert read_pixels(path, 1).max() == 0


def test_first_of_several_windows(make_dicom):
    several = read_pixels(make_dicom(TWELVE, edit=twelve_bits, WindowCenter=[500, 3000], WindowWidth=[200, 50]))
    one = read_pixels(make_dicom(TWELVE, edit=twelve_bits, WindowCenter=500, WindowWidth=200))
    assert (several == one).all()


def test_voi_lut_sequence_goes_before_the_window(make_dicom):
    lut = Dataset()
    lut.add_new("LUTDescriptor", "US", [256, 0, 16])
    lut.add_new("LUTData", "US", [65535 - 257 * k for k in range(256)])
    values = np.arange(256, dtype=np.uint8).reshape(16, 16)
    path = make_dicom(values, VOILUTSequence=[lut], WindowCenter=3, WindowWidth=2)
    assert (read_pixels(path).ravel() == np.arange(255, -1, -1)).all()


def test_padding_does_not_change_the_scale(make_dicom):
    with_padding = read_pixels(make_dicom(TWELVE, edit=twelve_bits, PixelPaddingValue=0))
    assert (with_padding == full_range(TWELVE, 4095)).all()


@pytest.mark.parametrize("name", ["ExplVR_LitEndNoMeta.dcm", "reportsi.dcm", "rtplan.dcm"])
def test_files_without_pixels(shipped, name):
    with pytest.raises(Quarantined, match="no pixel data"):
        read_pixels(shipped / name)


def test_missing_preamble_and_meta(tmp_path, make_dicom):
    whole = make_dicom(TWELVE, edit=twelve_bits).read_bytes()
    (tmp_path / "no_preamble").write_bytes(whole[132:])
    begin = whole.index(b"\x08\x00\x16\x00UI")
    (tmp_path / "no_meta").write_bytes(whole[begin:])
    for name in ("no_preamble", "no_meta"):
        assert (read_pixels(tmp_path / name) == full_range(TWELVE, 4095)).all()

"""The pixels of one DICOM frame as displayed: two-dimensional, unsigned, bright is dense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.encaps import get_frame
from pydicom.pixels import apply_color_lut, get_decoder
from pydicom.pixels.decoders.base import Decoder
from pydicom.uid import UID, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian, RLELossless

from medveil.cohort.dicom.display import gray_table, stretched
from medveil.cohort.dicom.opening import (
    MAX_PIXELS,
    MAX_PIXELS_ALL_FRAMES,
    open_dicom,
    quarantining,
)
from medveil.errors import Quarantined

# The syntax of a file that names none, by (implicit, little endian).
_NATIVE = {
    (True, True): ImplicitVRLittleEndian,
    (False, True): ExplicitVRLittleEndian,
    (False, False): ExplicitVRBigEndian,
}
_LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601

_J2K_START = b"\xff\x4f\xff\x51"
# Start-of-frame markers of JPEG (C4, C8 and CC are others) and of JPEG-LS (F7).
_FRAME_MARKERS = frozenset({*range(0xC0, 0xD0), 0xF7} - {0xC4, 0xC8, 0xCC})


def read_pixels(path: Path, frame: int = 0) -> NDArray[Any]:
    """One frame: modality LUT, then VOI LUT or window, over the full range of uint8 (8 bit) or uint16."""
    dataset = open_dicom(path, pixels=True)
    with quarantining("unreadable pixel data"):
        if "PixelData" not in dataset:
            raise Quarantined("unsupported pixel format" if _has_float_pixels(dataset) else "no pixel data")
        check_size(dataset, frame)
        return _gray(dataset, frame) if dataset.SamplesPerPixel == 1 else _colour(dataset, frame)


def frame_count(dataset: FileDataset) -> int:
    return max(1, int(dataset.get("NumberOfFrames") or 1))


def _has_float_pixels(dataset: FileDataset) -> bool:
    return "FloatPixelData" in dataset or "DoubleFloatPixelData" in dataset


def check_size(dataset: FileDataset, frame: int) -> None:
    """Refuse bombs by what the header, and the compressed stream within, declare."""
    rows, columns, frames = int(dataset.Rows), int(dataset.Columns), frame_count(dataset)
    if rows < 1 or columns < 1:
        raise Quarantined("empty image")
    if rows * columns > MAX_PIXELS or rows * columns * frames > MAX_PIXELS_ALL_FRAMES:
        raise Quarantined("too large")
    if not 0 <= frame < frames:
        raise Quarantined("no such frame")
    if dataset.BitsAllocated > (32 if dataset.SamplesPerPixel == 1 else 16):
        raise Quarantined("unsupported pixel format")
    syntax = dataset.file_meta.get("TransferSyntaxUID")
    if syntax:
        decoder_of(syntax)
    if syntax and syntax.is_encapsulated and syntax != RLELossless:
        stream = get_frame(dataset.PixelData, frame, number_of_frames=frames)
        if _declared_size(stream) != (rows, columns):
            raise Quarantined("unreadable pixel data")


def decoder_of(syntax: UID) -> Decoder:
    """What reads pixels stored in this way; `Quarantined` where nothing does, or they are no images but a video."""
    try:
        return get_decoder(syntax)
    except NotImplementedError:
        video = syntax.name.startswith(("MPEG", "HEVC", "Fragmentable MPEG"))
        raise Quarantined("a document or recording inside" if video else "unsupported transfer syntax") from None


def _decode(dataset: FileDataset, frame: int) -> NDArray[Any]:
    meta = dataset.file_meta
    if not meta.get("TransferSyntaxUID"):
        meta.TransferSyntaxUID = _NATIVE[dataset.original_encoding]
    pixels, _ = decoder_of(meta.TransferSyntaxUID).as_array(dataset, index=frame, correct_unused_bits=False)
    return np.asarray(pixels)


def _gray(dataset: FileDataset, frame: int) -> NDArray[Any]:
    pixels = _decode(dataset, frame)
    if dataset.PhotometricInterpretation == "PALETTE COLOR":
        return _luminance(apply_color_lut(pixels, dataset), 16)
    unsigned = pixels.view(pixels.dtype.str.replace("i", "u"))
    bits = int(dataset.BitsStored)
    if bits > 16:
        return stretched(pixels, dataset)
    raw_bits = not dataset.file_meta.TransferSyntaxUID.is_compressed or (
        dataset.file_meta.TransferSyntaxUID == RLELossless
    )
    shift = int(dataset.get("HighBit", bits - 1)) + 1 - bits
    signed = bool(dataset.PixelRepresentation)
    if raw_bits and 0 < shift <= dataset.BitsAllocated - bits:
        unsigned = unsigned >> shift
    elif not raw_bits and not _fits(pixels, bits, signed):
        bits = 8 * pixels.dtype.itemsize  # a header that promises fewer bits than the stream has
    table = gray_table(dataset, frame=frame, bits=bits, signed=signed)
    if table.size <= np.iinfo(unsigned.dtype).max:
        unsigned = unsigned & (table.size - 1)  # bits above the stored ones may hold overlays
    return np.asarray(table[unsigned])


def _fits(pixels: NDArray[Any], bits: int, signed: bool) -> bool:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return bool(low <= pixels.min() and pixels.max() <= high)


def _colour(dataset: FileDataset, frame: int) -> NDArray[Any]:
    pixels = _decode(dataset, frame)
    if pixels.dtype not in (np.uint8, np.uint16):
        raise Quarantined("unsupported pixel format")
    return _luminance(pixels, int(dataset.BitsStored))


def _luminance(rgb: NDArray[Any], bits: int) -> NDArray[Any]:
    """Colour to gray, stretched from the bits in use to the type's full range."""
    top = np.iinfo(rgb.dtype).max
    gray = rgb[..., :3] @ _LUMA * (top / min(top, (1 << bits) - 1))
    return np.asarray(np.rint(np.clip(gray, 0, top)), dtype=rgb.dtype)


def _declared_size(stream: bytes) -> tuple[int, int]:
    """Rows and columns of a JPEG, JPEG-LS or JPEG 2000 stream, read before any decoder allocates for them."""
    if stream[:2] == b"\xff\xd8":
        return _jpeg_size(stream)
    at = stream.find(_J2K_START)
    if at < 0 or len(stream) < at + 24:
        raise Quarantined("unreadable pixel data")
    right, bottom, left, top = (int.from_bytes(stream[at + 8 + 4 * k : at + 12 + 4 * k], "big") for k in range(4))
    return bottom - top, right - left


def _jpeg_size(stream: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(stream) and stream[at] == 0xFF:
        marker = stream[at + 1]
        if marker in _FRAME_MARKERS:
            return int.from_bytes(stream[at + 5 : at + 7], "big"), int.from_bytes(stream[at + 7 : at + 9], "big")
        # A fill byte, or a segment that says its own length.
        at += 1 if marker == 0xFF else 2 + int.from_bytes(stream[at + 2 : at + 4], "big")
    raise Quarantined("unreadable pixel data")

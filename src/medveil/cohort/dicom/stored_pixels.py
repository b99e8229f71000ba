"""The pixels of a DICOM dataset as they are stored, every frame, and putting changed ones back.

Reading for display (`read`) turns stored values into gray levels and cannot go back; here nothing is lost. Native
data keeps its byte order; compressed data that changes becomes uncompressed. What nobody asked for does not come
along: overlays in the bits above the stored ones, and bytes after the last frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.pixels import apply_color_lut
from pydicom.pixels.utils import pack_bits
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian, RLELossless

from medveil.cohort.dicom.display import gray_table, stretched
from medveil.cohort.dicom.opening import quarantining
from medveil.cohort.dicom.read import check_size, decoder_of, frame_count
from medveil.cohort.dicom.stream_comments import CannotTell, rle_without_rest, without_comments
from medveil.cohort.preprocess import colour_planes
from medveil.errors import Quarantined

Frame = NDArray[Any]  # rows x columns, or rows x columns x 3

_NATIVE = {
    (True, True): ImplicitVRLittleEndian,
    (False, True): ExplicitVRLittleEndian,
    (False, False): ExplicitVRBigEndian,
}
_ITEM = b"\xfe\xff\x00\xe0"
_GRAY = ("MONOCHROME1", "MONOCHROME2")
_LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601


@dataclass
class StoredPixels:
    """All frames of a dataset. `kind` is the photometric interpretation the frames are in."""

    dataset: FileDataset
    frames: list[Frame]
    kind: str
    bits: int
    signed: bool
    dirty: bool  # the frames differ from the bytes in the dataset: something was left out

    @classmethod
    def of(cls, dataset: FileDataset) -> StoredPixels | None:
        """None for a dataset without pixels; `Quarantined` for pixels that cannot be read."""
        with quarantining("unreadable pixel data"):
            if "PixelData" not in dataset:
                if "FloatPixelData" in dataset or "DoubleFloatPixelData" in dataset:
                    raise Quarantined("unsupported pixel format")
                return None
            return _read(dataset)

    def displayed(self, number: int) -> NDArray[np.unsignedinteger[Any]]:
        """One frame as a viewer shows it: gray, unsigned, bright is dense, over the type's full range."""
        frame = self.frames[number]
        with quarantining("unreadable pixel data"):
            if self.kind == "PALETTE COLOR":
                return _luminance(apply_color_lut(frame, self.dataset), 16)
            if frame.ndim == 3:
                return np.asarray(frame[..., 0]) if self.kind.startswith("YBR") else _luminance(frame, self.bits)
            if self.bits > 16:
                return stretched(frame, self.dataset)
            table = gray_table(self.dataset, frame=number, bits=self.bits, signed=self.signed)
            places = frame.view(_unsigned(frame.dtype))
            return table.take(places & (table.size - 1) if self.signed else places)

    def colours(self, number: int) -> list[NDArray[Any]]:
        """What one frame shows in colour alone; nothing of a gray one."""
        frame = self.frames[number]
        with quarantining("unreadable pixel data"):
            if self.kind == "PALETTE COLOR":
                return colour_planes(apply_color_lut(frame, self.dataset))
            if frame.ndim == 2:
                return []
            if self.kind.startswith("YBR"):
                return [np.asarray(frame[..., chroma]) for chroma in (1, 2) if np.ptp(frame[..., chroma])]
            return colour_planes(frame)

    def put_back(self) -> None:
        """Write the frames into the dataset; call it only if they changed or are `dirty`."""
        dataset = self.dataset
        syntax = dataset.file_meta.TransferSyntaxUID
        if syntax.is_compressed and not syntax.is_deflated:
            dataset.file_meta.TransferSyntaxUID = syntax = ExplicitVRLittleEndian
        pixels = np.stack(self.frames)
        if dataset.BitsAllocated == 1:
            data = pack_bits(pixels, pad=False)
        else:
            data = pixels.astype(pixels.dtype.newbyteorder("<" if syntax.is_little_endian else ">")).tobytes()
        dataset.PixelData = data + b"\0" * (len(data) % 2)
        element = dataset["PixelData"]
        element.is_undefined_length = False
        element.VR = "OW" if syntax.is_implicit_VR or pixels.dtype.itemsize > 1 else "OB"
        dataset.PhotometricInterpretation = self.kind
        dataset.BitsStored, dataset.HighBit = self.bits, self.bits - 1
        if pixels.ndim == 4:
            dataset.PlanarConfiguration = 0
        for name in ("ExtendedOffsetTable", "ExtendedOffsetTableLengths"):
            if name in dataset:
                delattr(dataset, name)
        self.dirty = False


def blank_comments(dataset: FileDataset) -> None:
    """Zero what a compressed stream says beside the image; `CannotTell` where its parts cannot be told apart."""
    syntax = dataset.file_meta.TransferSyntaxUID
    if not syntax.is_encapsulated:
        return
    data = bytearray(dataset.PixelData)
    pixels = int(dataset.Rows) * int(dataset.Columns)
    for start, end in _frames(dataset.PixelData, frame_count(dataset)):
        stream = bytes(data[start:end])
        data[start:end] = rle_without_rest(stream, pixels) if syntax == RLELossless else without_comments(stream)
    dataset["PixelData"].value = bytes(data)


def _frames(data: bytes, count: int) -> list[tuple[int, int]]:
    """Where each frame's stream lies. More streams than frames are frames that nobody is shown, or parts of one."""
    items, at = [], 0
    while at + 8 <= len(data) and data[at : at + 4] == _ITEM:
        end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        items.append((at + 8, end))
        at = end
    if len(items) != count + 1:
        raise CannotTell
    (begin, stop), *frames = items
    places = b"".join((start - 8 - stop).to_bytes(4, "little") for start, _ in frames)
    if data[begin:stop] not in (b"", places):
        raise CannotTell  # an offset table that is none
    return frames


def drop_overlays(dataset: FileDataset) -> int:
    """Remove every overlay group (60xx) of the dataset; how many there were."""
    tags = [tag for tag in list(dataset.keys()) if 0x6000 <= tag.group <= 0x60FF]  # values stay unread
    for tag in tags:
        del dataset[tag]
    return len({tag.group for tag in tags})


def _read(dataset: FileDataset) -> StoredPixels:
    meta = dataset.file_meta
    if not meta.get("TransferSyntaxUID"):
        meta.TransferSyntaxUID = _NATIVE[dataset.original_encoding]
    count = frame_count(dataset)
    for number in range(count):
        check_size(dataset, number)
    decoder = decoder_of(meta.TransferSyntaxUID)
    compressed = meta.TransferSyntaxUID.is_compressed and not meta.TransferSyntaxUID.is_deflated
    # A compressed stream's own colour transform is undone by its decoder; native luma and chroma stay as they are.
    raw = not compressed or dataset.SamplesPerPixel == 1
    frames, kind = [], str(dataset.PhotometricInterpretation)
    for number in range(count):
        pixels, properties = decoder.as_array(dataset, index=number, raw=raw, correct_unused_bits=False)
        frames.append(np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("=")))
        kind = str(properties["photometric_interpretation"])
    if kind == "YBR_FULL_422":
        kind = "YBR_FULL"  # the decoder gives every pixel its own chroma
    if frames[0].ndim == 3 and (kind not in ("RGB", "YBR_FULL") or frames[0].dtype not in (np.uint8, np.uint16)):
        raise Quarantined("unsupported pixel format")
    if frames[0].ndim == 2 and kind not in (*_GRAY, "PALETTE COLOR"):
        raise Quarantined("unsupported pixel format")
    stored = StoredPixels(dataset, frames, kind, int(dataset.BitsStored), bool(dataset.PixelRepresentation), False)
    native_bits = not compressed or meta.TransferSyntaxUID == RLELossless
    _clear_unused(stored, native_bits)
    if not compressed:
        stored.dirty |= len(dataset.PixelData) > _expected(dataset, count) + 1
    return stored


def _clear_unused(stored: StoredPixels, native: bool) -> None:
    """Bits outside the stored ones may hold overlays: make them what the value's sign says."""
    dataset, bits = stored.dataset, stored.bits
    depth = 8 * stored.frames[0].dtype.itemsize
    if dataset.BitsAllocated == 1:
        return
    if not 1 <= bits <= depth:
        raise Quarantined("unreadable pixel data")
    shift = int(dataset.get("HighBit", bits - 1)) + 1 - bits if native else 0
    if not 0 <= shift <= depth - bits:
        raise Quarantined("unreadable pixel data")
    if not native and not all(_fits(frame, bits, stored.signed) for frame in stored.frames):
        stored.bits = depth  # a header that promises fewer bits than the stream has
        return
    if bits == depth:
        return
    for number, frame in enumerate(stored.frames):
        raised = frame.view(_unsigned(frame.dtype)) << (depth - bits - shift)
        clean = raised.view(frame.dtype) >> (depth - bits)  # arithmetic where the type is signed
        if shift or not np.array_equal(clean, frame):
            stored.dirty = True
            stored.frames[number] = clean


def _fits(frame: Frame, bits: int, signed: bool) -> bool:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return bool(low <= frame.min() and frame.max() <= high)


def _expected(dataset: FileDataset, count: int) -> int:
    samples = int(dataset.Rows) * int(dataset.Columns) * int(dataset.SamplesPerPixel) * count
    if str(dataset.PhotometricInterpretation) == "YBR_FULL_422":
        samples = samples // 3 * 2
    return (samples * int(dataset.BitsAllocated) + 7) // 8


def _unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{dtype.itemsize}")


def _luminance(rgb: NDArray[Any], bits: int) -> NDArray[np.unsignedinteger[Any]]:
    """Colour to gray, stretched from the bits in use to the type's full range."""
    top = np.iinfo(rgb.dtype).max
    gray = rgb[..., :3] @ _LUMA * (top / min(top, (1 << bits) - 1))
    return np.asarray(np.rint(np.clip(gray, 0, top)), dtype=rgb.dtype)

"""Files as broken disks, careless software and hostile hands leave them: to see what must not break."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO

import numpy as np
import pydicom
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence

from medveil.cohort.dicom.elements import Element, Layout, elements, items
from medveil.cohort.dicom.encode import encoded

DEPTH = 100  # sequences within sequences
_HEADER_SHARE = 0.7  # of the flipped bits; the rest fall anywhere
_HEADER_BYTES = 6000
_LENGTHS = (0, 1, 2, 7, 255, 65_534, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)
_VRS = ("UN", "SQ", "OB", "OW", "PN", "LO", "DA", "US", "FD", "UI", "ZZ", "\0\0", "UT", "AT", "DS")
_CHARSETS = ("ISO_IR 999", "ISO 2022 IR 87", "ISO_IR 13", "\x1b$B", "GB18030", "utf8", "\\\\", "ISO_IR 192\\ISO_IR 100")


def damaged_dicom(rng: np.random.Generator, content: bytes, kind: str) -> bytes:
    """The file with damage of one kind; see `DICOM_DAMAGE`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DICOM_DAMAGE[kind](rng, content)


def damaged_text(rng: np.random.Generator, content: bytes, kind: str) -> bytes:
    """The report with damage of one kind; see `TEXT_DAMAGE`."""
    return TEXT_DAMAGE[kind](rng, content)


def _flip(rng: np.random.Generator, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 64))):
        end = min(len(data), _HEADER_BYTES) if rng.random() < _HEADER_SHARE else len(data)
        data[int(rng.integers(end))] ^= 1 << int(rng.integers(8))
    return bytes(data)


def _cut(rng: np.random.Generator, content: bytes) -> bytes:
    end = _HEADER_BYTES if rng.random() < 0.5 else len(content)
    return content[: int(rng.integers(1, min(end, len(content))))]


def _spans(content: bytes) -> tuple[int, list[Element]]:
    """Where the dataset begins, and its elements with those inside sequences."""
    layout = Layout.of(content)
    data, found = layout.dataset, []
    waiting = list(elements(data, 0, len(data), layout.encoding))
    while waiting:
        span = waiting.pop()
        found.append(span)
        if span.vr == "SQ":
            for item in items(data, span, layout.encoding):
                waiting += elements(data, item.value, item.content_end, layout.encoding)
    return len(layout.front), found


def _change_length(rng: np.random.Generator, content: bytes) -> bytes:
    data = bytearray(content)
    start, spans = _spans(content)
    for _ in range(int(rng.integers(1, 4))):
        span = spans[int(rng.integers(len(spans)))]
        wide = span.value - span.start != 8 or span.vr is None
        size = 4 if wide else 2
        length = _LENGTHS[int(rng.integers(len(_LENGTHS)))] % (1 << 8 * size)
        data[start + span.value - size : start + span.value] = length.to_bytes(size, "little")
    return bytes(data)


def _change_vr(rng: np.random.Generator, content: bytes) -> bytes:
    data = bytearray(content)
    start, spans = _spans(content)
    for _ in range(int(rng.integers(1, 6))):
        span = spans[int(rng.integers(len(spans)))]
        data[start + span.start + 4 : start + span.start + 6] = _VRS[int(rng.integers(len(_VRS)))].encode()
    return bytes(data)


def _nest(rng: np.random.Generator, content: bytes) -> bytes:
    dataset = pydicom.dcmread(BytesIO(content))
    inner = Dataset()
    inner.PatientName, inner.PatientID = dataset.PatientName, dataset.PatientID
    inner.RequestedProcedureDescription = f"CHEST OF {dataset.PatientName}"
    for _ in range(DEPTH if rng.random() < 0.9 else DEPTH * 4):
        outer = Dataset()
        if rng.random() < 0.5:
            outer.RequestAttributesSequence = Sequence([inner])
        else:
            block = outer.private_block(0x0021, "DEEP", create=True)
            block.add_new(0x01, "SQ", Sequence([inner]))
        outer.add_new(0x00104000, "LT", f"seen by {dataset.get('ReferringPhysicianName', '')}")
        inner = outer
    dataset.RequestAttributesSequence = Sequence([inner])
    return _encoded(dataset)


def _change_charset(rng: np.random.Generator, content: bytes) -> bytes:
    dataset = pydicom.dcmread(BytesIO(content))
    name = str(dataset.PatientName)
    if rng.random() < 0.5:
        dataset.SpecificCharacterSet = _CHARSETS[int(rng.integers(len(_CHARSETS)))].split("\\")
    marker = "~~~~~~~~"
    dataset.PatientComments = f"{marker}{name}{marker}"
    data = _encoded(dataset)
    return data.replace(marker.encode(), bytes(rng.integers(128, 256, len(marker), dtype=np.uint8)))


def _encoded(dataset: Dataset) -> bytes:
    try:
        return encoded(dataset)
    except (LookupError, UnicodeError, ValueError):  # a character set no one can write
        dataset.SpecificCharacterSet = "ISO_IR 192"
        return encoded(dataset)


def _zeros(rng: np.random.Generator, content: bytes) -> bytes:
    place = int(rng.integers(len(content)))
    return content[:place] + bytes(int(rng.integers(1, 50))) + content[place:]


def _foreign(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes that are no UTF-8, or another encoding altogether."""
    text = content.decode()
    if rng.random() < 0.5:
        return text.encode(["latin-1", "utf-16", "utf-32-le", "cp1252"][int(rng.integers(4))], "replace")
    place = int(rng.integers(len(content)))
    return content[:place] + bytes(rng.integers(128, 256, 20, dtype=np.uint8)) + content[place:]


def _hidden(rng: np.random.Generator, content: bytes) -> bytes:
    """Marks without width, marks that turn the direction, and letters that look alike, between the others."""
    text = list(content.decode())
    for _ in range(int(rng.integers(5, 80))):
        text.insert(int(rng.integers(len(text))), "\u200b\u202e\u00ad\ufeff\u0301\u2028\u00a0"[int(rng.integers(7))])
    return "".join(text).encode()


def _endless(rng: np.random.Generator, content: bytes) -> bytes:
    """What makes careless patterns try for ever."""
    piece = ("1/1/", "A. ", "Dr. ", "(", "-", "a@", "1.", "Mr Mrs ", "\n", " ", "Jan 1, ", "12 ")[int(rng.integers(12))]
    place = int(rng.integers(len(content)))
    return content[:place] + (piece * int(rng.integers(500, 8000))).encode() + content[place:]


DICOM_DAMAGE: dict[str, Callable[[np.random.Generator, bytes], bytes]] = {
    "bit flips": _flip,
    "cut short": _cut,
    "wrong lengths": _change_length,
    "nested": _nest,
    "wrong VR": _change_vr,
    "bad character set": _change_charset,
}
TEXT_DAMAGE: dict[str, Callable[[np.random.Generator, bytes], bytes]] = {
    "bit flips": _flip,
    "cut short": _cut,
    "zeros": _zeros,
    "other encodings": _foreign,
    "hidden marks": _hidden,
    "endless": _endless,
}

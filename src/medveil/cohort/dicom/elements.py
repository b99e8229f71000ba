"""Where each data element lies in the bytes of a DICOM file. Positions only: no value is decoded.

Writing builds on these spans, so that what is not changed is copied and never encoded anew. Where files
break the standard the same reading is chosen as pydicom's: an element without a plausible VR in an explicit
dataset is implicit, and a dataset that contradicts its transfer syntax is read as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct

from pydicom import uid
from pydicom.valuerep import EXPLICIT_VR_LENGTH_32, VR

from medveil.errors import Quarantined

MAX_INFLATED_BYTES = 1 << 30
PREFIX_AT = 128
PREFIX = b"DICM"

PIXEL_DATA = 0x7FE00010
_ITEM, _ITEM_END, _SEQUENCE_END = 0xFFFEE000, 0xFFFEE00D, 0xFFFEE0DD
_TRANSFER_SYNTAX = 0x00020010
_UNDEFINED = 0xFFFFFFFF
_LONG = frozenset(vr.encode() for vr in EXPLICIT_VR_LENGTH_32)
_KNOWN = frozenset(vr.encode() for vr in VR if len(vr) == 2)
_HEAD = {True: Struct("<HHL"), False: Struct(">HHL")}
_SHORT = {True: Struct("<H"), False: Struct(">H")}
_LENGTH = {True: Struct("<L"), False: Struct(">L")}


@dataclass(frozen=True, slots=True)
class Encoding:
    implicit: bool
    little: bool


@dataclass(frozen=True, slots=True)
class Element:
    """One element or sequence item: its bytes are `start` to `end`, the value begins at `value`.

    The end of an undefined length includes its delimiter. `vr` is None where the bytes carry none.
    """

    tag: int
    vr: str | None
    start: int
    value: int
    end: int
    undefined: bool

    @property
    def content_end(self) -> int:
        return self.end - 8 if self.undefined else self.end


@dataclass(frozen=True)
class Layout:
    """A file in parts: what comes before the dataset (preamble and file meta), and the dataset itself."""

    front: bytes
    meta_at: int
    dataset: bytes
    encoding: Encoding
    transfer_syntax: str | None

    @property
    def deflated(self) -> bool:
        return self.transfer_syntax == uid.DeflatedExplicitVRLittleEndian

    @classmethod
    def of(cls, data: bytes) -> Layout:
        meta_at = PREFIX_AT + len(PREFIX) if data[PREFIX_AT : PREFIX_AT + 4] == PREFIX else 0
        begin = meta_at
        syntax = None
        explicit = Encoding(implicit=False, little=True)
        while data[begin : begin + 2] == b"\x02\x00":
            element = element_at(data, begin, len(data), explicit)
            if element.tag == _TRANSFER_SYNTAX:
                syntax = data[element.value : element.end].rstrip(b"\0 ").decode("ascii", "replace")
            begin = element.end
        dataset = data[begin:]
        if syntax == uid.DeflatedExplicitVRLittleEndian:
            dataset = inflate(dataset)
        return cls(data[:begin], meta_at, dataset, _encoding(dataset, syntax), syntax)


def inflate(deflated: bytes) -> bytes:
    """Raw deflate that refuses to grow past `MAX_INFLATED_BYTES`."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    inflated = inflater.decompress(deflated, MAX_INFLATED_BYTES)
    if inflater.unconsumed_tail:
        raise Quarantined("too large")
    return inflated


def _encoding(dataset: bytes, syntax: str | None) -> Encoding:
    implicit = not _looks_like_vr(dataset[4:6])
    if syntax is None:
        # Only explicit datasets are big endian; their first group, 0008, then reads as 0800.
        return Encoding(implicit, implicit or int.from_bytes(dataset[:2], "little") < 0x0400)
    return Encoding(implicit, little=syntax != uid.ExplicitVRBigEndian)


def _looks_like_vr(two: bytes) -> bool:
    return two in _KNOWN or (len(two) == 2 and b"AA" <= two <= b"ZZ" and two.isalpha())


def elements(data: bytes, start: int, stop: int, encoding: Encoding) -> Iterator[Element]:
    """The elements from `start`, to `stop` or to the delimiter of the item they are in."""
    while start + 8 <= stop:
        element = element_at(data, start, stop, encoding)
        if element.tag == _ITEM_END:
            return
        yield element
        start = element.end


def element_at(data: bytes, start: int, stop: int, encoding: Encoding) -> Element:
    if start + 8 > stop:
        raise Quarantined("truncated")
    group, number, length = _HEAD[encoding.little].unpack_from(data, start)
    tag = group << 16 | number
    value, vr = start + 8, None
    two = data[start + 4 : start + 6]
    if group != 0xFFFE and not encoding.implicit and _looks_like_vr(two):
        vr = two.decode()
        if two in _LONG:
            if start + 12 > stop:
                raise Quarantined("truncated")
            (length,) = _LENGTH[encoding.little].unpack_from(data, start + 8)
            value = start + 12
        else:
            (length,) = _SHORT[encoding.little].unpack_from(data, start + 6)
    if length == _UNDEFINED:
        end = _end_of_undefined(data, tag, vr, value, stop, encoding)
        return Element(tag, vr, start, value, end, undefined=True)
    if value + length > stop:
        raise Quarantined("truncated")
    return Element(tag, vr, start, value, value + length, undefined=False)


def _end_of_undefined(data: bytes, tag: int, vr: str | None, value: int, stop: int, encoding: Encoding) -> int:
    if tag == _ITEM:
        at = value
        for element in elements(data, value, stop, encoding):
            at = element.end
        _expect(data, at, stop, encoding, _ITEM_END)
        return at + 8
    # Fragments of compressed pixels hold arbitrary bytes: only their lengths lead to the end.
    fragments = tag == PIXEL_DATA or vr not in (None, "SQ", "UN")
    at = value
    while True:
        item = element_at(data, at, stop, encoding)
        if item.tag == _SEQUENCE_END:
            return item.end
        if item.tag != _ITEM or (fragments and item.undefined):
            raise Quarantined("damaged DICOM file")
        at = item.end


def _expect(data: bytes, at: int, stop: int, encoding: Encoding, tag: int) -> None:
    if at + 8 > stop:
        raise Quarantined("truncated")
    group, number, _ = _HEAD[encoding.little].unpack_from(data, at)
    if group << 16 | number != tag:
        raise Quarantined("damaged DICOM file")


def items(data: bytes, sequence: Element, encoding: Encoding) -> list[Element]:
    """The items of a sequence, of defined or undefined length."""
    found = []
    at = sequence.value
    while at + 8 <= sequence.content_end:
        item = element_at(data, at, sequence.content_end, encoding)
        if item.tag == _SEQUENCE_END:
            break
        if item.tag != _ITEM:
            raise Quarantined("damaged DICOM file")
        found.append(item)
        at = item.end
    return found

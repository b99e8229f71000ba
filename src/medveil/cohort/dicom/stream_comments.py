"""Comments inside compressed pixel data: blanked in place, so that a stream kept as it is says nothing more.

JPEG and JPEG 2000 streams have room for comments and application data (a camera's EXIF among them), and for bytes
after their end. Decoders skip all of it; none of it is needed to show the image.
"""

from __future__ import annotations

from collections.abc import Iterator

_JPEG_START, _JPEG_END = 0xD8, 0xD9
_COMMENT, _FIRST_APPLICATION, _LAST_APPLICATION = 0xFE, 0xE0, 0xEF
_SCAN = 0xDA
# Frames, tables, restarts and what JPEG-LS adds; any other segment is nobody's to explain.
_IMAGE = frozenset({*range(0xC0, 0xD0), _SCAN, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF, 0xF7, 0xF8} - {0xC8})
# Application data that decoders read: density (its first 14 bytes), colour transform, JPEG-LS colour.
_NEEDED = {0xE0: (b"JFIF\0", 14), 0xEE: (b"Adobe", 12), 0xE8: (b"mrfx", 5)}
# The segments of JPEG 2000's main header and tiles, HTJ2K's among them.
_J2K_IMAGE = frozenset(0xFF00 + low for low in (*range(0x50, 0x54), *range(0x55, 0x62), 0x63))
_RLE_SEGMENTS = 15
_RLE_HEADER = 64
_J2K_START, _J2K_COMMENT, _J2K_TILE, _J2K_DATA, _J2K_END = 0xFF4F, 0xFF64, 0xFF90, 0xFF93, 0xFFD9

ByteRange = tuple[int, int]


class CannotTell(Exception):
    """A stream whose parts cannot be told apart; it is better decoded and stored anew."""


def without_comments(stream: bytes) -> bytes:
    """A stream of the same length with every comment zeroed."""
    try:
        spans = list(_jpeg(stream) if stream[:2] == b"\xff\xd8" else _jpeg2000(stream))
    except IndexError:
        raise CannotTell from None
    if not any(any(stream[start:end]) for start, end in spans):
        return stream
    blank = bytearray(stream)
    for start, end in spans:
        blank[start:end] = bytes(end - start)
    return bytes(blank)


def _jpeg(stream: bytes) -> Iterator[ByteRange]:
    at = 2
    while True:
        if stream[at] != 0xFF:
            raise CannotTell
        marker = stream[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == _JPEG_END:
            yield at + 2, len(stream)
            return
        end = at + 2 + _number(stream, at + 2, 2)
        if end > len(stream):
            raise CannotTell
        if marker == _COMMENT or _FIRST_APPLICATION <= marker <= _LAST_APPLICATION:
            needed, size = _NEEDED.get(marker, (b"", 0))
            kept = size if needed and stream[at + 4 : end].startswith(needed) else 0
            yield min(at + 4 + kept, end), end
        elif marker not in _IMAGE:
            raise CannotTell
        at = _after_scan(stream, end) if marker == _SCAN else end


def _after_scan(stream: bytes, at: int) -> int:
    """The next marker after entropy-coded data, in which a stuffed zero (JPEG) or a low byte (JPEG-LS) follows FF."""
    while True:
        at = stream.find(b"\xff", at)
        if at < 0:
            raise CannotTell
        if stream[at + 1] >= 0x80 and not 0xD0 <= stream[at + 1] <= 0xD7 and stream[at + 1] != 0xFF:
            return at
        at += 1 if stream[at + 1] == 0xFF else 2


def _jpeg2000(stream: bytes) -> Iterator[ByteRange]:
    if _number(stream, 0, 2) != _J2K_START:
        raise CannotTell
    at = 2
    while True:
        marker = _number(stream, at, 2)
        if marker == _J2K_END:
            yield at + 2, len(stream)
            return
        if marker == _J2K_TILE:
            length = _number(stream, at + 6, 4)
            end = at + length if length else len(stream) - 2
            if end <= at or end > len(stream):
                raise CannotTell
            yield from _tile_comments(stream, at)
            at = end
            continue
        end = at + 2 + _number(stream, at + 2, 2)
        if marker == _J2K_COMMENT:
            yield at + 6, end  # the first two bytes say of which kind it is
        elif marker not in _J2K_IMAGE:
            raise CannotTell
        at = end


def _tile_comments(stream: bytes, at: int) -> Iterator[ByteRange]:
    while (marker := _number(stream, at, 2)) != _J2K_DATA:
        end = at + 2 + _number(stream, at + 2, 2)
        if marker == _J2K_COMMENT:
            yield at + 6, end
        elif marker not in (_J2K_TILE, *_J2K_IMAGE):
            raise CannotTell
        at = end


def rle_without_rest(stream: bytes, pixels: int) -> bytes:
    """A run-length encoded frame with everything zeroed that is no part of a segment of so many pixels."""
    count = int.from_bytes(stream[:4], "little")
    starts = [int.from_bytes(stream[4 * number : 4 * number + 4], "little") for number in range(1, count + 1)]
    if not 1 <= count <= _RLE_SEGMENTS or starts != sorted(starts) or starts[0] != _RLE_HEADER:
        raise CannotTell
    clean = bytearray(stream[: 4 * count + 4]).ljust(_RLE_HEADER, b"\0")
    for start, stop in zip(starts, (*starts[1:], len(stream)), strict=True):
        end = _end_of_runs(stream, start, stop, pixels)
        clean += stream[start:end] + bytes(stop - end)
    return bytes(clean)


def _end_of_runs(stream: bytes, at: int, stop: int, pixels: int) -> int:
    """Where the runs end that make up so many bytes."""
    made = 0
    while made < pixels:
        if at >= stop:
            raise CannotTell
        length = stream[at]
        made += length + 1 if length < 128 else 257 - length if length > 128 else 0
        at += length + 2 if length < 128 else 2 if length > 128 else 1
    if made > pixels or at > stop:
        raise CannotTell
    return at


def _number(stream: bytes, at: int, size: int) -> int:
    if at + size > len(stream):
        raise CannotTell
    return int.from_bytes(stream[at : at + size], "big")

"""The image size a compressed stream declares, read before any decoder allocates for it."""

from __future__ import annotations

from medveil.errors import Quarantined

_J2K_START = b"\xff\x4f\xff\x51"
# Start-of-frame markers of JPEG (C4, C8 and CC are others) and of JPEG-LS (F7).
_FRAME_MARKERS = frozenset({*range(0xC0, 0xD0), 0xF7} - {0xC4, 0xC8, 0xCC})


def size_in(stream: bytes) -> tuple[int, int]:
    """Rows and columns of a JPEG, JPEG-LS or JPEG 2000 stream."""
    if stream[:2] == b"\xff\xd8":
        return _jpeg(stream)
    at = stream.find(_J2K_START)
    if at < 0 or len(stream) < at + 24:
        raise Quarantined("unreadable pixel data")
    right, bottom, left, top = (int.from_bytes(stream[at + 8 + 4 * k : at + 12 + 4 * k], "big") for k in range(4))
    return bottom - top, right - left


def _jpeg(stream: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(stream) and stream[at] == 0xFF:
        marker = stream[at + 1]
        if marker in _FRAME_MARKERS:
            return int.from_bytes(stream[at + 5 : at + 7], "big"), int.from_bytes(stream[at + 7 : at + 9], "big")
        # A fill byte, or a segment that says its own length.
        at += 1 if marker == 0xFF else 2 + int.from_bytes(stream[at + 2 : at + 4], "big")
    raise Quarantined("unreadable pixel data")

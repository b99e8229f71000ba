"""Which characters the bytes of a text file mean, and back."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import BinaryIO

from medveil.errors import Quarantined

_MARKS = (  # the longer ones first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")  # but tab, line ends, page ends and escape
_PIECE = 1 << 20
UNKNOWN = "text of unknown encoding"
# An accented letter in UTF-8. In a text that is not UTF-8 as a whole, it would pass for noise and hide a name.
_HALF_UTF8 = re.compile(rb"[\xc3-\xcb][\x80-\xbf]")


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str
    mark: bytes = b""  # the byte order mark, kept as it was


def decode(data: bytes) -> Decoded:
    """UTF-8, UTF-16 and UTF-32 by their marks, else UTF-8, else Latin-1; raises Quarantined for anything else."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(_strictly(data[len(mark) :], encoding), encoding, mark)
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        if _HALF_UTF8.search(data):
            raise Quarantined(UNKNOWN) from None
        encoding = "cp1252" if _is_windows(data) else "latin-1"
        text = _strictly(data, encoding)
    if not _is_text(text):
        raise Quarantined(UNKNOWN)
    return Decoded(text, encoding)


def encoding_of(source: BinaryIO) -> Decoded:
    """The encoding of a whole stream, read once in pieces and set back to its beginning; the text stays empty."""
    head = source.read(4)
    mark, encoding = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", ""))
    for name in (encoding,) if encoding else ("utf-8", "cp1252", "latin-1"):
        source.seek(len(mark))
        if _readable(source, name, half=name not in ("cp1252", "latin-1")):
            source.seek(len(mark))
            return Decoded("", name, mark)
    raise Quarantined(UNKNOWN)


def _readable(source: BinaryIO, encoding: str, *, half: bool) -> bool:
    """Whether all of it reads as text; `half`: also where letters in UTF-8 stand in it."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        while piece := source.read(_PIECE):
            if not _is_text(decoder.decode(piece)) or (not half and _HALF_UTF8.search(piece)):
                return False
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def encode(text: str, like: Decoded) -> bytes:
    try:
        return like.mark + text.encode(like.encoding)
    except UnicodeEncodeError:
        raise Quarantined("text that its encoding cannot hold") from None


def _strictly(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise Quarantined(UNKNOWN) from None
    if not _is_text(text):
        raise Quarantined(UNKNOWN)
    return text


def _is_windows(data: bytes) -> bool:
    """Bytes that are control characters in Latin-1 and letters and quotes in Windows' own table."""
    return any(0x80 <= byte <= 0x9F for byte in data) and not any(
        byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) for byte in data
    )


def _is_text(text: str) -> bool:
    """A zero byte or many control characters mean that this is not text, or not in this encoding."""
    return "\x00" not in text and len(_CONTROLS.findall(text)) <= len(text) // 200

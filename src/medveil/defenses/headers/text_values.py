"""The text of an attribute: several values, and the character set they are written in."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import Any

from pydicom.charset import STAND_ALONE_ENCODINGS, convert_encodings, python_encoding
from pydicom.dataset import Dataset
from pydicom.valuerep import PersonName

from medveil.errors import Quarantined

UTF8 = "ISO_IR 192"
_CONTROL = re.compile(r"[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_ALMOST_STANDARD = re.compile(r"ISO[^_]IR|ISO.2022.IR.")
_UNDECODABLE = "text in another character set than the file says"


def texts_of(value: Any) -> list[str]:
    """The values of an element as text; an empty one, or one of bytes, has none."""
    if value is None or value == "" or isinstance(value, bytes):
        return []
    if isinstance(value, str | PersonName) or not hasattr(value, "__iter__"):
        return [str(value)]
    return [str(one) for one in value]


def each(value: Any, change: Callable[[str], str]) -> Any:
    """A value of the same multiplicity with every text changed."""
    changed = [change(text) for text in texts_of(value)]
    return changed[0] if len(changed) == 1 else changed or None


def check_charset(dataset: Dataset, inherited: tuple[str, ...]) -> tuple[str, ...]:
    """The character sets of a dataset or item, by name; what is unknown or misspelled is not guessed."""
    if "SpecificCharacterSet" not in dataset:
        return inherited
    names = tuple(texts_of(dataset.SpecificCharacterSet))
    alone = len(names) > 1 and any(name in STAND_ALONE_ENCODINGS for name in names)
    if alone or not all(_is_known(name) for name in names):
        raise Quarantined("unknown character set")
    return names


def _is_known(name: str) -> bool:
    """By the standard's name or Python's own; pydicom would take one that is nearly right for right."""
    if name in python_encoding:
        return True
    if _ALMOST_STANDARD.match(name):
        return False
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return True


def check_decoded(texts: Iterable[str], charset: tuple[str, ...]) -> None:
    """Refuse text whose bytes do not belong to the declared set: names in it could not be found.

    Control characters inside a text mean bytes that are none: another element, swallowed by a wrong length, or an
    escape into a set that was not declared.
    """
    for text in texts:
        if _CONTROL.search(text.strip("\0 ")) or (not text.isascii() and not _is_plausible(text, charset)):
            raise Quarantined(_UNDECODABLE)


def _is_plausible(text: str, charset: tuple[str, ...]) -> bool:
    """Whether letters beyond ASCII were declared, and are not those of UTF-8 read as a single-byte set."""
    if not any(charset) or "\ufffd" in text:
        return False
    if len(charset) > 1 or charset[0] == UTF8:
        return True
    try:
        text.encode(convert_encodings(list(charset))[0]).decode("utf-8")
    except UnicodeError:
        return True
    return False


def fits(text: str, charset: tuple[str, ...]) -> bool:
    """Whether the character set can write the text."""
    if text.isascii():
        return True
    if len(charset) != 1:
        return False
    try:
        text.encode(convert_encodings(list(charset))[0])
    except UnicodeEncodeError:
        return False
    return True

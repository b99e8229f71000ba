"""The text of an attribute: several values, and the character set they are written in."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from pydicom.charset import convert_encodings
from pydicom.dataset import Dataset

from medveil.errors import Quarantined

UTF8 = "ISO_IR 192"
_UNDECODABLE = "text in another character set than the file says"


def texts_of(value: Any) -> list[str]:
    """The values of an element as text; an empty one, or one of bytes, has none."""
    if value is None or value == "" or isinstance(value, bytes):
        return []
    if isinstance(value, str) or not hasattr(value, "__iter__"):
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            convert_encodings(list(names))
    except Exception:
        raise Quarantined("unknown character set") from None
    return names


def check_decoded(texts: Iterable[str], charset: tuple[str, ...]) -> None:
    """Refuse text whose bytes do not belong to the declared set: names in it could not be found."""
    for text in texts:
        if "\x1b" in text:
            raise Quarantined(_UNDECODABLE)  # an escape into a set that was not declared
        if text.isascii():
            continue
        # Undeclared means ASCII. In a single-byte set, C1 controls betray bytes of another one.
        if not any(charset) or "\ufffd" in text or any("\x80" <= letter <= "\x9f" for letter in text):
            raise Quarantined(_UNDECODABLE)


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

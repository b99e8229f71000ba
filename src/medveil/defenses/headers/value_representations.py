"""NewValues that stand where one must stand and none may be told, for every kind of attribute."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from pydicom.dataelem import DataElement

REMOVED = "REMOVED"
TEXT = frozenset({"LO", "LT", "SH", "ST", "UC", "UT"})
WORDS = TEXT | {"AE", "CS", "PN"}
DATES = frozenset({"DA", "DT", "TM"})
WHOLE = frozenset({"SL", "SS", "SV", "UL", "US", "UV", "AT"})
FIXED = WHOLE | {"FD", "FL"}  # of so many bytes each
NUMBERS = FIXED | {"DS", "IS"}
BINARY = frozenset({"OB", "OD", "OF", "OL", "OV", "OW"})
# Characters a value may have; what comes back longer from cleaning is cut.
LONGEST = {"AE": 16, "CS": 16, "LO": 64, "SH": 16, "ST": 1024, "LT": 10240, "PN": 64}
# Kinds that may stand for each other in careless files. Any other mismatch means the bytes are not what they say.
FAMILIES = (TEXT, NUMBERS, BINARY)

_OTHERS = {
    "AS": "000D",
    "DA": "19000101",
    "DT": "19000101000000",
    "TM": "000000",
    "DS": "0",
    "IS": "0",
    "FD": 0.0,
    "FL": 0.0,
    "UR": "about:blank",
}


def dummy(vr: str) -> Any:
    """A value of this kind that says nothing. Sequences and UIDs are not given one here."""
    if vr in WORDS:
        return REMOVED
    if vr in WHOLE:
        return 0
    return _OTHERS.get(vr, b"\0\0")


def same_family(vr: str, expected: str) -> bool:
    """Whether a file's VR fits the dictionary's, which may name several ("US or SS")."""
    choices = expected.split(" or ")
    return vr in choices or any(vr in family and not family.isdisjoint(choices) for family in FAMILIES)


def is_of_kind(value: Any, vr: str) -> bool:
    """Whether a decoded value is one of its VR; pydicom hands out text where a number cannot be read."""
    if vr not in NUMBERS or value is None or value == "":
        return True
    values = [value] if isinstance(value, str | bytes | Number) or not hasattr(value, "__iter__") else value
    return all(isinstance(one, Number) or one == "" for one in values)


def bytes_of(element: DataElement) -> bytes:
    """The bytes of a binary element, however it was decoded; those of other kinds are not looked for."""
    if isinstance(element.value, bytes):
        return element.value
    if element.VR not in ("US", "SS") or element.value is None:
        return b""
    return np.asarray(element.value).astype(np.uint16).tobytes()

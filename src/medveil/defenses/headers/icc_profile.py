"""Colour profiles (ICC) without words: who made one, for what machine and when; the numbers of colour stay."""

from __future__ import annotations

from medveil.errors import Quarantined

_HEADER, _ENTRY = 128, 12
_SIGNATURE_AT, _SIGNATURE = 36, b"acsp"
# Parts of the header that say where a profile comes from: maker's software, day, machine, author, digest, spare room.
_TELLING = ((4, 8), (24, 36), (48, 64), (80, _HEADER))
# Kinds of entry that hold curves, matrices and tables.
_NUMBERS = frozenset(
    {b"XYZ ", b"chrm", b"clrt", b"curv", b"mAB ", b"mBA ", b"meas", b"mft1", b"mft2", b"mpet", b"para", b"sf32"}
    | {b"sig ", b"uf32", b"ui08", b"ui16", b"view"}
)


def without_words(profile: bytes) -> bytes:
    """A profile of the same length that holds numbers only; `Quarantined` for bytes that are none."""
    profile = bytes(profile)
    count = _number(profile, _HEADER)
    table_end = _HEADER + 4 + _ENTRY * count
    if profile[_SIGNATURE_AT : _SIGNATURE_AT + 4] != _SIGNATURE or table_end > len(profile):
        raise Quarantined("a colour profile that is none")
    kept = bytearray(len(profile))
    kept[:table_end] = profile[:table_end]
    for start, end in _TELLING:
        kept[start:end] = bytes(end - start)
    for entry in range(_HEADER + 4, table_end, _ENTRY):
        start, length = _number(profile, entry + 4), _number(profile, entry + 8)
        if start < table_end or start + length > len(profile):
            raise Quarantined("a colour profile that is none")
        kind = profile[start : start + 4]
        end = start + (length if kind in _NUMBERS else 4)
        kept[start:end] = profile[start:end]
    return bytes(kept)


def _number(profile: bytes, at: int) -> int:
    return int.from_bytes(profile[at : at + 4], "big")

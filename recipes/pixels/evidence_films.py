"""Which train films the evidence network learns from, and which are kept to choose its thresholds."""

from __future__ import annotations

import zlib

EVERY = 10  # one patient in so many is kept


def patient_of(file: str) -> str:
    return file.split("_")[0]


def is_held_out(file: str) -> bool:
    return zlib.crc32(patient_of(file).encode()) % EVERY == 0

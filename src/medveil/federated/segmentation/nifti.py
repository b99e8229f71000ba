"""Reading a NIfTI-1 volume, plain or gzipped, as BraTS is published: its numbers, and nothing else of the format.

Numbers come as they are stored, scaled by the header's slope and intercept where it has any. Orientation is not
applied: all volumes of one BraTS subject lie alike.
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError

HEADER = 348  # bytes
MOST_VOXELS = 512**3
TYPES = {2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2", 768: "u4"}


def read_nifti(path: Path) -> NDArray[np.float32]:
    """A three-dimensional volume, x × y × z."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        raise InputError(f"{path} cannot be read") from None
    if content[:2] == b"\x1f\x8b":
        content = _unzipped(content, path)
    if len(content) < HEADER or content[344:348] not in (b"n+1\0", b"n+1\x00"):
        raise InputError(f"{path} is not a NIfTI-1 file with its header inside (.nii or .nii.gz)")
    order = next((sign for sign in "<>" if struct.unpack_from(f"{sign}i", content)[0] == HEADER), None)
    if order is None:
        raise InputError(f"{path} is not a NIfTI-1 file: its header has another size")
    count, *sides = struct.unpack_from(f"{order}8h", content, 40)
    (kind,) = struct.unpack_from(f"{order}h", content, 70)
    start, slope, intercept = struct.unpack_from(f"{order}3f", content, 108)
    shape = sides[:3]
    if not 3 <= count <= 7 or any(side != 1 for side in sides[3:count]) or min(shape) < 1:
        raise InputError(f"{path} is not one three-dimensional volume")
    voxels = math.prod(shape)
    if kind not in TYPES or voxels > MOST_VOXELS:
        raise InputError(f"{path} is a NIfTI file of a kind that is not read here, or too large")
    numbers = np.dtype(f"{order}{TYPES[kind]}")
    if not (math.isfinite(start) and HEADER <= start <= len(content)):
        raise InputError(f"{path} is damaged: its numbers lie outside of it")
    at = int(start)
    if len(content) - at < voxels * numbers.itemsize:
        raise InputError(f"{path} is cut short")
    found = np.frombuffer(content, numbers, voxels, at).reshape(shape, order="F").astype(np.float32)
    if math.isfinite(slope) and slope != 0 and math.isfinite(intercept):
        found = found * np.float32(slope) + np.float32(intercept)
    if not np.isfinite(found).all():
        raise InputError(f"{path} holds voxels that are not numbers")
    return found


def _unzipped(content: bytes, path: Path) -> bytes:
    limit = HEADER + 4096 + 8 * MOST_VOXELS
    try:
        unzip = zlib.decompressobj(wbits=31)
        found = unzip.decompress(content, limit)
    except (zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path} is a damaged gzip file") from None
    if not unzip.eof:
        raise InputError(f"{path} is cut short, or too large")
    return found

"""What is told and the arrays of a message, packed as Flower's records and unpacked again.

Arrays go as one: Flower sends each in a request of its own, and a network has hundreds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, RecordDict
from flwr.app.message import Array
from numpy.typing import NDArray

from medveil.errors import InputError

_TOLD, _SHAPES, _ARRAYS = "told", "shapes", "arrays"
_KINDS = (np.dtype(np.float32), np.dtype(np.uint32))

Packed = Mapping[str, ConfigRecord | ArrayRecord]


def packed(told: Mapping[str, Any], arrays: Sequence[NDArray[Any]] | Packed = ()) -> RecordDict:
    """`told` holds numbers, texts, bytes, and lists of one of them. What goes to many is packed once beforehand."""
    records = arrays if isinstance(arrays, Mapping) else packed_arrays(arrays)
    return RecordDict({_TOLD: ConfigRecord(dict(told)), **records})


def packed_arrays(arrays: Sequence[NDArray[Any]]) -> Packed:
    """Of one kind, float32 or whole numbers of 32 bits."""
    if not arrays:
        return {}
    flat = np.concatenate([one.ravel() for one in arrays])
    shapes = ["x".join(map(str, one.shape)) for one in arrays]
    return {_SHAPES: ConfigRecord({_SHAPES: shapes}), _ARRAYS: ArrayRecord({_ARRAYS: Array(flat)})}


def unpacked(records: RecordDict) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    try:
        told = dict(records[_TOLD])
        if _ARRAYS not in records:
            return told, []
        flat = records[_ARRAYS][_ARRAYS].numpy()
        shapes = [tuple(int(one) for one in text.split("x") if one) for text in records[_SHAPES][_SHAPES]]
        if flat.ndim != 1 or flat.dtype not in _KINDS or sum(map(_size, shapes)) != flat.size:
            raise ValueError
        parts = np.split(flat, np.cumsum([_size(shape) for shape in shapes])[:-1])
        return told, [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    except Exception:  # of a stranger's bytes NumPy makes errors of every kind
        raise InputError("a message is not one of medveil's; both sides need the same version") from None


def size_of(records: RecordDict) -> int:
    """Bytes of content, as Flower counts them."""
    return sum(record.count_bytes() for record in records.values())


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))

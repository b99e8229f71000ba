from __future__ import annotations

import struct

import pytest
from flwr.app import ArrayRecord, ConfigRecord, RecordDict
from flwr.app.message import Array

from medveil.errors import InputError
from medveil.federated.apps.records import unpacked


def numpy_file(described: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(described)) + described.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 no archive",
        numpy_file("(" * 3000),
        numpy_file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"),
        numpy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999,), }\n"),
        numpy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999999999999,), }\n"),
    ],
    ids=["nothing", "an archive", "no end", "objects", "too large", "larger still"],
)
def test_an_array_that_is_none_is_refused(data: bytes) -> None:
    arrays = ArrayRecord({"arrays": Array("float32", (1,), "numpy.ndarray", data)})
    told = {"told": ConfigRecord({}), "shapes": ConfigRecord({"shapes": ["1"]}), "arrays": arrays}
    with pytest.raises(InputError, match="not one of medveil's"):
        unpacked(RecordDict(told))

"""Files of vectors made elsewhere: npy (mapped), npz, safetensors, Parquet and CSV. Nothing is unpickled."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from medveil.errors import InputError

IDS = ("image_id", "report_id", "study_id", "id", "ids")  # how a column or array of ids may be called

_NUMBERED = re.compile(r"(\D*)(\d+)")

Named = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class VectorFile:
    """n × dim numbers as they lie in the file; where it has ids, one a row, and the column they came from."""

    vectors: NDArray[Any]
    ids: pd.Index | None = None
    key: str = "id"


def read_vectors(path: Path) -> VectorFile:
    """Vectors, and ids where the file has them."""
    readers = {
        ".npy": _read_npy,
        ".npz": _read_npz,
        ".safetensors": _read_safetensors,
        ".parquet": _read_table,
        ".csv": _read_table,
    }
    if path.suffix not in readers:
        raise InputError(f"{path} is not a file of embeddings; give one of {', '.join(readers)}")
    try:
        file = readers[path.suffix](path)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, SafetensorError, pa.ArrowException):
        # a pickled array ends here too
        raise InputError(
            f"{path} cannot be read as embeddings; it must hold plain numbers, one vector per row"
        ) from None
    if file.vectors.ndim != 2 or file.vectors.dtype.kind not in "fiu" or not all(file.vectors.shape):
        raise InputError(f"{path} does not hold n rows of vectors; expected one two-dimensional array of numbers")
    if file.ids is not None and len(file.ids) != len(file.vectors):
        raise InputError(f"{path} has another number of ids than of vectors; write it again")
    return file


def _read_npy(path: Path) -> VectorFile:
    return VectorFile(np.load(path, mmap_mode="r", allow_pickle=False))


def _read_npz(path: Path) -> VectorFile:
    with np.load(path, allow_pickle=False) as archive:
        return _of_arrays({name: archive[name] for name in archive.files})


def _read_safetensors(path: Path) -> VectorFile:
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (it is no mapping)
    return _of_arrays({n: (t.float() if t.is_floating_point() else t).numpy() for n, t in tensors.items()})


def _of_arrays(arrays: Named) -> VectorFile:
    """One two-dimensional array is the vectors; one with a single dimension, if there is one, is the ids."""
    vectors = [array for array in arrays.values() if array.ndim == 2]
    ids = [(name, array) for name, array in arrays.items() if array.ndim == 1]
    if len(vectors) != 1 or len(ids) > 1:
        raise ValueError("more than vectors and ids")
    if not ids:
        return VectorFile(vectors[0])
    name, values = ids[0]
    return VectorFile(vectors[0], as_ids(values), name)


def _read_table(path: Path) -> VectorFile:
    """An id column, and either a column for every dimension or one column of lists."""
    table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, dtype=dict.fromkeys(IDS, str))
    key = next((name for name in IDS if name in table.columns), None)
    numbers = table.drop(columns=[key] if key else [])
    if numbers.shape[1] == 1:
        vectors = np.stack(numbers.iloc[:, 0].to_list())
    else:
        vectors = numbers[_dimensions(path, [str(name) for name in numbers.columns])].to_numpy()
    if key is None:
        return VectorFile(vectors)
    return VectorFile(vectors, as_ids(table[key]), key)


def _dimensions(path: Path, names: list[str]) -> list[str]:
    """The columns in order of their numbers. Any other column, a patient number say, must not pass for a dimension."""
    parts = [_NUMBERED.fullmatch(name) for name in names]
    numbers = sorted((int(part[2]), part[0]) for part in parts if part)
    prefixes = {part[1] for part in parts if part}
    if len(numbers) < len(names) or len(prefixes) > 1 or numbers[-1][0] - numbers[0][0] != len(names) - 1:
        raise InputError(
            f"{path} has columns besides one of ids ({', '.join(IDS)}) and the dimensions (d0, d1, … or one column of "
            "lists); leave them out"
        )
    return [name for _, name in numbers]


def as_ids(values: Any) -> pd.Index:
    """Ids as text, so that numbers in one file meet digits in another."""
    return pd.Index(np.asarray(values)).astype(str)

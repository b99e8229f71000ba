"""`precomputed`: vectors made elsewhere, checked, put in one order and brought to unit length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from medveil.cohort import LABELS
from medveil.cohort.input import InputOptions
from medveil.cohort.schema import conform
from medveil.cohort.tables import values
from medveil.cohort.tables.columns import squeezed, understood
from medveil.cohort.tables.reading import read_table
from medveil.encoders.encoder import Vectors, unit_length
from medveil.encoders.vectors.files import VectorFile, as_ids, read_vectors
from medveil.errors import InputError

BLOCK = 1 << 24  # numbers looked at at a time: a map larger than memory is never held whole
UNIT = 1e-6  # how far from one a length may be and still be called one

TEXT = ("image_id", "patient_id", "study_id", "report_id", "site", "view", "sex", "split", "report")
CODES = ("report_code", "report_words")  # which text it is, and its length, where the text itself is not given
COLUMNS = (*TEXT, *CODES, "age", *LABELS)
_CONVERTED = {
    "view": values.views,
    "sex": values.sexes,
    "split": values.splits,
    "age": values.ages,
    **dict.fromkeys(LABELS, values.labels),
    "report_words": values.frames,
}


def read_embeddings(
    images: Path, reports: Path, ids: Path | None = None, options: InputOptions | None = None
) -> tuple[Vectors, Vectors, pd.DataFrame]:
    """Image vectors, report vectors and the table of what they belong to; row i of all three is a pair.

    Where the files carry ids, rows are brought together by id: images by `image_id`, reports by the column of
    the table that has the name of theirs, so that one report may serve all images of a study. Otherwise by order.
    """
    image_file, report_file = read_vectors(Path(images)), read_vectors(Path(reports))
    if image_file.vectors.shape[1] != report_file.vectors.shape[1]:
        raise InputError(
            f"image embeddings have {image_file.vectors.shape[1]} dimensions and report embeddings "
            f"{report_file.vectors.shape[1]}; both must come from one model"
        )
    table = _row_numbers(image_file) if ids is None else read_ids(Path(ids), options)
    table, moved = _in_order_of_images(table, image_file)
    if moved and report_file.ids is None:
        raise InputError(
            "only the image embeddings carry ids, and the table has another order; give the reports ids too"
        )
    report_vectors = _in_order_of_table(report_file, table)
    return _unit(image_file.vectors, "image"), _unit(report_vectors, "report"), table


def read_ids(path: Path, options: InputOptions | None = None) -> pd.DataFrame:
    """The table of ids and what is known of each pair; columns medveil does not know are left out.

    A bad row is an error here, since rows may belong to vectors by their order alone.
    """
    raw = _read(path).reset_index(drop=True)
    columns = understood(raw.columns, (options or InputOptions()).columns)
    plain = {squeezed(name): name for name in raw.columns}
    columns |= {column: plain[squeezed(column)] for column in (*CODES, "report_id") if squeezed(column) in plain}
    if "image_id" not in columns:
        raise InputError(f"{path} has no column image_id; name the images in it, or say which it is with --map")
    table = pd.DataFrame({column: raw[columns[column]] for column in COLUMNS if column in columns})
    _refuse(path, table["image_id"].isna().sum(), "rows have no image_id")
    for column in ("image_id", "patient_id", "study_id", "report_id"):
        if column in table:
            table[column] = table[column].where(table[column].isna(), as_ids(table[column]))
    _refuse(path, table["image_id"].duplicated().sum(), "rows repeat an image_id")
    for column, convert in _CONVERTED.items():
        if column in table and not pd.api.types.is_numeric_dtype(table[column]):
            said = values.said(table[column].astype("str"))
            read = convert(table[column].astype("str").where(said))
            what = "are not 1, 0, -1 or empty" if column in LABELS else "cannot be read"
            _refuse(path, (said & read.isna()).sum(), f"values of {column} {what}")
            table[column] = read
    known = [column for column in table.columns if column not in (*CODES, "report_id")]
    typed = conform(table[known])[known]
    for label in LABELS:
        if label in typed:
            strange = typed[label].notna() & ~typed[label].isin((-1, 0, 1))
            _refuse(path, strange.sum(), f"values of {label} are not 1, 0, -1 or empty")
    return pd.concat([typed, table.drop(columns=known).reset_index(drop=True)], axis=1)


def _read(path: Path) -> pd.DataFrame:
    if path.suffix != ".parquet":
        table = read_table(path)
        _refuse(path, len(table.broken), "rows cannot be read")
        return table.cells.reindex(range(2, table.cells.index.max() + 1)) if len(table.cells) else table.cells
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError, pa.ArrowException):
        raise InputError(f"{path} is not a readable Parquet table of ids") from None


def _refuse(path: Path, count: int, what: str) -> None:
    if count:
        raise InputError(f"in {path}, {int(count):,} {what}; correct the table")


def _row_numbers(file: VectorFile) -> pd.DataFrame:
    names = file.ids if file.ids is not None else pd.RangeIndex(1, len(file.vectors) + 1)
    return pd.DataFrame({"image_id": as_ids(names)})


def _in_order_of_images(table: pd.DataFrame, file: VectorFile) -> tuple[pd.DataFrame, bool]:
    """The table's rows as the images lie (they may be too many to move), and whether that moved any."""
    if file.ids is None:
        _same_length(len(file.vectors), len(table), "image")
        return table, False
    names = pd.Index(table["image_id"])
    _no_repeats(file.ids, "image")
    _all_there(file.ids, names, "the image embeddings", "the table")
    _all_there(names, file.ids, "the table", "the image embeddings")
    order = names.get_indexer(file.ids)
    moved = bool((order != np.arange(len(order))).any())
    return table.iloc[order].reset_index(drop=True), moved


def _in_order_of_table(file: VectorFile, table: pd.DataFrame) -> NDArray[Any]:
    if file.ids is None:
        _same_length(len(file.vectors), len(table), "report")
        return file.vectors
    key = next(name for name in (file.key, "report_id", "image_id") if name in table.columns)
    names = pd.Index(table[key].astype(str))
    _no_repeats(file.ids, "report")
    _all_there(names, file.ids, "the table", "the report embeddings")
    _all_there(file.ids, names, "the report embeddings", "the table")
    order = file.ids.get_indexer(names)
    if len(order) == len(file.vectors) and (order == np.arange(len(order))).all():
        return file.vectors
    return np.asarray(file.vectors[order])


def _same_length(vectors: int, rows: int, what: str) -> None:
    if vectors != rows:
        raise InputError(f"there are {vectors:,} {what} embeddings for {rows:,} pairs; give ids, or one row per pair")


def _no_repeats(ids: pd.Index, what: str) -> None:
    repeats = int(ids.duplicated().sum())
    if repeats:
        raise InputError(f"{repeats:,} ids of the {what} embeddings appear more than once; write each once")


def _all_there(wanted: pd.Index, there: pd.Index, of: str, missing_in: str) -> None:
    lost = int((~wanted.isin(there)).sum())
    if lost:
        raise InputError(f"{lost:,} ids of {of} are not in {missing_in}; give files that belong together")


def _unit(vectors: NDArray[Any], what: str) -> Vectors:
    """Rows of length one: as they are if they have it, so that a map stays a map, else in memory."""
    broken = zero = 0
    furthest = 0.0
    for block in _blocks(vectors):
        wide = block.astype(np.float64)
        finite = np.isfinite(wide).all(axis=1)
        lengths = np.linalg.norm(wide[finite], axis=1)
        broken += int((~finite).sum())
        zero += int((lengths == 0).sum())
        furthest = max(furthest, float(np.abs(lengths - 1).max(initial=0)))
    if broken:
        raise InputError(f"{broken:,} {what} embeddings hold values that are not numbers; make them again")
    if zero:
        raise InputError(f"{zero:,} {what} embeddings are all zero and point nowhere; make them again")
    if furthest <= UNIT and vectors.dtype == np.float32:
        return vectors
    out = np.empty(vectors.shape, np.float32)
    for place, block in zip(_starts(vectors), _blocks(vectors), strict=True):
        out[place : place + len(block)] = unit_length(block)
    return out


def _starts(vectors: NDArray[Any]) -> range:
    return range(0, len(vectors), max(1, BLOCK // vectors.shape[1]))


def _blocks(vectors: NDArray[Any]) -> Iterator[NDArray[Any]]:
    starts = _starts(vectors)
    return (vectors[start : start + starts.step] for start in starts)

"""The hub's parquet layout, in which it keeps PathVQA and VQA-RAD: an image, a question and an answer a row.

    data/train-00000-of-00007.parquet, data/validation-….parquet, data/test-….parquet

An image has no name there and stands in as many rows as there are questions on it: what tells images apart is their
bytes. A part of a file is read at a time, so that memory does not grow with the data.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image as Pictures

from medveil.cohort.dicom.opening import MAX_PIXELS
from medveil.cohort.images import FORMATS
from medveil.errors import InputError, Quarantined
from medveil.runtime.quiet import quiet
from medveil.utility.vqa.question import Image, Question, QuestionTable
from medveil.utility.vqa.questions.entries import by_image

_SHARD = re.compile(r"(train|validation|test)-\d{5}-of-\d{5}[\w-]*\.parquet")
_SPLITS = {"train": "train", "validation": "val", "test": "test"}
_COLUMNS = ("image", "question", "answer")
Place = tuple[str, int, int]  # file, group of rows, row in it


def recognises(folder: Path) -> bool:
    return bool(_shards(folder))


def read(folder: Path) -> QuestionTable:
    questions: list[Question] = []
    places: dict[str, Place] = {}
    published: list[tuple[str, str]] = []
    for file in _shards(folder):
        split = _SPLITS[file.name.split("-")[0]]
        for place, row in _rows(file):
            image = hashlib.sha256(row["image"]["bytes"]).hexdigest()[:24]
            places.setdefault(image, place)
            published.append((image, split))
            number = f"{split}-{len(questions)}"
            questions.append(Question.of(number, image, str(row["question"]), str(row["answer"])))
    splits, remarks = by_image(published)
    name = folder.resolve().name
    return QuestionTable(name, tuple(questions), partial(_load, places), splits, remarks=remarks)


def _shards(folder: Path) -> list[Path]:
    inside = folder / "data" if (folder / "data").is_dir() else folder
    return sorted(file for file in inside.glob("*.parquet") if _SHARD.fullmatch(file.name))


def _rows(file: Path) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    try:
        opened = pq.ParquetFile(file)
        if not set(_COLUMNS) <= set(opened.schema_arrow.names):
            raise InputError(f"{file} has no columns {', '.join(_COLUMNS)}; fetch the data again")
        for group in range(opened.num_row_groups):
            for row, values in enumerate(opened.read_row_group(group, columns=list(_COLUMNS)).to_pylist()):
                if not isinstance((values["image"] or {}).get("bytes"), bytes):
                    raise InputError(f"{file} holds no image bytes; fetch the data again")
                yield (str(file), group, row), values
    except (OSError, pa.ArrowException):
        raise InputError(f"{file} is not a readable parquet file; fetch it again") from None


def _load(places: Mapping[str, Place], image_id: str) -> Image:
    file, group, row = places[image_id]
    return decoded(_group(file, group)[row].as_py()["bytes"])


@lru_cache(maxsize=2)
def _group(file: str, group: int) -> Any:
    """Questions on one image follow each other, so the group just read is the one needed next."""
    return pq.ParquetFile(file).read_row_group(group, columns=["image"]).column("image")


def decoded(content: bytes) -> Image:
    try:
        with quiet(), Pictures.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise Quarantined("too large")
            colours = np.array(picture.convert("RGB"))
    except Quarantined:
        raise
    except Exception:  # damaged files make the decoders raise nearly anything
        raise Quarantined("unreadable pixel data") from None
    gray: Image = colours[..., 0]
    return gray if (colours == gray[..., None]).all() else colours

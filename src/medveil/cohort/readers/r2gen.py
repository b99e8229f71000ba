"""The `annotation.json` layout of R2Gen: {"train": [{"id", "report", "image_path": [...]}, ...], "val", "test"}.

Used for IU X-ray (one study a patient, named before the first underscore of the id) and for MIMIC-CXR
(where records carry `subject_id` and `study_id`). Images lie in `images/`. It has no labels.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from medveil.cohort.cohort import Cohort, Problem
from medveil.cohort.readers import fields
from medveil.cohort.readers.listing import list_files
from medveil.cohort.readers.registry import Progress, register
from medveil.cohort.tables import values
from medveil.errors import InputError

ANNOTATION, IMAGES = "annotation.json", "images"


@register
class R2Gen:
    name = "r2gen"
    title = "R2Gen annotation.json"

    def recognises(self, path: Path) -> bool:
        return (path / ANNOTATION).is_file()

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort:
        rows, problems = _rows(path / ANNOTATION)
        listing = list_files(path, (IMAGES,))
        table = pd.DataFrame(rows, columns=["image_id", "patient_id", "study_id", "path", "report", "split"])
        table["split"] = values.splits(table["split"])
        table, missing = fields.present_rows(table, listing.files)
        problems += [*listing.problems, *missing, *fields.unlisted(listing.images(), table)]
        return Cohort.of(table, path, name=self.name, problems=problems)


def _rows(path: Path) -> tuple[list[dict[str, Any]], list[Problem]]:
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        records = [(split, record) for split, listed in parts.items() for record in listed]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        raise InputError(f"{path} is not JSON of parts with records; download it again") from None
    rows: list[dict[str, Any]] = []
    problems = []
    for number, (split, record) in enumerate(records, start=1):
        try:
            rows += _record(split, record)
        except (KeyError, TypeError, AttributeError):
            problems.append(Problem(f"record {number}", "record without id, report or images"))
    return rows, problems


def _record(split: str, record: dict[str, Any]) -> list[dict[str, Any]]:
    identity = str(record["id"])
    return [
        {
            "image_id": image.rpartition(".")[0],
            "patient_id": str(record.get("subject_id", identity.partition("_")[0])),
            "study_id": str(record.get("study_id", identity)),
            "path": f"{IMAGES}/{image}",
            "report": record["report"],
            "split": split,
        }
        for image in record["image_path"]
    ]

"""The writer of `release`: images as PNG files and one table, which together are a cohort.

data/images/<first two digits>/<image>.png, data/cohort.parquet
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
from pydicom.dataset import FileDataset

from medveil.cohort import LABELS, Cohort
from medveil.cohort.cohort import FILE
from medveil.cohort.dicom.opening import head_of, may_be_dicom, open_dicom
from medveil.cohort.images import inside, load_image
from medveil.cohort.schema import Rows
from medveil.defenses.headers.known_in_header import known_in
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.release.clean.groups import Group, ImageRow
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.records import DATA, Written, released_files, withdrawn
from medveil.release.clean.reviewed import NONE, FilmChoices
from medveil.runtime.journal import Entry


@dataclass(frozen=True)
class TableWriter:
    """An image as displayed, at its own bit depth, its report and its row of the table are cleaned as one."""

    name = "table"

    def identifier(self, one: ImageRow, keys: Keys) -> str:
        return keys.pseudonym("image", one.image)

    def path(self, one: ImageRow, keys: Keys) -> str:
        name = self.identifier(one, keys)
        return f"images/{name[:2]}/{name}.png"

    def written(
        self,
        one: ImageRow,
        group: Group,
        person: Person,
        root: Path,
        engine: Engine,
        choices: FilmChoices = NONE,
    ) -> Written:
        row = dict(one.row)
        report = row.pop("report")
        picture = load_image(root, one.path, frame=row["frame"])
        header = header_of(root, one.path)
        text = str(report) if pd.notna(report) else None
        subject = Subject(person, picture=picture, text=text, row=row, choices=choices, header=header, draw=one.draw)
        subject = engine.clean(subject)
        assert subject.picture is not None and subject.row is not None
        if subject.text is not None and engine.covers("reports"):
            refuse_leftovers(subject.text.encode(), person.known)
        _, png = cv2.imencode(".png", subject.picture)
        row = {**subject.row, "report": subject.text, "path": self.path(one, engine.keys), "frame": 0}
        return Written(png.tobytes(), subject.done, subject.masked, subject.painted, row=plain_row(row))

    def finish(self, out: Path, name: str) -> set[str]:
        """In the order of the pseudonyms: the source's order may itself tell."""
        gone = withdrawn(out)
        rows = Rows()
        rows.extend(entry["row"] for entry in released_files(out) if entry["path"] not in gone)
        table = rows.table()
        if not len(table):
            (out / DATA / FILE).unlink(missing_ok=True)
            return set()
        table = table.sort_values("image_id", ignore_index=True)
        Cohort.of(table, out / DATA, name=f"{name}, released").save(out / DATA)
        return {FILE}


def header_of(root: Path, file: str) -> FileDataset | None:
    """Of a DICOM file: its report is not cleaned without what it tells of the person, nor its image."""
    path = inside(root, file)
    if not may_be_dicom(head_of(path)):
        return None
    header = open_dicom(path, pixels=False)
    known_in(header)
    return header


def plain_row(row: dict[str, Any]) -> Entry:
    """A row in JSON's own types, without what is missing; labels only where they say something."""
    plain: Entry = {}
    for column, value in row.items():
        if value is None or pd.isna(value):
            continue
        if column in LABELS:
            plain[column] = int(value)
        elif column == "date":
            plain[column] = value.date().isoformat()
        else:
            plain[column] = value.item() if isinstance(value, np.generic) else value
    return plain

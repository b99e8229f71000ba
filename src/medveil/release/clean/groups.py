"""The work in pieces: everything of one patient together, so that what one file tells is known for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medveil.cohort import Cohort
from medveil.cohort.input import Kind, SourceFile
from medveil.cohort.schema import CHUNK
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.written_dates import DateOrder, order_of
from medveil.release.clean.people import gathered

MOST_FILES = 200  # in one piece; a patient with more comes in several


@dataclass(frozen=True)
class ImageRow:
    """An image of a cohort with its row. It belongs to whom the row says. Of several draws of an image each has a row
    of its own, which differs in the image's id."""

    row: dict[str, Any]
    draw: int = 0
    kind = Kind.IMAGE
    own = False

    @property
    def path(self) -> str:
        return str(self.row["path"])

    @property
    def patient(self) -> str:
        return str(self.row["patient_id"])

    @property
    def study(self) -> str:
        return str(self.row["study_id"])

    @property
    def image(self) -> str:
        return str(self.row["image_id"])


Item = SourceFile | ImageRow


@dataclass(frozen=True)
class Group:
    """What there is of one patient, or one table with the files of all patients it may speak of."""

    patient: str
    files: tuple[Item, ...]
    headers: dict[str, tuple[str, ...]] = field(default_factory=dict)  # where more than its own are needed: by patient
    date_order: DateOrder | None = None  # of the cohort's reports, for those that do not tell

    @property
    def header_files(self) -> tuple[str, ...]:
        """The files that tell of the patient by a header."""
        return tuple(dict.fromkeys((*_with_headers(self.files), *self.headers.get(self.patient, ()))))

    def person(self, keys: Keys, root: Path) -> Person:
        """The patient, as these headers, the names of the files and the rows know one."""
        rows = [one.row for one in self.files if isinstance(one, ImageRow)]
        person = gathered(keys, root, self.patient, self.header_files, [one.path for one in self.files], rows)
        return replace(person, date_order=self.date_order) if self.date_order else person

    def alone(self, one: Item) -> Group:
        """One file of the group, which still knows what the others tell."""
        return replace(self, files=(one,), headers=self.headers | {self.patient: self.header_files})


def grouped(items: Iterable[Item], keys: Keys) -> Iterator[Group]:
    """In the order of the pseudonyms, which says nothing of the input's; tables last."""
    patients: dict[str, list[Item]] = defaultdict(list)
    tables = []
    for one in items:
        if one.kind.is_table:
            tables.append(one)
        else:
            patients[one.patient].append(one)
    in_order = sorted(patients, key=lambda patient: keys.pseudonym("patient", patient))
    date_order = order_of(_reports(one for patient in in_order for one in patients[patient]))
    for patient in in_order:
        files = sorted(patients[patient], key=_order)
        # what one piece tells of the patient must be known in the others
        headers = {patient: _telling(files)} if len(files) > MOST_FILES else {}
        for start in range(0, len(files), MOST_FILES):
            yield Group(patient, tuple(files[start : start + MOST_FILES]), headers, date_order)
    headers = {patient: _telling(files) for patient, files in patients.items()} if tables else {}
    for table in sorted(tables, key=lambda one: keys.pseudonym("file", one.path)):
        yield Group("", (table,), {patient: files for patient, files in headers.items() if files})


def _reports(items: Iterable[Item]) -> Iterator[str]:
    rows = (one.row for one in items if isinstance(one, ImageRow))
    return (report for row in rows if isinstance(report := row.get("report"), str))


def image_rows(cohort: Cohort, draws: int = 1) -> Iterator[ImageRow]:
    """Rows as plain dicts, a thousand at a time: a table of a million is never copied whole. Each as often as it is
    drawn."""
    for start in range(0, len(cohort), CHUNK):
        for row in cohort.table.iloc[start : start + CHUNK].to_dict("records"):
            for draw in range(draws):
                yield ImageRow(row | {"image_id": drawn_id(row["image_id"], draw)}, draw)


def drawn_id(image: str, draw: int) -> str:
    """What a draw of an image goes by; the first has the image's own id."""
    return f"{image}, draw {draw + 1}" if draw else image


def _order(one: Item) -> tuple[str, str, str]:
    return one.study, one.path, one.image or ""


def _with_headers(files: Sequence[Item]) -> tuple[str, ...]:
    """DICOM files; of an image of a cohort only a look tells, which the one who reads it takes."""
    return tuple(one.path for one in files if one.kind is Kind.DICOM or isinstance(one, ImageRow))


def _telling(files: Sequence[Item]) -> tuple[str, ...]:
    """As many headers as one piece may have, from all over the patient's studies."""
    found = _with_headers(sorted(files, key=_order))
    return found[:: -(-len(found) // MOST_FILES) or 1]

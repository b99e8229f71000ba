"""The work in pieces: the files of one patient together, so that what one of them tells is known for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from medveil.cohort.input import Kind, SourceFile
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.people import gathered

MOST_FILES = 200  # in one piece; a patient with more comes in several


@dataclass(frozen=True)
class Group:
    """Files of one patient, or one table with the files of all patients it may speak of."""

    patient: str
    files: tuple[SourceFile, ...]
    headers: dict[str, tuple[str, ...]] = field(default_factory=dict)  # where more than its own are needed: by patient

    @property
    def header_files(self) -> tuple[str, ...]:
        """The DICOM files that tell of the patient."""
        return tuple(dict.fromkeys((*_dicom(self.files), *self.headers.get(self.patient, ()))))

    def person(self, keys: Keys, root: Path) -> Person:
        """The patient, as these headers and the names of the files know one."""
        return gathered(keys, root, self.patient, self.header_files, [one.path for one in self.files])

    def alone(self, one: SourceFile) -> Group:
        """One file of the group, which still knows what the others tell."""
        return Group(self.patient, (one,), self.headers | {self.patient: self.header_files})


def grouped(linked: Iterable[SourceFile], keys: Keys) -> Iterator[Group]:
    """In the order of the pseudonyms, which says nothing of the input's; tables last."""
    patients: dict[str, list[SourceFile]] = defaultdict(list)
    tables = []
    for one in linked:
        if one.kind.is_table:
            tables.append(one)
        else:
            patients[one.patient].append(one)
    for patient in sorted(patients, key=lambda patient: keys.pseudonym("patient", patient)):
        files = sorted(patients[patient], key=lambda one: (one.study, one.path))
        # what one piece tells of the patient must be known in the others
        headers = {patient: _telling(files)} if len(files) > MOST_FILES else {}
        for start in range(0, len(files), MOST_FILES):
            yield Group(patient, tuple(files[start : start + MOST_FILES]), headers)
    headers = {patient: _telling(files) for patient, files in patients.items()}
    for table in sorted(tables, key=lambda one: keys.pseudonym("file", one.path)):
        yield Group("", (table,), {patient: files for patient, files in headers.items() if files})


def _dicom(files: Iterable[SourceFile]) -> tuple[str, ...]:
    return tuple(one.path for one in files if one.kind is Kind.DICOM)


def _telling(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """As many headers as one piece may have, from all over the patient's studies."""
    found = sorted((one.study, one.path) for one in files if one.kind is Kind.DICOM)
    return tuple(file for _, file in found[:: -(-len(found) // MOST_FILES) or 1])

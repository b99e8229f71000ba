"""Whose file each file is: reports and bare images find the patient and the study they belong to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from medveil.cohort.input.entries import Entry, normal, spelled_numbers
from medveil.cohort.input.kinds import Kind

OWN = "\x1f"  # begins the key of a person who has no id: no patient id can


@dataclass(frozen=True)
class SourceFile:
    """A file of the input, by its path below the root, and whose it is.

    `own` files belong to nobody known: each is a person of its own, unless a study holds several together.
    """

    path: str
    kind: Kind
    patient: str
    study: str = ""
    image: str | None = None
    accession: str | None = None
    issuer: str | None = None  # of the patient's id
    own: bool = False
    set_aside: frozenset[int] = frozenset()  # of a table, the numbers of the rows that could not be used


class Links:
    """What the DICOM files and the tree say of who is who."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_number: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._by_stem: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._by_folder: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._twins: dict[str, Entry] = {}  # pictures of nobody known, by the name that a report of theirs would have
        for entry in entries:
            if entry.kind is Kind.DICOM or entry.patient:
                self._learn(entry)
            elif entry.kind is Kind.IMAGE:
                self._twins[str(PurePosixPath(entry.file).with_suffix(""))] = entry

    def link(self, entry: Entry) -> SourceFile:
        if entry.patient:
            return _file(entry, entry.patient, entry.study or self._only_study(entry) or "")
        if entry.kind is Kind.DICOM:
            # a study holds together what has no patient id
            return _file(entry, f"{OWN}study {entry.study}" if entry.study else _own(entry), entry.study or "")
        for found in self._guesses(entry):
            patients = {patient for patient, _ in found}
            if len(patients) == 1:
                studies = {study for _, study in found if study}
                return _file(entry, patients.pop(), studies.pop() if len(studies) == 1 else "")
        return _file(entry, _own(entry), "")

    def _learn(self, entry: Entry) -> None:
        if entry.kind is Kind.DICOM:
            linked = self.link(replace(entry, numbers=()))
            patient, study = linked.patient, linked.study
        else:
            patient, study = entry.patient or "", entry.study or ""
        path = PurePosixPath(entry.file)
        for number in (entry.study, entry.image, entry.accession):
            for spelled in spelled_numbers(number):
                self._by_number[spelled].add((patient, study))
        for spelled in spelled_numbers(entry.patient):
            self._by_number[spelled].add((patient, ""))
        for stem in (str(path), str(path.with_suffix(""))):
            self._by_stem[stem].add((patient, study))
        self._by_folder[str(path.parent)].add((patient, study))

    def _guesses(self, entry: Entry) -> Iterator[set[tuple[str, str]]]:
        """From the surest sign to the weakest; each may still point to several people, and then says nothing."""
        path = PurePosixPath(entry.file)
        yield self._by_number.get(normal(path.stem), set())
        yield self._by_stem.get(str(path.with_suffix("")), set())
        named = [self._by_number[number] for number in entry.numbers if number in self._by_number]
        yield _agreed(named)
        for folder in (path.parent, *path.parent.parents):
            if str(folder) != ".":
                yield self._by_number.get(normal(folder.name), set())
        if str(path.parent) != ".":
            yield self._by_folder.get(str(path.parent), set())
        if entry.kind is Kind.REPORT and (twin := self._twins.get(str(path.with_suffix("")))):
            linked = self.link(twin)
            yield {(linked.patient, linked.study)}

    def _only_study(self, entry: Entry) -> str | None:
        found = {study for _, study in self._by_folder.get(str(PurePosixPath(entry.file).parent), ()) if study}
        return found.pop() if len(found) == 1 else None


def _own(entry: Entry) -> str:
    return f"{OWN}document {entry.file}"


def _file(entry: Entry, patient: str, study: str) -> SourceFile:
    own = patient.startswith(OWN)
    return SourceFile(entry.file, entry.kind, patient, study, entry.image, entry.accession, entry.issuer, own)


def _agreed(found: list[set[tuple[str, str]]]) -> set[tuple[str, str]]:
    """What several numbers say together: of the studies named, those of the one patient."""
    everyone = {pair for pairs in found for pair in pairs}
    studies = {(patient, study) for patient, study in everyone if study}
    patients = {patient for patient, _ in everyone}
    return studies if len(patients) == 1 and studies else everyone

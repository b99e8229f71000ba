"""`read_source`: what lies at a path, as files with their owners and as a table of images."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from medveil.cohort.cohort import FILE, Cohort, Problem
from medveil.cohort.dicom.many import read_many
from medveil.cohort.input.entries import Entry, look_at, normal
from medveil.cohort.input.kinds import Kind, is_left_out
from medveil.cohort.input.linking import Links, SourceFile
from medveil.cohort.input.options import InputOptions
from medveil.cohort.phantom.hospital import SETTINGS as PHANTOM
from medveil.cohort.readers import Progress, Reader, readers
from medveil.cohort.readers.listing import list_files
from medveil.errors import InputError, Quarantined

STRANGE = "not a kind of file that can be cleaned"


@dataclass(frozen=True)
class _Files:
    linked: tuple[SourceFile, ...]
    problems: tuple[Problem, ...]
    left_out: int
    doubtful_ids: int


@dataclass(frozen=True)
class Source:
    """What lies at a path. Files and cohort are read when they are first asked for, and then kept.

    The same image has the same patient and study in `files` and in `cohort`.
    """

    path: Path
    layout: str | None = None
    options: InputOptions = field(default_factory=InputOptions)
    workers: int | None = None
    progress: Progress | None = None

    @property
    def root(self) -> Path:
        """The folder that all paths are relative to."""
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Every file that can be cleaned, with its kind and whose it is."""
        return self._files.linked

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files and rows that were set aside, each with the reason; the names may identify people."""
        return self._files.problems

    @property
    def left_out(self) -> int:
        """How many files are nobody's data: litter, DICOMDIRs, a phantom's answer key."""
        return self._files.left_out

    @property
    def doubtful_ids(self) -> int:
        """How many patient ids were given by several issuers: one person, or several?"""
        return self._files.doubtful_ids

    @cached_property
    def cohort(self) -> Cohort:
        """The table of images, one row an image."""
        reader = self._reader
        if reader is not None:
            return reader.read(self.path, progress=self.progress)
        if (self.path / FILE).is_file():
            return Cohort.open(self.path)
        known = ", ".join(reader.title for reader in readers().values())
        raise InputError(f"{self.path} is in no known layout; known are {known}, a saved cohort and a CSV file")

    @cached_property
    def _reader(self) -> Reader | None:
        if self.layout is not None:
            return readers()[self.layout]
        if (self.path / FILE).is_file():
            return None
        return next((reader for reader in readers().values() if reader.recognises(self.path)), None)

    @cached_property
    def _owners(self) -> dict[str, tuple[str, str, str]]:
        """What a recognised layout says of whose a file is: patient, study and image by path."""
        reader = self._reader
        if reader is None or reader.name == "dicom" or (reader.general and self.path.is_file()):
            return {}
        columns = ("patient_id", "study_id", "image_id")
        table = self.cohort.table
        return dict(zip(table["path"], zip(*(table[column] for column in columns), strict=True), strict=True))

    @cached_property
    def _files(self) -> _Files:
        names, problems, left_out = self._listed()
        entries: list[Entry] = []
        seen = read_many(partial(look_at, self.root), names, workers=self.workers)
        for done, (file, entry) in enumerate(zip(names, seen, strict=True), start=1):
            if isinstance(entry, Quarantined):
                problems.append(Problem(file, entry.reason))
            elif entry.kind is Kind.OTHER:
                problems.append(Problem(file, STRANGE))
            elif entry.directory:
                left_out += 1
            else:
                entries.append(self._owned(entry))
            if self.progress:
                self.progress(done, len(names))
        links = Links(entries)
        return _Files(tuple(map(links.link, entries)), tuple(problems), left_out, _doubtful_ids(entries))

    def _owned(self, entry: Entry) -> Entry:
        owner = self._owners.get(entry.file)
        if owner is None:
            return entry
        patient, study, image = owner
        return replace(entry, patient=patient, study=study, image=entry.image or image)

    def _listed(self) -> tuple[list[str], list[Problem], int]:
        if self.path.is_file():
            return [self.path.name], [], 0
        listing = list_files(self.path)
        phantom = (self.path / PHANTOM).exists()
        names = sorted(file for file in listing.files if not is_left_out(file, phantom))
        problems = sorted(listing.problems, key=lambda problem: (problem.path, problem.reason))
        if not names and not problems:
            raise InputError(f"{self.path} is empty; name a folder of DICOM files, images or reports")
        return names, problems, len(listing.files) - len(names)


def read_source(
    path: Path,
    *,
    layout: str | None = None,
    options: InputOptions | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Source:
    """A folder of DICOM files, images, reports and tables in any mixture, a data set in a known layout, or one file."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"there is nothing at {path}; check the path")
    if layout is not None and layout not in readers():
        raise InputError(f"there is no layout of that name; choose one of {', '.join(readers())}")
    return Source(path, layout, options or InputOptions(), workers, progress)


def read_cohort(
    path: Path,
    *,
    layout: str | None = None,
    options: InputOptions | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Cohort:
    """The table of images at a path, alone."""
    return read_source(path, layout=layout, options=options, workers=workers, progress=progress).cohort


def _doubtful_ids(entries: list[Entry]) -> int:
    issuers: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.patient and entry.issuer:
            issuers[entry.patient].add(normal(entry.issuer))
    return sum(len(several) > 1 for several in issuers.values())

"""`read_source`: what lies at a path, as files with their owners and as a table of images."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import FILE, Cohort, Problem
from medveil.cohort.input.kinds import is_left_out
from medveil.cohort.input.linking import SourceFile
from medveil.cohort.input.mixture import Mixture
from medveil.cohort.input.options import InputOptions
from medveil.cohort.input.told import Told, is_table, told_by_tables
from medveil.cohort.phantom.hospital import SETTINGS as PHANTOM
from medveil.cohort.readers import Progress, Reader, readers
from medveil.cohort.readers.listing import list_files
from medveil.cohort.tables.columns import ALIASES, understood
from medveil.cohort.tables.paths import plain_paths
from medveil.cohort.tables.reading import header_of
from medveil.errors import InputError

GENERAL = {
    "csv": "a table of images and patients (CSV or .xlsx), and nothing that it does not name",
    "dicom": "DICOM files and reports alone, whatever else lies there",
}
_NO_IMAGES = (".txt", ".text", ".jsonl", ".ndjson", ".xml", ".json", ".parquet", ".pdf")


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
        return self._mixture.files

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files and rows that were set aside, each with the reason; the names may identify people."""
        return (*self._listed[1], *self._mixture.problems)

    @property
    def left_out(self) -> int:
        """How many files are nobody's data: litter, DICOMDIRs, a phantom's answer key."""
        return self._listed[2] + self._mixture.directories

    @property
    def doubtful_ids(self) -> int:
        """How many patient ids were given by several issuers: one person, or several?"""
        return self._mixture.doubtful_ids

    @cached_property
    def cohort(self) -> Cohort:
        """The table of images, one row an image."""
        if self._reader is not None:
            return self._reader.read(self.path, progress=self.progress)
        if self._is_saved:
            return Cohort.open(self.path)
        if self.layout == "csv" or (self.path.is_file() and is_table(self.path.name)):
            self._refuse_silent_table()
        cohort = self._mixture.cohort
        return Cohort(cohort.table, cohort.root, cohort.name, (*self._listed[1], *cohort.problems))

    @cached_property
    def _reader(self) -> Reader | None:
        """Of a data set that has a layout of its own."""
        if self.layout is not None:
            return readers().get(self.layout)
        if self._is_saved:
            return None
        return next((reader for reader in readers().values() if reader.recognises(self.path)), None)

    @property
    def _is_saved(self) -> bool:
        return self.layout is None and (self.path / FILE).is_file()

    @cached_property
    def _mixture(self) -> Mixture:
        names, _, _ = self._listed
        return Mixture(self.root, names, self._told, self._owners(), self.layout, self.workers, self.progress)

    def _owners(self) -> dict[str, tuple[str, str, str]]:
        """What a data set's own layout says of whose a file is: patient, study and image."""
        if self._reader is None and (not self._is_saved or (self.path / PHANTOM).exists()):
            return {}
        table = self.cohort.table
        ids = (table[column] for column in ("patient_id", "study_id", "image_id"))
        return dict(zip(table["path"], zip(*ids, strict=True), strict=True))

    @cached_property
    def _told(self) -> Told:
        has_layout = self._reader is not None or self._is_saved
        tables = [] if has_layout or self.layout == "dicom" else [file for file in self._all_names if is_table(file)]
        if self.options.columns and not tables:
            raise InputError("--map is for tables of your own, and there is none here; leave it out")
        return told_by_tables(self.root, tables, self._files_for, self.options)

    @cached_property
    def _all_names(self) -> list[str]:
        return [self.path.name] if self.path.is_file() else self._folder[0]

    @cached_property
    def _listed(self) -> tuple[list[str], list[Problem], int]:
        """The files, what could not be listed, and how many were left out."""
        if self.path.is_file():
            named = set(self._told.rows["path"]) | self._told.set_aside if is_table(self.path.name) else set()
            return sorted({self.path.name, *named}), [], 0
        names, problems, left_out = self._folder
        if self.layout == "csv":
            rows = set(self._told.rows["path"]) | self._told.set_aside | self._told.tables
            return sorted(rows), [], 0
        return names, problems, left_out

    @cached_property
    def _folder(self) -> tuple[list[str], list[Problem], int]:
        listing = list_files(self.path)
        phantom = (self.path / PHANTOM).exists()
        names = sorted(file for file in listing.files if not is_left_out(file, phantom))
        problems = sorted(listing.problems, key=lambda problem: (problem.path, problem.reason))
        if not names and not problems:
            raise InputError(f"{self.path} is empty; name a folder of DICOM files, images or reports")
        return names, problems, len(listing.files) - len(names)

    def _files_for(self, paths: pd.Series) -> Collection[str]:
        """The files that rows may mean. Around one table there may lie much else: first only where its paths lead."""
        if self.path.is_dir():
            return frozenset(file for file in self._folder[0] if _may_be_image(file))
        plain = plain_paths(paths.dropna())
        inside = plain[~plain.str.contains(r"^/|^[A-Za-z]:|(?:^|/)\.\.(?:/|$)|\x00", regex=True)]
        flat = not inside.str.contains("/", regex=False).all()
        near = list_files(self.root, {""} if flat else set(inside.str.split("/").str[0])).files
        files = near if plain.isin(near).all() else list_files(self.root).files
        return frozenset(file for file in files if _may_be_image(file))

    def _refuse_silent_table(self) -> None:
        """A table on its own must name images and patients."""
        if len(self._told.rows) or len(self._told.by_number):
            return
        tables = (
            [self.path] if self.path.is_file() else [self.root / file for file in self._all_names if is_table(file)]
        )
        if not tables:
            raise InputError(f"{self.path} holds no table; name a folder or a file that has one")
        header = header_of(tables[0])
        if not header:
            raise InputError(f"{tables[0]} is not a readable table; export it again as CSV in UTF-8 or as .xlsx")
        columns = understood(header, self.options.columns)
        for needed in ("path", "patient_id"):
            if needed not in columns:
                usual = " or ".join(ALIASES[needed][:3])
                raise InputError(f"{tables[0]} has no {needed} column; name one {usual}, or say which it is with --map")
        raise InputError(
            f"none of the files that {tables[0]} names could be used; put the table beside the images, "
            "or name the folder that holds both"
        )


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
    if layout is not None and layout not in layouts():
        raise InputError(f"there is no layout of that name; choose one of {', '.join(layouts())}")
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


def layouts() -> dict[str, str]:
    """The words that `--layout` understands, each with what it is: data sets first, then the general ones."""
    return {name: reader.title for name, reader in readers().items()} | GENERAL


def _may_be_image(file: str) -> bool:
    return not is_table(file) and not file.lower().endswith(_NO_IMAGES)

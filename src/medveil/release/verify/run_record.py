"""What a run noted of itself: which writer made the output, from which layout, and how it was to be cleaned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from medveil.cohort import Problem
from medveil.cohort.input import InputOptions, Source, read_source
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.defenses.headers.profile import Profile
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean.dicom_writer import DicomWriter
from medveil.release.clean.groups import Group, grouped, image_rows
from medveil.release.clean.run import without_repeats
from medveil.release.clean.table_file import ColumnSettings
from medveil.release.clean.table_writer import TableWriter
from medveil.release.clean.writer import Writer
from medveil.release.folder import read_run

_TOLD = ("ages", "sites", "dates", "studies", "plan")
_WRITERS: dict[str, Writer] = {writer.name: writer for writer in (DicomWriter(), TableWriter())}


@dataclass(frozen=True)
class Originals:
    """What an output was made from: in groups of patients, and what was set aside before."""

    root: Path
    groups: list[Group]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class RunRecord:
    """`columns` are those of tables of reports, and how much is told of the table of images. Films `made_anew` are not
    compared pixel by pixel."""

    writer: Writer
    profile: Profile
    columns: ColumnSettings
    layout: str | None = None
    options: InputOptions = field(default_factory=InputOptions)
    made_anew: bool = False
    draws: int = 1  # of each image

    @classmethod
    def of(cls, out: Path) -> RunRecord:
        """From the run's own note, which identifies nobody."""
        try:
            run = read_run(out)
            told = run["settings"]["defenses"]
            columns = told.get("table", {})
            settings = ColumnSettings(
                report_columns=tuple(map(str, columns.get("report_columns", ()))),
                patient_column=columns.get("patient_column"),
                keep_columns=tuple(map(str, columns.get("keep_columns", ()))),
                **{name: columns[name] for name in _TOLD if name in columns},
            )
            writer = _WRITERS[run["writer"]]
            headers = told["headers"] if writer.name == "dicom" else told.get("headers")
            profile = Profile.of(headers["profile"]) if headers else Profile.default()
            told_input = run["settings"].get("input") or {}
            options = InputOptions.of(told_input.get("map"), told_input.get("date_order"))
            anatomy = told.get(HiddenAnatomy.name)
            draws = int(anatomy["draws"]) if anatomy else 1
            return cls(writer, profile, settings, run["settings"].get("layout"), options, anatomy is not None, draws)
        except (KeyError, TypeError, AttributeError, SettingsError):
            raise InputError(
                f"{out} was made by an earlier version that did not note how; run the same command into a new folder"
            ) from None

    def keys(self, keys: Keys) -> Keys:
        """The site's, with dates and ages treated as the run did."""
        return replace(keys, moves_dates=self.profile.moves_dates, tellings=self.columns.tellings)

    @property
    def is_table(self) -> bool:
        """Whether the output is images and a table."""
        return self.writer.name == "table"

    def read(
        self, source: Path, *, workers: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Source:
        """In the way that the run read it: another would give files to other people."""
        return read_source(source, layout=self.layout, options=self.options, workers=workers, progress=progress)

    def originals(self, source: Source, keys: Keys) -> Originals:
        """In the same groups as the run had them."""
        if self.is_table:
            cohort = source.cohort
            return Originals(cohort.root, list(grouped(image_rows(cohort, self.draws), keys)), cohort.problems)
        groups, repeats = without_repeats(grouped(source.files, keys), self.writer, keys)
        return Originals(source.root, groups, (*source.problems, *repeats))

"""What a run noted of itself: how headers were to be cleaned, and which columns of tables are what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medveil.cohort.input import InputOptions, Source, read_source
from medveil.defenses.headers.profile import Profile
from medveil.errors import InputError, SettingsError
from medveil.release.clean.table_file import ColumnSettings
from medveil.release.folder import read_run


def read_as_recorded(
    source: Path, out: Path, *, workers: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Source:
    """The source, read in the way that the run noted: another would give files to other people."""
    settings = read_run(out).get("settings", {})
    told = settings.get("input") or {}
    options = InputOptions.of(told.get("map"), told.get("date_order"))
    return read_source(source, layout=settings.get("layout"), options=options, workers=workers, progress=progress)


@dataclass(frozen=True)
class Recorded:
    profile: Profile
    columns: ColumnSettings

    @classmethod
    def of(cls, out: Path) -> Recorded:
        """From the run's own note, which identifies nobody."""
        try:
            told = read_run(out)["settings"]["defenses"]
            columns = told.get("records", {})
            settings = ColumnSettings(
                report_columns=tuple(map(str, columns.get("report_columns", ()))),
                patient_column=columns.get("patient_column"),
                keep_columns=tuple(map(str, columns.get("keep_columns", ()))),
            )
            return cls(Profile.of(told["headers"]["profile"]), settings)
        except (KeyError, TypeError, AttributeError, SettingsError):
            raise InputError(
                f"{out} was made by an earlier version that did not note how; run medveil deid into a new folder"
            ) from None

"""What a run noted of itself: how headers were to be cleaned, and which columns of tables are what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from medveil.defenses.headers.profile import Profile
from medveil.errors import InputError, SettingsError
from medveil.release.clean.settings import DeidSettings
from medveil.release.folder import read_run


@dataclass(frozen=True)
class Recorded:
    profile: Profile
    columns: DeidSettings  # of which only the columns of tables count

    @classmethod
    def of(cls, out: Path) -> Recorded:
        """From the run's own note, which identifies nobody."""
        try:
            told = read_run(out)["settings"]
            columns = DeidSettings(
                report_columns=tuple(map(str, told["report_columns"])),
                patient_column=told["patient_column"],
                keep_columns=tuple(map(str, told["keep_columns"])),
            )
            return cls(Profile.of(told["profile"]), columns)
        except (KeyError, TypeError, AttributeError, SettingsError):
            raise InputError(
                f"{out} was made by an earlier version that did not note how; run medveil deid into a new folder"
            ) from None

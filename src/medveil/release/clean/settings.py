"""What a de-identification is run with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast, get_args

from medveil.defenses.headers.profile import Profile
from medveil.errors import SettingsError

ReportStyle = Literal["surrogates", "placeholders", "rewritten"]
Fill = Literal["generator", "classical", "box"]


@dataclass(frozen=True)
class DeidSettings:
    """`profile` is a file in the standard's words, the columns are those of tables of reports."""

    reports: ReportStyle = "surrogates"
    rewriter: str | None = None
    fill: Fill = "generator"
    profile: Path | None = None
    report_columns: tuple[str, ...] = ()
    patient_column: str | None = None
    keep_columns: tuple[str, ...] = ()
    profile_as_read: str = field(init=False, repr=False)  # the same file may say something else the next time

    @classmethod
    def of(cls, *, reports: str, fill: str, **others: Any) -> DeidSettings:
        """From words the user typed."""
        if reports not in get_args(ReportStyle):
            raise SettingsError(f"reports come out as one of {', '.join(get_args(ReportStyle))}")
        if fill not in get_args(Fill):
            raise SettingsError(f"removed text is filled by one of {', '.join(get_args(Fill))}")
        return cls(reports=cast(ReportStyle, reports), fill=cast(Fill, fill), **others)

    def __post_init__(self) -> None:
        if self.rewriter and self.reports != "rewritten":
            raise SettingsError("a rewriter is used for rewritten reports only; add --reports rewritten")
        named = [*self.report_columns, *filter(None, (self.patient_column,)), *self.keep_columns]
        if len(set(named)) < len(named):
            raise SettingsError("a column is named twice; name each once, for reports, patients or to keep")
        object.__setattr__(self, "profile_as_read", repr(self.header_profile.told()))

    @property
    def realistic(self) -> bool:
        """Whether stand-ins look like what they stand for."""
        return self.reports != "placeholders"

    @cached_property
    def header_profile(self) -> Profile:
        """What is done with headers."""
        return Profile.default() if self.profile is None else Profile.read(self.profile)

    def told(self) -> dict[str, Any]:
        """For the record of a run: the same words mean the same output."""
        return {
            "reports": self.reports,
            "rewriter": self.rewriter,
            "fill": self.fill,
            "profile": self.header_profile.told(),
            "report_columns": list(self.report_columns),
            "patient_column": self.patient_column,
            "keep_columns": list(self.keep_columns),
        }

"""Which defenses an engine is made of, each with its settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from medveil.errors import SettingsError
from medveil.part_settings import settings_class
from medveil.parts import registered

Chosen = tuple[tuple[str, Any], ...]  # name and frozen settings


def default_defenses(**changed: dict[str, Any]) -> Chosen:
    """Those that run unasked; settings other than the default ones by the defense's name, with _ for -."""
    parts = {name: part for name, part in registered("defenses").items() if part.default}
    return tuple(
        (name, settings_class(part)(**changed.get(name.replace("-", "_"), {}))) for name, part in parts.items()
    )


def deid_defenses(
    *,
    reports: str = "surrogates",
    rewriter: str | None = None,
    fill: str = "generator",
    profile: Path | None = None,
    report_columns: tuple[str, ...] = (),
    patient_column: str | None = None,
    keep_columns: tuple[str, ...] = (),
) -> Chosen:
    """The default ones as the flags of `medveil deid` set them. Stand-ins look real unless placeholders are wanted."""
    return default_defenses(
        headers={"profile": profile, "realistic": reports != "placeholders"},
        clean_reports={"style": reports, "rewriter": rewriter},
        remove_text={"fill": fill},
        records={
            "report_columns": report_columns,
            "patient_column": patient_column,
            "keep_columns": keep_columns,
        },
    )


def named_defenses(names: tuple[str, ...]) -> Chosen:
    """By name; the default ones where none is named."""
    parts = registered("defenses")
    for name in names:
        if name not in parts:
            raise SettingsError(f"there is no defense called {name}; choose from {', '.join(parts)}")
    return tuple((name, settings_class(parts[name])()) for name in names) if names else default_defenses()

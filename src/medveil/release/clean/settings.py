"""Which defenses an engine is made of, each with its settings, as `medveil deid` sets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from medveil.parts import DEFAULT, Choice, choose

Chosen = tuple[Choice, ...]


def deid_defenses(
    *,
    reports: str = "surrogates",
    rewriter: str | None = None,
    tagger: str | None = None,
    fill: str = "classical",
    all_text: bool = False,
    profile: Path | None = None,
    report_columns: tuple[str, ...] = (),
    patient_column: str | None = None,
    keep_columns: tuple[str, ...] = (),
    texts: tuple[str, ...] = (),
) -> Chosen:
    """Those that run unasked, as the flags set them, and texts such as `pixels:faces=keep` where no flag does.

    Surrogates look real unless placeholders are wanted.
    """
    said: dict[str, dict[str, Any]] = {
        "headers": {"profile": profile, "realistic": reports != "placeholders"},
        "reports": {"style": reports, "rewriter": rewriter, "tagger": tagger},
        "pixels": {"fill": fill, "markers": "remove" if all_text else "keep"},
        "table": {
            "report_columns": report_columns,
            "patient_column": patient_column,
            "keep_columns": keep_columns,
        },
    }
    chosen = choose("defenses", (DEFAULT, *texts))
    return tuple(replace(one, settings=_set(one.settings, said.get(one.name, {}))) for one in chosen)


def _set(settings: Any, said: dict[str, Any]) -> Any:
    """With what was said, but where that is no more than the default."""
    usual = type(settings)()
    return replace(settings, **{key: value for key, value in said.items() if value != getattr(usual, key)})

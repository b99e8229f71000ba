"""What is protected: the table of images, one way in for every command, DICOM, and the phantom hospital.

Start at `input.read_source`: it gives the files of a folder and their `Cohort` (`cohort`; its columns are in `schema`).
`tables` reads spreadsheets, `readers` the published data sets, `dicom` the files; `phantom` invents a hospital.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort, Problem
    from medveil.cohort.schema import LABELS

__all__ = ["LABELS", "Cohort", "Problem"]

_HOMES = {"Cohort": "cohort", "Problem": "cohort", "LABELS": "schema"}


def __getattr__(name: str) -> Any:
    """Loaded when asked for: workers that only draw or decode need no tables."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

"""Reading a data set: `read_cohort` recognises what a folder or table holds and brings it into a cohort."""

from __future__ import annotations

from pathlib import Path

from medveil.cohort.cohort import FILE, Cohort
from medveil.cohort.readers import (  # noqa: F401 - importing registers them
    chexpert_plus,
    covid19,
    csv_table,
    dicom_folder,
    mimic_cxr,
    nih14,
    openi,
    r2gen,
)
from medveil.cohort.readers.registry import Progress, Reader, readers, register
from medveil.errors import InputError

__all__ = ["Progress", "Reader", "read_cohort", "readers", "register"]


def read_cohort(path: Path, *, layout: str | None = None, progress: Progress | None = None) -> Cohort:
    """The cohort in a folder (saved before, or in a known layout) or in a CSV file."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist; check the spelling")
    if layout is not None:
        return _named(layout).read(path, progress=progress)
    if (path / FILE).is_file():
        return Cohort.open(path)
    for reader in readers().values():
        if reader.recognises(path):
            return reader.read(path, progress=progress)
    raise InputError(f"{path} is in no known layout; known are {_known()}, a saved cohort and a CSV file")


def _named(layout: str) -> Reader:
    try:
        return readers()[layout]
    except KeyError:
        raise InputError(f"there is no layout of that name; choose one of {', '.join(readers())}") from None


def _known() -> str:
    return ", ".join(reader.title for reader in readers().values())

"""Where the output goes: every name is a pseudonym, and a person's files lie together."""

from __future__ import annotations

import re
from pathlib import Path

from medveil.cohort.input import Kind, SourceFile
from medveil.person.keys import Keys

DATA = "data"
_MADE = re.compile(r"(tables|[0-9a-f]{20}/[0-9a-f]{20})/[0-9a-f]{20}\.(dcm|png|txt|csv|jsonl|xlsx)")
_ENDINGS = {Kind.DICOM: "dcm", Kind.IMAGE: "png", Kind.REPORT: "txt"}


def output_path(file: SourceFile, keys: Keys) -> str:
    """Below `data`: <patient>/<study>/<image>.dcm, reports beside; tables in a folder of their own."""
    ending = _ENDINGS.get(file.kind, file.kind.value)
    if file.kind.is_table:
        return f"tables/{keys.pseudonym('file', file.path)}.{ending}"
    patient = keys.pseudonym("patient", file.patient)
    study = keys.pseudonym("study", file.study or f"none of {file.patient}")
    if file.image:
        name = keys.pseudonym("image", file.image)
    else:
        name = keys.pseudonym("report" if file.kind is Kind.REPORT else "file", file.path)
    return f"{patient}/{study}/{name}.{ending}"


def is_pseudonymous(path: str) -> bool:
    """Whether a path below `data` is such as `output_path` makes: any other may tell whose file it is."""
    return _MADE.fullmatch(path) is not None


def remove_others(folder: Path, released: set[str]) -> None:
    """Nothing may stay from an earlier run whose file has since gone or is now withheld; nor an empty folder."""
    for path in folder.rglob("*"):
        if (path.is_symlink() or not path.is_dir()) and path.relative_to(folder).as_posix() not in released:
            path.unlink()
    remove_empty_folders(folder)


def remove_empty_folders(folder: Path) -> None:
    """The innermost first: a folder of empty ones is empty too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()

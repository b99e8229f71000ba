"""The files of the input, and what kind each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from medveil.cohort.dicom.opening import has_prefix, head_of, may_be_dicom
from medveil.cohort.phantom.gold import FOLDER as GOLD
from medveil.cohort.phantom.hospital import SETTINGS as PHANTOM
from medveil.cohort.readers.listing import list_files
from medveil.errors import InputError

# Left by operating systems; nobody's data.
_LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_PHANTOM_FILES = frozenset({PHANTOM, "cohort.parquet"})
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_TABLES = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


class Kind(StrEnum):
    DICOM = "dicom"
    IMAGE = "image"
    REPORT = "report"
    CSV = "csv"
    JSONL = "jsonl"
    OTHER = "other"


@dataclass(frozen=True)
class Source:
    """A folder, the files in it that are to be cleaned, and those that cannot be."""

    root: Path
    files: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]
    left_out: int

    @classmethod
    def of(cls, path: Path) -> Source:
        """A folder with everything in it, or one file."""
        if not path.exists():
            raise InputError(f"there is nothing at {path}; check the path")
        if path.is_file():
            return cls(path.parent, (path.name,), (), 0)
        listing = list_files(path)
        phantom = (path / PHANTOM).exists()
        files = sorted(file for file in listing.files if not _is_left_out(file, phantom))
        problems = tuple(sorted((problem.path, problem.reason) for problem in listing.problems))
        if not files and not problems:
            raise InputError(f"{path} is empty; name a folder of DICOM files, images or reports")
        return cls(path, tuple(files), problems, len(listing.files) - len(files))


def kind_of(path: Path) -> Kind:
    """By the content where that tells, else by the name; raises `Quarantined` for what cannot be opened."""
    head = head_of(path)
    if has_prefix(head):
        return Kind.DICOM
    if head.startswith(_PICTURES):
        return Kind.IMAGE
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return Kind(_TABLES[suffix])
    if suffix in (".txt", ".text"):
        return Kind.REPORT
    return Kind.DICOM if may_be_dicom(head) else Kind.OTHER


def _is_left_out(file: str, phantom: bool) -> bool:
    """Litter, and the answer key of a phantom hospital, which is no part of its data."""
    path = PurePosixPath(file)
    return path.name.lower() in _LITTER or (phantom and (file in _PHANTOM_FILES or path.parts[0] == GOLD))

"""What kind of file a file is, and which files are nobody's data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path, PurePosixPath

from medveil.cohort.dicom.opening import has_prefix, head_of, may_be_dicom
from medveil.cohort.phantom.gold import FOLDER as GOLD
from medveil.cohort.phantom.hospital import SETTINGS as PHANTOM
from medveil.cohort.tables.reading import CSV_SUFFIXES
from medveil.cohort.tables.spreadsheet import SUFFIXES as WORKBOOK_SUFFIXES

# Left by operating systems; nobody's data.
_LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_PHANTOM_FILES = frozenset({PHANTOM, "cohort.parquet"})
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_TABLES = {
    **dict.fromkeys(CSV_SUFFIXES, "csv"),
    **dict.fromkeys(WORKBOOK_SUFFIXES, "xlsx"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
}


class Kind(StrEnum):
    DICOM = "dicom"
    IMAGE = "image"
    REPORT = "report"
    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    OTHER = "other"

    @property
    def is_table(self) -> bool:
        return self in (Kind.CSV, Kind.JSONL, Kind.XLSX)


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


def is_left_out(file: str, phantom: bool) -> bool:
    """Litter, and the answer key of a phantom hospital, which is no part of its data."""
    path = PurePosixPath(file)
    return path.name.lower() in _LITTER or (phantom and (file in _PHANTOM_FILES or path.parts[0] == GOLD))

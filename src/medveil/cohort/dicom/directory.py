"""DICOMDIR: the files a directory record points to."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pydicom.uid import MediaStorageDirectoryStorage

from medveil.cohort.dicom.opening import open_dicom, quarantining


def is_directory(sop_class: str | None) -> bool:
    return sop_class == MediaStorageDirectoryStorage


def referenced_files(path: Path) -> list[PurePosixPath]:
    """The referenced files, relative to the folder of the DICOMDIR, in its order."""
    with quarantining("damaged DICOM file"):
        dataset = open_dicom(path, pixels=False)
        found = []
        for record in dataset.get("DirectoryRecordSequence") or []:
            parts = record.get("ReferencedFileID")
            if parts:
                found.append(PurePosixPath(parts) if isinstance(parts, str) else PurePosixPath(*parts))
        return found

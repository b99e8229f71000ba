"""Opening a DICOM file that may be damaged, headless or hostile: a dataset, or `Quarantined` with a reason."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import pydicom
from pydicom.dataset import Dataset, FileDataset
from pydicom.uid import DeflatedExplicitVRLittleEndian, MediaStorageDirectoryStorage

from medveil.cohort.dicom.elements import PREFIX, PREFIX_AT, Layout
from medveil.errors import MedveilError, Quarantined
from medveil.runtime.quiet import quiet

# Five times the largest detector. Past it an image is a decompression bomb, not a radiograph.
MAX_PIXELS = 80_000_000
MAX_PIXELS_ALL_FRAMES = 400_000_000

# How a dataset without preamble begins: group 0002 or 0008, little endian, or 0008 big endian.
_HEADLESS = (b"\x02\x00", b"\x08\x00", b"\x00\x08")
_HEAD_BYTES = 4096  # enough for preamble and file meta

# Their log messages quote attribute values, or speak of damage that is told as a reason anyway.
for _library in ("pydicom", "pylibjpeg", "openjpeg", "libjpeg"):
    logging.getLogger(_library).setLevel(logging.CRITICAL + 1)


@contextmanager
def quarantining(reason: str) -> Iterator[None]:
    """Whatever a parser or decoder makes of hostile bytes becomes `Quarantined(reason)`; warnings are silent."""
    try:
        with quiet():
            yield
    except (MedveilError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise  # already told in words, or no fault of the file's: a full disk, a missing model
    except BaseException:
        # Damaged files make pydicom and its decoders raise nearly anything, and the cause may quote values.
        # The RLE decoder's panic is no Exception.
        raise Quarantined(reason) from None


def head_of(path: Path) -> bytes:
    """The first bytes of a plain, non-empty file. Special files are never opened: a fifo would hang."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Quarantined("not a regular file")
        if status.st_size == 0:
            raise Quarantined("empty file")
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise Quarantined("missing file") from None
    except (OSError, ValueError):
        raise Quarantined("unreadable file") from None


def has_prefix(head: bytes) -> bool:
    return head[PREFIX_AT : PREFIX_AT + len(PREFIX)] == PREFIX


def may_be_dicom(head: bytes) -> bool:
    return has_prefix(head) or head.startswith(_HEADLESS)


def open_dicom(path: Path, *, pixels: bool) -> FileDataset:
    """The dataset of a file, with or without its pixel data."""
    head = head_of(path)
    if not may_be_dicom(head):
        raise Quarantined("not a DICOM file")
    with quarantining("damaged DICOM file"):
        if DeflatedExplicitVRLittleEndian.encode() in head:
            Layout.of(path.read_bytes())  # inflates within limits; pydicom knows none
        dataset = pydicom.dcmread(path, force=True, stop_before_pixels=not pixels)
        if not has_prefix(head) and not _plausible(dataset):
            raise Quarantined("not a DICOM file")
        return dataset


def _plausible(dataset: Dataset) -> bool:
    """Whether bytes read without a prefix are a dataset and not chance."""
    return "SOPClassUID" in dataset or "Modality" in dataset or ("Rows" in dataset and "Columns" in dataset)


def is_directory(sop_class: str | None) -> bool:
    return sop_class == MediaStorageDirectoryStorage


def referenced_files(path: Path) -> list[PurePosixPath]:
    """The files a DICOMDIR points to, relative to its folder, in its order."""
    with quarantining("damaged DICOM file"):
        dataset = open_dicom(path, pixels=False)
        found = []
        for record in dataset.get("DirectoryRecordSequence") or []:
            parts = record.get("ReferencedFileID")
            if parts:
                found.append(PurePosixPath(parts) if isinstance(parts, str) else PurePosixPath(*parts))
        return found

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ComputedRadiographyImageStorage, ExplicitVRLittleEndian

from medveil.cohort import Cohort


@pytest.fixture
def picture() -> Callable[[Path], Path]:
    """Writes a small gray image, making the folders it needs."""

    def write(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8)).save(path)
        return path

    return write


@pytest.fixture
def dicom() -> Callable[..., Path]:
    """Writes a small DICOM image with the given attributes; None leaves one out."""

    def write(path: Path, **attributes: Any) -> Path:
        dataset = Dataset()
        dataset.file_meta = FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.file_meta.MediaStorageSOPClassUID = ComputedRadiographyImageStorage
        dataset.file_meta.MediaStorageSOPInstanceUID = "1.2.3"
        pixels = {
            "Rows": 8,
            "Columns": 8,
            "SamplesPerPixel": 1,
            "PhotometricInterpretation": "MONOCHROME2",
            "BitsAllocated": 8,
            "BitsStored": 8,
            "HighBit": 7,
            "PixelRepresentation": 0,
            "PixelData": bytes(range(64)) * int(attributes.get("NumberOfFrames") or 1),
        }
        described = {"SOPClassUID": ComputedRadiographyImageStorage, "Modality": "DX", **pixels, **attributes}
        for name, value in described.items():
            if value is not None:
                setattr(dataset, name, value)
        path.parent.mkdir(parents=True, exist_ok=True)
        dataset.save_as(path, enforce_file_format=True)
        return path

    return write


@pytest.fixture
def reasons() -> Callable[[Cohort], dict[str, int]]:
    """How often each reason was given for leaving something aside."""
    return lambda cohort: dict(Counter(problem.reason for problem in cohort.problems))

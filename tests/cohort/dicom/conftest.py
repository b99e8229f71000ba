from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ComputedRadiographyImageStorage, ExplicitVRLittleEndian, generate_uid

MakeDicom = Callable[..., Path]


def dataset_of(pixels: np.ndarray, **attributes: Any) -> Dataset:
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.file_meta.MediaStorageSOPClassUID = ComputedRadiographyImageStorage
    dataset.SOPClassUID = ComputedRadiographyImageStorage
    dataset.SOPInstanceUID = generate_uid(entropy_srcs=["image"])
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    dataset.StudyInstanceUID = generate_uid(entropy_srcs=["study"])
    dataset.Modality = "DX"
    dataset.PatientID = "P1"
    dataset.PatientName = "Doe^Jane"
    dataset.Rows, dataset.Columns = pixels.shape[:2]
    dataset.SamplesPerPixel = 3 if pixels.ndim == 3 else 1
    dataset.PhotometricInterpretation = "RGB" if pixels.ndim == 3 else "MONOCHROME2"
    if pixels.ndim == 3:
        dataset.PlanarConfiguration = 0
    dataset.BitsAllocated = dataset.BitsStored = 8 * pixels.dtype.itemsize
    dataset.HighBit = dataset.BitsStored - 1
    dataset.PixelRepresentation = int(pixels.dtype.kind == "i")
    dataset.PixelData = pixels.tobytes() + b"\0" * (pixels.nbytes % 2)
    dataset["PixelData"].VR = "OB" if pixels.dtype.itemsize == 1 else "OW"
    for name, value in attributes.items():
        setattr(dataset, name, value)
    return dataset


@pytest.fixture
def make_dicom(tmp_path: Path) -> MakeDicom:
    """Writes an image with the given pixels and attributes; `edit` may change the dataset before that."""

    def make(
        pixels: np.ndarray,
        *,
        name: str = "image.dcm",
        edit: Callable[[Dataset], None] | None = None,
        **attributes: Any,
    ) -> Path:
        dataset = dataset_of(pixels, **attributes)
        if edit:
            edit(dataset)
        path = tmp_path / name
        dataset.save_as(path, enforce_file_format=True)
        return path

    return make


@pytest.fixture(scope="session")
def shipped() -> Path:
    """The folder of test files inside the pydicom package; nothing is downloaded."""
    return Path(pydicom.__file__).parent / "data" / "test_files"

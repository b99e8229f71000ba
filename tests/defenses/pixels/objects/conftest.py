"""Drawn objects that are no radiographs: an ultrasound clip, and the DICOM file around such things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
ULTRASOUND = "1.2.840.10008.5.1.4.1.1.6.1"
ULTRASOUND_CLIP = "1.2.840.10008.5.1.4.1.1.3.1"
PHOTOGRAPH = "1.2.840.10008.5.1.4.1.1.77.1.4"


def scan(frames: int = 10, rows: int = 240, columns: int = 320, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A sector of changing speckle on black, frames x rows x columns in gray, and where it is."""
    y, x = np.mgrid[0:rows, 0:columns]
    away, angle = np.hypot(y + 10, x - columns / 2), np.arctan2(x - columns / 2, y + 10)
    sector = (away > 50) & (away < rows - 20) & (np.abs(angle) < 0.6)
    rng = np.random.default_rng(seed)
    clip = np.zeros((frames, rows, columns), np.uint8)
    clip[:, sector] = rng.integers(20, 200, (frames, int(sector.sum())))
    return clip, sector


@pytest.fixture
def dataset_of() -> Callable[..., FileDataset]:
    """A DICOM dataset of frames x rows x columns (x 3), or of one such frame, with further attributes by keyword."""

    def build(pixels: np.ndarray, *, frames: int = 1, **attributes: Any) -> FileDataset:
        dataset = FileDataset("", {}, file_meta=FileMetaDataset())
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        rows, columns = pixels.shape[1:3] if frames > 1 else pixels.shape[:2]
        coloured = pixels.shape[-1] == 3
        dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = rows, columns, 3 if coloured else 1
        dataset.PhotometricInterpretation = "RGB" if coloured else "MONOCHROME2"
        if coloured:
            dataset.PlanarConfiguration = 0
        if frames > 1:
            dataset.NumberOfFrames = frames
        bits = 8 * pixels.dtype.itemsize
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = (
            bits,
            bits,
            bits - 1,
            0,
        )
        dataset.PixelData = pixels.tobytes()
        for keyword, value in attributes.items():
            setattr(dataset, keyword, value)
        return dataset

    return build

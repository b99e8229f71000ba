"""Drawn objects that are no radiographs: a face, an ultrasound clip with a banner, and the DICOM file around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
ULTRASOUND = "1.2.840.10008.5.1.4.1.1.6.1"
ULTRASOUND_CLIP = "1.2.840.10008.5.1.4.1.1.3.1"
PHOTOGRAPH = "1.2.840.10008.5.1.4.1.1.77.1.4"


def drawn_face(size: int = 256) -> np.ndarray:
    """A portrait from the front, in colour."""
    sheet = Image.new("RGB", (2 * size, 2 * size), (120, 150, 170))
    pen, unit = ImageDraw.Draw(sheet), size / 50
    skin, shade, hair, lip = (224, 172, 140), (179, 137, 112), (60, 40, 30), (170, 70, 70)

    def spot(x: float, y: float, across: float, down: float, tone: tuple[int, int, int]) -> None:
        pen.ellipse([(x - across) * unit, (y - down) * unit, (x + across) * unit, (y + down) * unit], fill=tone)

    spot(50, 110, 42, 30, (70, 80, 110))
    pen.rectangle([40 * unit, 70 * unit, 60 * unit, 90 * unit], fill=shade)
    spot(50, 44, 29, 36, hair)
    spot(50, 50, 23, 29, skin)
    for x in (27.5, 72.5):
        spot(x, 52, 3, 6, shade)
    for x in (41, 59):
        spot(x, 46, 6, 4.5, shade)
        spot(x, 47, 4.6, 2.6, (245, 245, 240))
        spot(x, 47, 2.2, 2.4, hair)
        pen.arc([(x - 6.5) * unit, 38 * unit, (x + 6.5) * unit, 46 * unit], 200, 340, fill=hair, width=int(1.8 * unit))
    pen.polygon([(50 * unit, 46 * unit), (45.5 * unit, 60 * unit), (54.5 * unit, 60 * unit)], fill=shade)
    for x in (47.7, 52.3):
        spot(x, 61, 1.1, 0.8, lip)
    spot(50, 69, 8, 2.8, lip)
    return np.asarray(sheet.filter(ImageFilter.GaussianBlur(size / 60)).resize((size, size)))


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


@pytest.fixture(scope="session")
def face() -> np.ndarray:
    return drawn_face()

"""A PNG or JPEG, cleaned: written as PNG, without loss, in its colours, and with none of the old file's remarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom.opening import quarantining
from medveil.cohort.images import FORMATS, inside, load_colours, load_image
from medveil.defenses.pixels.removal import Removal
from medveil.errors import Quarantined
from medveil.person.search.known import KnownSearch
from medveil.release.clean.results import Cleaned
from medveil.release.clean.tools import Tools

# Quarter turns counter-clockwise that bring a picture upright, and whether it is mirrored after that (Exif 0112).
_TURNS = {2: (0, True), 3: (2, False), 4: (2, True), 5: (3, True), 6: (3, False), 7: (1, True), 8: (1, False)}


def clean_picture(root: Path, file: str, search: KnownSearch, tools: Tools) -> Cleaned:
    turn = _turn(root, file)
    colours = load_colours(root, file)
    if colours is None:
        image, removal = tools.pixels.clean_image(load_image(root, file), search)
    else:
        image, removal = _in_colour(colours, search, tools)
    _, png = cv2.imencode(".png", _turned(image, *turn))
    return Cleaned(png.tobytes(), boxes=len(removal.boxes), markers_kept=len(removal.kept), masked=[removal.mask_pct])


def _turn(root: Path, file: str) -> tuple[int, bool]:
    """How a viewer turns the picture: the remark that says so does not come along. Refuses several in one file."""
    with quarantining("unreadable pixel data"), Image.open(inside(root, file), formats=FORMATS) as picture:
        if getattr(picture, "n_frames", 1) > 1:  # animations, and cameras' previews
            raise Quarantined("several pictures in one file")
        try:
            said = picture.getexif().get(ExifTags.Base.Orientation)
        except Exception:  # damaged remarks say nothing, and the picture may be whole
            said = None
    return _TURNS.get(said or 1, (0, False))


def _turned(image: NDArray[Any], quarters: int, mirrored: bool) -> NDArray[Any]:
    turned = np.rot90(image, quarters)
    return np.ascontiguousarray(turned[:, ::-1] if mirrored else turned)


def _in_colour(colours: NDArray[np.uint8], search: KnownSearch, tools: Tools) -> tuple[NDArray[Any], Removal]:
    """As a DICOM file in colour is cleaned; the result in the order that OpenCV writes."""
    dataset = FileDataset("", {}, file_meta=FileMetaDataset())
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = *colours.shape[:2], 3
    dataset.PhotometricInterpretation, dataset.PlanarConfiguration = "RGB", 0
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.PixelData = colours.tobytes()
    (removal,) = tools.pixels.clean_dataset(dataset, search)
    cleaned = np.frombuffer(dataset.PixelData, np.uint8, colours.size).reshape(colours.shape)
    return cleaned[..., ::-1], removal

"""DICOM files as a whole: what is no whole object is refused, and the cleaned one is written anew and searched."""

from __future__ import annotations

from pathlib import Path

from pydicom.dataset import FileDataset
from pydicom.uid import UID

from medveil.cohort.dicom.elements import Layout, elements
from medveil.cohort.dicom.encode import encoded
from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.errors import Quarantined
from medveil.person.person import Person
from medveil.release.clean.leftovers import refuse_leftovers

_OTHER_PIXELS = ("FloatPixelData", "DoubleFloatPixelData")
# Whole documents and recordings inside a file: no part of medveil reads them.
_ENCLOSED = ("EncapsulatedDocument", "WaveformSequence", "SpectroscopyData")

_NEEDED = {"SOPClassUID": "object class", "SOPInstanceUID": "image uid", "StudyInstanceUID": "study uid"}


def open_whole(path: Path) -> FileDataset:
    """A dataset with its pixels. Reading stops without a word where a file ends too early: an image then lacks its
    pixels, but not a plan."""
    dataset = open_dicom(path, pixels=True)
    with quarantining("damaged DICOM file"):
        refuse_strange(dataset)
        if "PixelData" not in dataset:
            layout = Layout.of(path.read_bytes())
            for _ in elements(layout.dataset, 0, len(layout.dataset), layout.encoding):
                pass
    return dataset


def refuse_strange(dataset: FileDataset) -> None:
    """A file cut short may look like a smaller one; an object nobody knows may hold anything."""
    for keyword, word in _NEEDED.items():
        if not dataset.get(keyword):
            raise Quarantined(f"no {word}")
    kind = UID(str(dataset.SOPClassUID)).keyword
    if not kind:
        raise Quarantined("unknown kind of object")
    if "PixelData" not in dataset and ("ImageStorage" in kind or "Rows" in dataset):
        raise Quarantined("no pixel data")
    if any(keyword in dataset for keyword in _OTHER_PIXELS):
        raise Quarantined("unsupported pixel format")
    if any(keyword in dataset for keyword in _ENCLOSED):
        raise Quarantined("a document or recording inside")


def dicom_bytes(dataset: FileDataset, person: Person, *, weakened: bool) -> bytes:
    """The file to write, searched for what is known of the person unless the profile lets some of it stay."""
    with quarantining("cannot be written"):
        data = encoded(dataset)
        if not weakened:
            refuse_leftovers(_without_pixels(data, dataset), person.known)
    return data


def _without_pixels(content: bytes, dataset: FileDataset) -> bytes:
    """What is not pixel data, which was read again by what cleaned it."""
    pixels = dataset.get("PixelData")
    if not pixels:
        return content
    end = len(content) - len(pixels) if content.endswith(pixels) else content.rfind(pixels)  # at once where it is last
    return content[:end] + content[end + len(pixels) :] if end >= 0 else content

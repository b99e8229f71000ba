"""One DICOM file, cleaned: pixels, header, structured content, and the file itself written anew."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path

from pydicom.dataset import FileDataset
from pydicom.filewriter import dcmwrite

from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.defenses.headers.known_in_header import known_in
from medveil.defenses.known import KnownSearch
from medveil.defenses.person import Person
from medveil.defenses.reports.formats.structured_report import clean_structured_report, is_structured_report
from medveil.errors import Quarantined
from medveil.release.deid.leftovers import refuse_leftovers
from medveil.release.deid.results import Cleaned
from medveil.release.deid.tools import Tools

_OTHER_PIXELS = ("FloatPixelData", "DoubleFloatPixelData")
# Whole documents and recordings inside a file: no part of medveil reads them.
_ENCLOSED = ("EncapsulatedDocument", "WaveformSequence", "SpectroscopyData")


def clean_dicom(path: Path, person: Person, search: KnownSearch, tools: Tools) -> Cleaned:
    dataset = open_dicom(path, pixels=True)
    cleaned = Cleaned(b"")
    with quarantining("damaged DICOM file"):
        _refuse_enclosed(dataset)
        cleaned.found = Counter(f"header {known.category}" for known in known_in(dataset))
        has_pixels = "PixelData" in dataset
    if has_pixels:
        for removal in tools.pixels.clean_dataset(dataset, search):
            cleaned.boxes += len(removal.boxes)
            cleaned.markers_kept += len(removal.kept)
            cleaned.masked.append(removal.mask_pct)
    if is_structured_report(dataset):
        counts = clean_structured_report(dataset, tools.reports, person)
        cleaned.found.update({f"report {category}": count for category, count in counts.items()})
    done = tools.headers.clean(dataset, person, pixels_cleaned=has_pixels)
    cleaned.actions = Counter(one.action for one in done)
    with quarantining("cannot be written"):
        cleaned.data = _written(dataset)
        if not tools.profile.weakened:
            refuse_leftovers(_without_pixels(cleaned.data, dataset), person.known)
    return cleaned


def _refuse_enclosed(dataset: FileDataset) -> None:
    if any(keyword in dataset for keyword in _OTHER_PIXELS):
        raise Quarantined("unsupported pixel format")
    if any(keyword in dataset for keyword in _ENCLOSED):
        raise Quarantined("a document or recording inside")


def _written(dataset: FileDataset) -> bytes:
    out = BytesIO()
    dcmwrite(out, dataset, enforce_file_format=True)
    return out.getvalue()


def _without_pixels(content: bytes, dataset: FileDataset) -> bytes:
    """What is not pixel data, which was read again by what cleaned it."""
    pixels = dataset.get("PixelData")
    if not pixels:
        return content
    end = content.rfind(pixels)
    return content[:end] + content[end + len(pixels) :] if end >= 0 else content

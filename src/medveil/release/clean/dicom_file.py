"""One DICOM file, cleaned: pixels, header, structured content, and the file itself written anew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydicom.dataset import FileDataset
from pydicom.uid import UID

from medveil.cohort.dicom.elements import Layout, elements
from medveil.cohort.dicom.encode import encoded
from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.defenses.headers.attribute import attribute
from medveil.defenses.headers.known_in_header import known_in
from medveil.errors import Quarantined
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.results import Cleaned
from medveil.release.clean.tools import Tools

_OTHER_PIXELS = ("FloatPixelData", "DoubleFloatPixelData")
# Whole documents and recordings inside a file: no part of medveil reads them.
_ENCLOSED = ("EncapsulatedDocument", "WaveformSequence", "SpectroscopyData")

_NEEDED = {"SOPClassUID": "object class", "SOPInstanceUID": "image uid", "StudyInstanceUID": "study uid"}


def clean_dicom(path: Path, person: Person, search: KnownSearch, tools: Tools) -> Cleaned:
    dataset = open_dicom(path, pixels=True)
    cleaned = Cleaned(b"")
    with quarantining("damaged DICOM file"):
        refuse_strange(dataset)
        cleaned.found = Counter(f"header {known.category}" for known in known_in(dataset))
        has_pixels = "PixelData" in dataset
        if not has_pixels:
            _refuse_cut_short(path)
    overlays = 0
    if has_pixels:
        overlays = sum(attribute(int(tag)).is_overlay and tag.element != 0 for tag in list(dataset.keys()))
        for removal in tools.pixels.clean_dataset(dataset, search):
            cleaned.boxes += len(removal.boxes)
            cleaned.markers_kept += len(removal.kept)
            cleaned.masked.append(removal.mask_pct)
    tools.free_text.begin()
    headers = tools.structured if "ContentSequence" in dataset else tools.headers
    done = headers.clean(dataset, person, pixels_cleaned=has_pixels)
    cleaned.actions = Counter(one.action for one in done)
    cleaned.actions.update({"X": overlays} if overlays else {})  # which went with the burned-in text
    cleaned.found.update({f"descriptions {kind}": count for kind, count in tools.free_text.found.items()})
    cleaned.not_rewritten = tools.free_text.not_rewritten
    with quarantining("cannot be written"):
        cleaned.data = encoded(dataset)
        if not tools.profile.weakened:
            refuse_leftovers(_without_pixels(cleaned.data, dataset), person.known)
    return cleaned


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


def _refuse_cut_short(path: Path) -> None:
    """Reading stops without a word where a file ends too early: an image then lacks its pixels, but not a plan."""
    layout = Layout.of(path.read_bytes())
    for _ in elements(layout.dataset, 0, len(layout.dataset), layout.encoding):
        pass


def _without_pixels(content: bytes, dataset: FileDataset) -> bytes:
    """What is not pixel data, which was read again by what cleaned it."""
    pixels = dataset.get("PixelData")
    if not pixels:
        return content
    end = len(content) - len(pixels) if content.endswith(pixels) else content.rfind(pixels)  # at once where it is last
    return content[:end] + content[end + len(pixels) :] if end >= 0 else content

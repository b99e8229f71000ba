"""What an answer key says of a released file: identifiers gone from every place, and what should be kept kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.tag import Tag

from medveil.cohort.phantom.gold import Identifier, ImageGold
from medveil.defenses.headers.dates import CAPPED
from medveil.defenses.headers.profile import Profile
from medveil.person.identifiers import Category
from medveil.person.search.ordinary_words import is_ordinary
from medveil.release.verify.discrepancy import KEPT, Discrepancy
from medveil.release.verify.header_check import retains, texts
from medveil.release.verify.pixel_check import Read, overlap

_STEP = re.compile(r"\(([0-9A-F]{4}),([0-9A-F]{4})\)(?:\[(\d+)\])?")
_SHORTEST = 4  # characters; shorter strings turn up everywhere and prove nothing
_LEFT = "the identifier of the answer key"


def in_header(file: str, gold: ImageGold, released: Dataset, profile: Profile) -> Iterator[Discrepancy]:
    """Identifiers by tag path, but for what an option retains. A date is judged by its interval, by the original."""
    for one in gold.in_header:
        if one.category is Category.DATE or one.text == CAPPED or not _proves(one):
            continue
        element = _element_at(released, one.path)
        if element is None or element.VR == "SQ" or retains(element, profile):
            continue
        if _holds("\\".join(texts(element)), one.text):
            yield Discrepancy(file, "answer key", one.path, one.category, "removed or replaced", _LEFT)


def in_report(file: str, gold: ImageGold, original: str, released: str) -> Iterator[Discrepancy]:
    """Identifiers by their words, and every statement of a finding that holds no identifier."""
    for one in gold.in_report:
        if _proves(one) and one.category is not Category.DATE and _holds(released, one.text):
            yield Discrepancy(file, "answer key", f"[{one.start},{one.end})", one.category, "replaced", _LEFT)
    squeezed = " ".join(released.split())
    for said in gold.statements:
        if any(one.start < said.end and said.start < one.end for one in gold.in_report):
            continue
        if " ".join(original[said.start : said.end].split()) not in squeezed:
            yield Discrepancy(file, "answer key", f"[{said.start},{said.end})", "K", KEPT, "a statement is missing")


def in_pixels(file: str, gold: ImageGold, reads: Iterable[Read]) -> Iterator[Discrepancy]:
    """Burned-in lines: nothing that resembles one may be read where it stood."""
    reads = list(reads)
    for one in gold.in_pixels:
        near = (read for read in reads if overlap(read.box, one.box))
        if any(_alike(read.text, one.text) for read in near):
            yield Discrepancy(file, "answer key", str(one.box), one.category, "removed", _LEFT)


def markers(file: str, gold: ImageGold, original: NDArray[Any], released: NDArray[Any]) -> Iterator[Discrepancy]:
    """Clinical markers stay as they are, to the bit."""
    for marker in gold.markers:
        left, top, right, bottom = marker.box
        place = np.s_[..., top:bottom, left:right]
        if original.shape != released.shape or not np.array_equal(original[place], released[place]):
            yield Discrepancy(file, "answer key", str(marker.box), "K", KEPT, "a marker is changed")


def in_names(file: str, gold: ImageGold) -> Iterator[Discrepancy]:
    for one in gold.in_names:
        if _proves(one) and one.text in file:
            yield Discrepancy(file, "answer key", "file name", one.category, "replaced", _LEFT)


def _proves(one: Identifier) -> bool:
    return len(one.text) >= _SHORTEST and one.category is not Category.TIME and not is_ordinary(one.text.lower())


def _holds(text: str, piece: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(piece)}(?!\w)", text) is not None


def _element_at(dataset: Dataset, path: str) -> DataElement | None:
    """The element at a tag path; none where it leads nowhere any more."""
    current, element = dataset, None
    for group, number, item in _STEP.findall(path):
        tag = Tag(int(group, 16), int(number, 16))
        where = current.file_meta if tag.group == 2 and hasattr(current, "file_meta") else current
        element = where.get(tag)
        if element is None or not item:
            return element
        if element.VR != "SQ" or int(item) >= len(element.value):
            return None
        current = element.value[int(item)]
    return element


def _alike(read: str, written: str) -> bool:
    """Half of the written letters, in order, are enough to recognise a name by."""
    letters = [re.sub(r"[^A-Z0-9]", "", text.upper()) for text in (read, written)]
    found, rest = 0, letters[0]
    for letter in letters[1]:
        _, hit, tail = rest.partition(letter)
        if hit:
            found, rest = found + 1, tail
    return len(letters[1]) > 1 and found >= max(2, len(letters[1]) / 2)

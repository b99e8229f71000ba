"""A DICOM data set that notes, as it is filled, under which tag path each identifier went in."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydicom.datadict import tag_for_keyword
from pydicom.dataset import Dataset, PrivateBlock
from pydicom.sequence import Sequence
from pydicom.tag import Tag

from medveil.cohort.phantom.gold import HeaderIdentifier
from medveil.cohort.phantom.invented_names import fold
from medveil.cohort.phantom.marked_text import MarkedText
from medveil.person.identifiers import Category

CODECS = {"": "ascii", "ISO_IR 100": "latin-1", "ISO_IR 192": "utf-8"}


class MarkedDataset:
    """Wraps a `Dataset`; items of sequences are wrapped in turn and note into the same list."""

    def __init__(self, charset: str, found: list[HeaderIdentifier] | None = None, prefix: str = "") -> None:
        self.dataset = Dataset()
        self.found: list[HeaderIdentifier] = [] if found is None else found
        self._charset = charset
        self._prefix = prefix

    def put(self, keyword: str, value: Any, category: Category | None = None, stands_for: str = "") -> None:
        """An element; with a category, its whole text is one identifier."""
        if category is not None:
            value = self._spell(value)
            path = self._prefix + _path(keyword)
            self.found.append(HeaderIdentifier(0, len(value), value, category, stands_for or value, path=path))
        setattr(self.dataset, keyword, value)

    def write(self, keyword: str, text: MarkedText) -> None:
        """An element whose text holds identifiers."""
        setattr(self.dataset, keyword, self._note(tag_for_keyword(keyword), text))

    def item(self, keyword: str) -> MarkedDataset:
        """A new item at the end of a sequence."""
        tag = Tag(tag_for_keyword(keyword))
        if tag not in self.dataset:
            setattr(self.dataset, keyword, Sequence())
        return self._append(tag)

    def write_private(self, block: PrivateBlock, offset: int, vr: str, text: MarkedText) -> None:
        """A private element whose text holds identifiers; OB takes the text as ASCII bytes."""
        written = self._note(block.get_tag(offset), text)
        block.add_new(offset, vr, written.encode("ascii") if vr == "OB" else written)

    def private_item(self, block: PrivateBlock, offset: int) -> MarkedDataset:
        """A new item of a private sequence, of undefined length so that implicit VR readers know it for one."""
        tag = block.get_tag(offset)
        if tag not in self.dataset:
            block.add_new(offset, "SQ", Sequence())
            self.dataset[tag].is_undefined_length = True
        return self._append(tag)

    def _append(self, tag: Any) -> MarkedDataset:
        sequence = self.dataset[tag].value
        item = MarkedDataset(self._charset, self.found, f"{self._prefix}{Tag(tag)}[{len(sequence)}].")
        sequence.append(item.dataset)
        return item

    def _note(self, tag: Any, text: MarkedText) -> str:
        text = text.mapped(self._spell)
        path = f"{self._prefix}{Tag(tag)}"
        self.found += [HeaderIdentifier(**vars(found), path=path) for found in text.identifiers()]
        return text.text

    def _spell(self, text: str) -> str:
        """Letters the file's character set lacks become plain ones."""
        codec = CODECS[self._charset]
        if text.isascii() or codec == "utf-8":
            return text
        return "".join(letter if _fits(letter, codec) else fold(letter) for letter in text)


@cache
def _path(keyword: str) -> str:
    return str(Tag(tag_for_keyword(keyword)))


def _fits(letter: str, codec: str) -> bool:
    return bool(letter.encode(codec, errors="ignore"))

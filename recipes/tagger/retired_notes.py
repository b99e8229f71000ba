"""Notes written by hand that were scored in earlier versions: since then they teach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RETIRED = ("reports_notes", *(f"reports_notes_{number}" for number in (*range(2, 10), *"abcde")))
WRITTEN = ("written_notes", *(f"written_notes_{number}" for number in range(2, 10)))  # to teach, and never scored
_NEWEST = (*(f"reports_notes_{letter}" for letter in "cde"), *(f"written_notes_{number}" for number in (7, 8, 9)))
_PARTS = 3  # of the newest, one of which is kept apart for a while: it tells how notes are read that were never met


class Part(IntEnum):
    """What a note is among those that teach."""

    OLD = 0  # learnt in versions before
    NEW = 1
    APART = 2  # of the new ones those that are learnt last


_LEARNT_AS = {  # what has its form for a kind of its own is none to the network
    Category.COUNTY: Category.ADDRESS,
    Category.UDI: Category.DEVICE_SERIAL,
    Category.NETWORK: Category.UID,
    **dict.fromkeys((Category.VEHICLE, Category.BIOMETRIC, Category.PHOTO), Category.OTHER_ID),
}
_MARKED = re.compile(r"\{\{([A-Z_0-9]+)\|(.*?)\}\}", re.DOTALL)


def read_notes(path: Path) -> list[Document]:
    """`{{KIND|text}}` marks an identifier; a line of === ends a note."""
    notes = []
    for marked in path.read_text("utf-8").split("\n===\n"):
        text, found, place = "", [], 0
        for one in _MARKED.finditer(marked):
            text += marked[place : one.start()]
            found.append(Span(len(text), len(text) + len(one[2]), Category(one[1])))
            text += one[2]
            place = one.end()
        notes.append(Document(text + marked[place:], tuple(found)))
    return notes


def teaching_notes() -> Iterator[tuple[str, Part, Document]]:
    """Retired ones and those that were written to teach, each with its source."""
    for name in (*WRITTEN, *RETIRED):
        folder = Path(__file__).parent if name in WRITTEN else BENCHMARKS
        for number, note in enumerate(read_notes(folder / f"{name}.txt")):
            newest = Part.NEW if number % _PARTS else Part.APART
            found = (replace(one, category=_LEARNT_AS.get(one.category, one.category)) for one in note.found)
            yield name, newest if name in _NEWEST else Part.OLD, Document(note.text, tuple(found))

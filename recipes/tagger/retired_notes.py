"""Notes written by hand that were scored in earlier versions: since then they teach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RETIRED = ("reports_notes", *(f"reports_notes_{number}" for number in (*range(2, 10), "a", "b")))
WRITTEN = ("written_notes", *(f"written_notes_{number}" for number in range(2, 7)))  # to teach, and never scored
PARTS = 3  # of the newest notes; a network that learnt without one of them tells how it reads notes it never met
_HALF_KNOWN = ("reports_notes_9", *WRITTEN[1:3])  # every second one was learnt before they were parted
_NEWEST = ("reports_notes_b", *WRITTEN[3:])
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


def teaching_notes() -> Iterator[tuple[str, int | None, Document]]:
    """Retired ones and those that were written to teach, each with its source, and its part if it is of the newest."""
    for name in (*WRITTEN, *RETIRED):
        folder = Path(__file__).parent if name in WRITTEN else BENCHMARKS
        for number, note in enumerate(read_notes(folder / f"{name}.txt")):
            yield name, _part(name, number), note


def _part(name: str, number: int) -> int | None:
    if name in _NEWEST:
        return number % PARTS
    return number // 2 % PARTS if name in _HALF_KNOWN and number % 2 else None

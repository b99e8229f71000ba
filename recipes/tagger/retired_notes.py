"""Notes written by hand that were scored in earlier versions: since then they teach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RETIRED = ("reports_notes", *(f"reports_notes_{number}" for number in range(2, 10)), "reports_notes_a")
WRITTEN = ("written_notes", "written_notes_2", "written_notes_3")  # to teach, and never scored
NEWEST = ("reports_notes_9", *WRITTEN[1:])  # of which a network that learnt without every second tells how it reads
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


def teaching_notes() -> Iterator[tuple[str, bool, Document]]:
    """Retired ones and those that were written to teach, each with its source, and whether it may be held back."""
    for name in (*WRITTEN, *RETIRED):
        folder = Path(__file__).parent if name in WRITTEN else BENCHMARKS
        for number, note in enumerate(read_notes(folder / f"{name}.txt")):
            yield name, name in NEWEST and number % 2 == 1, note


def notes_to_learn(*, hold_back: bool) -> list[Document]:
    return [note for _, held, note in teaching_notes() if not (held and hold_back)]

"""Notes written by hand that were scored in earlier versions: since then they teach."""

from __future__ import annotations

import re
from pathlib import Path

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
WRITTEN = Path(__file__).with_name("written_notes.txt")  # to teach, and never scored
RETIRED = ("reports_notes", *(f"reports_notes_{number}" for number in range(2, 9)), "reports_notes_a")
FOLDED = RETIRED[-3:]  # the newest: a network that learnt without a third of them tells how it reads new ones
FOLDS = 3
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


def retired_notes(folder: Path, without: int | None = None) -> list[Document]:
    """All of them, or those of all folds but one; and notes that were written to teach."""
    return read_notes(WRITTEN) + [
        note
        for name in RETIRED
        for number, note in enumerate(read_notes(folder / f"{name}.txt"))
        if name not in FOLDED or number % FOLDS != without
    ]

"""Notes written by hand, in ways that no generator here writes: a look at what is new to rules and tagger alike.

PYTHONPATH=FAKER python benchmarks/reports_notes.py [--weights FILE]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found, without_overlaps
from medveil.defenses.reports.rules import find_by_rules
from medveil.defenses.reports.tagger.corpus.generator import Document
from medveil.defenses.reports.tagger.model_file import load_model
from medveil.defenses.reports.tagger.tagger import Tagger
from reports_recall import report

_MARKED = re.compile(r"\{\{(\w+)\|(.*?)\}\}", re.DOTALL)


def read_notes(path: Path) -> list[Document]:
    notes = []
    for marked in path.read_text("utf-8").split("\n===\n"):
        text, found, place = "", [], 0
        for one in _MARKED.finditer(marked):
            text += marked[place : one.start()]
            found.append(Found(len(text), len(text) + len(one[2]), Category(one[1])))
            text += one[2]
            place = one.end()
        notes.append(Document(text + marked[place:], tuple(found)))
    return notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--show", type=int, default=60)
    options = parser.parse_args()
    tagger = Tagger(load_model(options.weights)) if options.weights else Tagger.bundled()
    finders = {
        "rules": lambda texts: [find_by_rules(text) for text in texts],
        "tagger": tagger.find,
        "rules and tagger": lambda texts: [
            without_overlaps([*find_by_rules(text), *found])
            for text, found in zip(texts, tagger.find(texts), strict=True)
        ],
    }
    report("notes", read_notes(Path(__file__).with_suffix(".txt")), finders, options.show)


if __name__ == "__main__":
    main()

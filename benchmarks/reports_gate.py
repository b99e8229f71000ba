"""The gate of a version: notes nobody had looked at, cleaned once, and scored by style.

    python benchmarks/reports_gate.py --out GATE.json
    python benchmarks/reports_gate.py --notes benchmarks/reports_notes_g.txt
    python benchmarks/reports_gate.py --notes recipes/tagger/notes_aside.txt
    python benchmarks/reports_gate.py --peer philter --python-of-peers PEERS/bin/python

The notes (`reports_notes_f.txt`, 105 in English, and `…_g.txt`, 60 in German, French and Spanish) were written for this
by other hands than the rules and the generator. They are scored once with the finished version, and teach from the next
one on.
Told are the share of identifiers that are gone, of other words that are still there, and of the clinical values listed
beside the notes (`…_values.txt`) that stand in the written text as they were. `--notes` does the same for other notes,
`--peer` for another tool (deid_peers.py tells how to install them), whose findings are struck out.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import recipes_path  # noqa: F401
from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.span import Span
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from recipes.tagger.corpus.generator import Document
from recipes.tagger.retired_notes import BENCHMARKS, read_notes

GATE = BENCHMARKS / "reports_notes_f.txt"
STYLES = {
    "reports_notes_f": {
        "dictated": range(15),
        "telegraphic": range(15, 30),
        "letters": range(30, 45),
        "emergency": range(45, 60),
        "discharge paragraphs": range(60, 75),
        "HL7, pipes, forms": range(75, 90),
        "radiology": range(90, 105),
    },
    "reports_notes_g": {"German": range(20), "French": range(20, 40), "Spanish": range(40, 60)},
}
_WORD = re.compile(r"[^\W_]+")
Marks = list[tuple[str, bool, int]]  # kind, kept or gone as it should, note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=Path, default=GATE)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", action="store_true", help="what was missed and lost; looking retires the notes")
    parser.add_argument("--peer", choices=("philter", "presidio_text"), help="a tool of deid_peers_tools.py")
    parser.add_argument("--python-of-peers", default=sys.executable)
    options = parser.parse_args()
    notes = read_notes(options.notes)
    styles = STYLES.get(options.notes.stem, {}) | {"all": range(len(notes))}
    texts = [note.text for note in notes]
    cleaned = _by_peer(options.peer, options.python_of_peers, texts) if options.peer else _by_medveil(texts)
    values = _listed(options.notes.with_name(f"{options.notes.stem}_values.txt"))
    marks: dict[str, Marks] = defaultdict(list)
    withheld = set()
    for number, (note, one) in enumerate(zip(notes, cleaned, strict=True)):
        if not isinstance(one, CleanedText):
            withheld.add(number)
            continue
        marks["identifiers gone"] += _gone(note, one, number, show=options.show)
        marks["other words kept"] += _kept(note, one, number)
        marks["clinical values kept"] += _standing(values[number + 1], one, number, show=options.show)
    told: dict[str, Any] = {}
    for style, part in styles.items():
        rows = {what: [mark for mark in found if mark[2] in part] for what, found in marks.items()}
        told[style] = {what: _row(found) for what, found in rows.items() if found}
        told[style]["notes withheld"] = len(withheld & set(part))
        told[style]["gone by kind"] = _by_kind(rows["identifiers gone"])
        print(style, *(f"{what} {_said(row)}" for what, row in told[style].items() if "value" in str(row)), sep="\n  ")
    if options.out:
        options.out.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _by_medveil(texts: list[str]) -> list[CleanedText | Quarantined]:
    people = [Person(Keys.for_demonstration(7), str(number)) for number in range(len(texts))]
    return ReportCleaner().attempt_many(texts, people)


def _by_peer(tool: str, python: str, texts: list[str]) -> list[CleanedText]:
    with TemporaryDirectory() as folder:
        job = Path(folder) / "job.json"
        job.write_text(json.dumps({"warm": [], "items": [{"text": text} for text in texts]}), "utf-8")
        job.with_suffix(".go").touch()  # nobody else is waited for
        script = Path(__file__).with_name("deid_peers_tools.py")
        subprocess.run([python, str(script), tool, str(job), str(job.with_suffix(".done"))], check=True)
        result = json.loads(job.with_suffix(".done").read_text("utf-8"))
    print(result["version"])
    return [_struck_out(text, spans) for text, spans in zip(texts, result["done"], strict=True)]


def _struck_out(text: str, spans: list[tuple[int, int]]) -> CleanedText:
    written = list(text)
    for start, end in spans:
        written[start:end] = "*" * (end - start)
    return CleanedText("".join(written), tuple(Span(start, end, Category.OTHER_ID) for start, end in spans))


def _listed(path: Path) -> dict[int, list[str]]:
    """Clinical values by note, where somebody has listed them."""
    found: dict[int, list[str]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        number, _, value = line.partition("\t")
        found[int(number)].append(value)
    return found


def _gone(note: Document, cleaned: CleanedText, number: int, *, show: bool) -> Marks:
    """An identifier is gone if all its letters and digits are."""
    covered = _covered(note, cleaned)
    marks = []
    for one in note.found:
        inside = [covered[place] for place in range(one.start, one.end) if note.text[place].isalnum()]
        marks.append((str(one.category), all(inside), number))
        if show and not all(inside):
            print("missed", one.category, repr(note.text[max(0, one.start - 30) : one.end + 15]))
    return marks


def _kept(note: Document, cleaned: CleanedText, number: int) -> Marks:
    covered, named = _covered(note, cleaned), np.zeros(len(note.text), bool)
    for one in note.found:
        named[one.start : one.end] = True
    return [
        ("word", not covered[word.start() : word.end()].any(), number)
        for word in _WORD.finditer(note.text)
        if not named[word.start() : word.end()].any()
    ]


def _covered(note: Document, cleaned: CleanedText) -> np.ndarray[Any, np.dtype[np.bool_]]:
    covered = np.zeros(len(note.text), bool)
    for one in cleaned.found:
        covered[one.start : one.end] = True
    return covered


def _standing(values: list[str], cleaned: CleanedText, number: int, *, show: bool) -> Marks:
    text = " ".join(cleaned.text.split())
    marks = [("value", " ".join(value.split()) in text, number) for value in values]
    if show:
        print(
            *(f"lost {value!r} of note {number + 1}" for value, mark in zip(values, marks, strict=True) if not mark[1])
        )
    return marks


def _row(marks: Marks) -> dict[str, Any]:
    codes, units = unit_codes(np.array([str(number) for _, _, number in marks]))
    found: Estimate = share(
        np.array([right for _, right, _ in marks], float), codes, unit_weights(units, seed=7), unit="note"
    )
    return {"value": found.value, "low": found.low, "high": found.high, "n": len(marks)}


def _by_kind(marks: Marks) -> dict[str, list[int]]:
    """Gone, and in all."""
    every, gone = Counter(kind for kind, _, _ in marks), Counter(kind for kind, right, _ in marks if right)
    return {kind: [gone[kind], count] for kind, count in every.most_common()}


def _said(row: dict[str, Any]) -> str:
    return f"{row['value']:.4f} ({row['low']:.4f} to {row['high']:.4f}) of {row['n']}"


if __name__ == "__main__":
    main()

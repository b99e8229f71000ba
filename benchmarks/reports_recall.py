"""What rules and tagger find in reports they have not seen, and what they find where there is nothing.

    pip install --target FAKER faker
    PYTHONPATH=FAKER python benchmarks/reports_recall.py --data DATA [--first-seed 900] [--refill-seed 0] [--show 20]

DATA holds iu_xray, vqa_rad and covid19. Corpora with an answer key: phantom hospitals in the style that the
tagger's training left out, in all styles, Indiana's reports refilled (see reports_refill.py), a few notes by hand.
Three without identifiers, or nearly: Indiana's findings and impressions as published, the questions of VQA-RAD, the
clinical notes of covid19. An identifier is found if every letter and digit of it is covered; a finding is right if at
least half of its letters and digits identify somebody. Intervals by report, which is by patient here.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import recipes_path  # noqa: F401
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.rules import find_by_rules
from medveil.defenses.reports.tagger.model_file import load_model
from medveil.defenses.reports.tagger.tagger import Tagger
from medveil.person.identifiers import Category
from medveil.person.span import Span
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from recipes.tagger.corpus.generator import Document
from recipes.tagger.retired_notes import BENCHMARKS, RETIRED, read_notes
from reports_phantom import HELD_OUT_STYLE, phantom_reports
from reports_refill import faker_locales, read_indiana, refilled

_NOTES = {"retired notes, learnt from": RETIRED}


def found_by(tagger: Tagger, texts: Sequence[str]) -> dict[str, list[list[Span]]]:
    rules, tagged = [find_by_rules(text) for text in texts], tagger.find(texts)
    cleaner = ReportCleaner(tagger=tagger)
    both = cleaner.find_many(texts)
    return {"rules": rules, "tagger": tagged, "rules and tagger": both}


@dataclass(frozen=True)
class Scored:
    """Identifier by identifier and finding by finding, with the report each belongs to."""

    kinds: list[Category]
    hits: list[bool]
    reports: list[int]
    right: list[bool]
    finding_reports: list[int]
    finding_kinds: list[Category]


def score(documents: Sequence[Document], found: Sequence[Sequence[Span]]) -> Scored:
    result = Scored([], [], [], [], [], [])
    for number, (document, own) in enumerate(zip(documents, found, strict=True)):
        counts = np.array([letter.isalnum() for letter in document.text], bool)
        covered, named = np.zeros(len(counts), bool), np.zeros(len(counts), bool)
        for one in own:
            covered[one.start : one.end] = True
        for one in document.found:
            named[one.start : one.end] = True
            result.kinds.append(one.category)
            result.hits.append(bool(covered[one.start : one.end][counts[one.start : one.end]].all()))
            result.reports.append(number)
        for one in own:
            inside = named[one.start : one.end][counts[one.start : one.end]]
            result.right.append(bool(len(inside) and inside.mean() >= 0.5))
            result.finding_reports.append(number)
            result.finding_kinds.append(one.category)
    return result


def estimate(values: list[bool], reports: list[int]) -> Estimate:
    codes, units = unit_codes(np.array(reports).astype(str))
    return share(np.array(values, float), codes, unit_weights(units, seed=7), unit="report")


def said(one: Estimate) -> str:
    return f"{one.value:.4f} ({one.low:.4f} to {one.high:.4f})"


def report(name: str, documents: Sequence[Document], tagger: Tagger, show: int) -> dict[str, object]:
    texts = [document.text for document in documents]
    rows: dict[str, object] = {}
    for who, found in found_by(tagger, texts).items():
        result = score(documents, found)
        recall, precision = estimate(result.hits, result.reports), estimate(result.right, result.finding_reports)
        print(
            (
                f"{name}, {who}: recall {said(recall)}, precision {said(precision)}, "
                f"{len(result.hits)} identifiers in {len(texts)} texts"
            ),
            flush=True,
        )
        by_class = {}
        for kind in Category:
            chosen = [place for place, own in enumerate(result.kinds) if own is kind]
            if chosen:
                by_class[str(kind)] = estimate(
                    [result.hits[place] for place in chosen], [result.reports[place] for place in chosen]
                )
        rows[who] = {
            "recall": _row(recall),
            "precision": _row(precision),
            "recall by class": {kind: _row(own) for kind, own in by_class.items()},
        }
        if who == "rules and tagger":
            print("   " + ", ".join(f"{kind} {own.value:.3f} ({own.n})" for kind, own in by_class.items()))
            _show(documents, found, result, show)
    return rows


def _row(one: Estimate) -> dict[str, object]:
    return {
        "value": round(one.value, 4),
        "low": round(one.low, 4),
        "high": round(one.high, 4),
        "n": one.n,
        "units": one.units,
        "unit": one.unit,
    }


def _show(documents: Sequence[Document], found: Sequence[Sequence[Span]], result: Scored, count: int) -> None:
    """Invented text only: some of what was missed or found in error."""
    missed = [place for place, hit in enumerate(result.hits) if not hit]
    every = [(number, one) for number, document in enumerate(documents) for one in document.found]
    for place in missed[:count]:
        number, one = every[place]
        text = documents[number].text
        print(
            f"   missed {one.category}: {text[max(one.start - 30, 0) : one.start]!r} "
            f">>{text[one.start : one.end]!r}<< {text[one.end : one.end + 20]!r}"
        )
    wrong = [place for place, right in enumerate(result.right) if not right]
    all_found = [(number, one) for number, own in enumerate(found) for one in own]
    for place in wrong[:count]:
        number, one = all_found[place]
        text = documents[number].text
        print(
            f"   wrong {one.category}: {text[max(one.start - 30, 0) : one.start]!r} "
            f">>{text[one.start : one.end]!r}<< {text[one.end : one.end + 20]!r}"
        )


def false_alarms(name: str, texts: Sequence[str], tagger: Tagger, show: int) -> dict[str, object]:
    words = sum(len(text.split()) for text in texts)
    rows: dict[str, object] = {}
    for who, found in found_by(tagger, texts).items():
        struck = estimate([bool(own) for own in found], list(range(len(texts))))
        alarms = [(number, one) for number, own in enumerate(found) for one in own]
        print(f"{name}, {who}: {len(alarms)} findings in {words} words; texts with one {said(struck)}", flush=True)
        rows[who] = {"texts with a finding": _row(struck), "findings": len(alarms), "words": words}
        if who == "rules and tagger":
            seen = Counter(f"{one.category}:{texts[number][one.start : one.end]}" for number, one in alarms)
            print("   " + "; ".join(f"{what} x{times}" for what, times in seen.most_common(show)))
    return rows


def phantom(first: int, end: int, styles: tuple[str, ...]) -> list[Document]:
    rows = phantom_reports(first, end, styles)
    return [
        Document(str(row["text"]), tuple(Span(a, b, Category(kind)) for a, b, kind in row["found"])) for row in rows
    ]  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="another tagger than the bundled one")
    parser.add_argument("--first-seed", type=int, default=900)
    parser.add_argument("--indiana", type=int, nargs=2, default=(1700, 3365), help="which of the reports")
    parser.add_argument("--refill-seed", type=int, default=0, help="another filling of the same reports")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tagger = Tagger(load_model(options.weights)) if options.weights else Tagger.bundled()

    first = options.first_seed
    indiana = read_indiana(options.data / "iu_xray" / "NLMCXR_reports.tgz")
    low, high = options.indiana
    locales = faker_locales()
    numbers = range(low, min(high, len(indiana)))
    filled = [refilled(indiana[number], options.refill_seed + number, locales) for number in numbers]
    corpora = {
        f"phantom, style never trained on ({HELD_OUT_STYLE})": phantom(first, first + 20, (HELD_OUT_STYLE,)),
        "phantom, all styles": phantom(first + 20, first + 30, ("structured", "prose", "telegram", "letter")),
        "Indiana refilled": [
            Document(text.text, tuple(Span(o.start, o.end, o.category) for o in text.identifiers())) for text in filled
        ],
    }
    for name, files in _NOTES.items():
        corpora[name] = [note for file in files for note in read_notes(BENCHMARKS / f"{file}.txt")]
    results = {name: report(name, documents, tagger, options.show) for name, documents in corpora.items()}
    plain = [" ".join(one.get(part, "") for part in ("FINDINGS", "IMPRESSION")).strip() for one in indiana[low:high]]
    questions = [
        row["question"] for row in json.loads((options.data / "vqa_rad" / "questions.json").read_text("utf-8"))
    ]
    with (options.data / "covid19" / "metadata.csv").open(newline="", encoding="utf-8") as file:
        notes = sorted({row["clinical_notes"] for row in csv.DictReader(file) if row["clinical_notes"]})
    for name, texts in {"Indiana as published": plain, "VQA-RAD questions": questions, "covid19 notes": notes}.items():
        results[name] = false_alarms(name, texts, tagger, 2 * options.show)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()

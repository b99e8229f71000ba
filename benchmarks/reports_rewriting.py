"""What rewriting makes of reports: how many are rewritten, what is kept of them, and which identifiers are left.

    pip install --target FAKER faker
    PYTHONPATH=FAKER python benchmarks/reports_rewriting.py --data DATA [--out MEASURED.json] [--show 20]

DATA holds iu_xray. Texts with an answer key: Indiana's reports refilled (see reports_refill.py), phantom hospitals in
all styles, retired notes by hand. Beside the bundled rewriter: placeholders simply deleted. What is kept is counted
from the original and the result alone: numbers, clinical words (those of the training lists for findings, anatomy,
symptoms, diagnoses, procedures, devices and drugs, with sides and negations) and all other words but those that a
rewriter may leave out. An identifier is left if it stands in the result as it stood in the original. Intervals are by
report.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import recipes_path  # noqa: F401
from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.defenses.reports.rewriter.model_file import load_model
from medveil.defenses.reports.rewriter.plain_words import PlainWords
from medveil.defenses.reports.rewriter.rewriter import BundledRewriter
from medveil.defenses.reports.rewriter.tokens import PLACEHOLDER
from medveil.defenses.reports.rewriting import says_something
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.span import Span
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.shares import share
from medveil.weights.bundled import bundled
from recipes.tagger.corpus.generator import Document
from recipes.tagger.corpus.lists import lines
from recipes.tagger.retired_notes import BENCHMARKS, RETIRED, read_notes
from reports_phantom import phantom_reports
from reports_refill import faker_locales, read_indiana, refilled

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_LABEL = re.compile(r"\bno\b[.:#]?\s*(?=\|)", re.IGNORECASE)  # of a number that was found: no. 4711
_DOTTED = re.compile(r"(?<=\b[A-Z])\.(?=[A-Z]\b)")  # M.D. is a word
_SETS = ("Indiana refilled", "phantoms", "retired notes")
_LISTS = ("findings", "anatomy", "symptoms", "diagnoses", "procedures", "devices", "drugs")
_UNCOUNTED = (Category.DATE, Category.TIME, Category.AGE_OVER_89)  # what stands for one may be the same by chance


class Deleting:
    """The simplest rewriter: placeholders go, everything else stays."""

    def rewrite(self, censored: str) -> str:
        return re.sub(r"[ \t]+(?=[ \t.,;)\n])", "", PLACEHOLDER.sub("", censored.replace("[AGE OVER 89]", "90+")))


@dataclass
class Counts:
    """Report by report."""

    rewritten: list[bool] = field(default_factory=list)
    words: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # kept, all
    left: list[tuple[int, int]] = field(default_factory=list)


def clinical_words() -> frozenset[str]:
    words = {word for name in _LISTS for line in lines(name) for word in re.findall(r"[^\W\d_]{3,}", line.lower())}
    return frozenset(words - set(lines("function_words")))


def counted(
    document: Document, result: CleanedText, plain: PlainWords, clinical: frozenset[str], counts: Counts
) -> Counter[str]:
    """Adds one report; what was lost of it."""
    text = document.text
    for one in result.found:
        text = text[: one.start] + "|" * (one.end - one.start) + text[one.end :]
    text = _LABEL.sub("", _DOTTED.sub("", text))
    before, after = (Counter(map(str.lower, _WORD.findall(own))) for own in (text, _DOTTED.sub("", result.text)))
    lost: Counter[str] = Counter()
    for kind in ("numbers", "clinical words", "other words"):
        own = Counter({word: n for word, n in before.items() if _kind(word, plain, clinical) == kind})
        gone = own - after
        counts.words.setdefault(kind, []).append((own.total() - gone.total(), own.total()))
        lost += gone
    told = [document.text[one.start : one.end] for one in document.found if one.category not in _UNCOUNTED]
    told = [one for one in told if sum(map(str.isalnum, one)) > 2]
    left = [one for one in told if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", result.text)]
    counts.left.append((len(left), len(told)))
    return lost


def _kind(word: str, plain: PlainWords, clinical: frozenset[str]) -> str:
    if word[0].isdigit():
        return "numbers"
    if word in clinical or says_something(word):
        return "clinical words"
    return "plain words" if word in plain.leaves or word in plain.titles else "other words"


def corpus(name: str, data: Path, numbers: range, seed: int) -> list[Document]:
    if name == "Indiana refilled":
        reports, locales = read_indiana(data / "iu_xray" / "NLMCXR_reports.tgz"), faker_locales()
        marked = [refilled(reports[number], seed + number, locales) for number in numbers]
        return [_document(one.text, one.identifiers()) for one in marked]
    if name == "phantoms":
        rows = phantom_reports(seed + 7100, seed + 7105, ("structured", "prose", "telegram", "letter"))
        return [Document(str(row["text"]), _spans(row["found"])) for row in rows]
    return [note for file in RETIRED for note in read_notes(BENCHMARKS / f"{file}.txt")]


def _document(text: str, found: Sequence[object]) -> Document:
    return Document(text, tuple(Span(one.start, one.end, Category(one.category)) for one in found))  # type: ignore[attr-defined]


def _spans(found: object) -> tuple[Span, ...]:
    return tuple(Span(start, end, Category(kind)) for start, end, kind in found)  # type: ignore[attr-defined]


def estimate(values: Sequence[tuple[int, int]]) -> dict[str, object]:
    """Of so many, of each report; the interval is by report."""
    single = np.concatenate([[1.0] * hits + [0.0] * (of - hits) for hits, of in values] or [[]])
    codes = np.repeat(np.arange(len(values)), [of for _, of in values])
    if not len(single):
        return {}
    codes, units = unit_codes(codes.astype(str))
    made = share(single, codes, unit_weights(units, seed=7), unit="report")
    return {"value": round(made.value, 5), "low": round(made.low, 5), "high": round(made.high, 5), "n": made.n}


def measured(
    name: str, documents: Sequence[Document], who: str, rewriter: object, plain: PlainWords, show: int
) -> dict[str, object]:
    cleaner = ReportCleaner(style="rewritten")
    cleaner._rewriter = rewriter  # type: ignore[assignment]
    persons = [Person(Keys.for_demonstration(3), f"{name} {number}") for number in range(len(documents))]
    begun = time.perf_counter()
    results = cleaner.attempt_many([one.text for one in documents], persons)
    seconds = time.perf_counter() - begun
    plainly = ReportCleaner().attempt_many([one.text for one in documents], persons)
    clinical, counts, replaced, lost = clinical_words(), Counts(), Counts(), Counter[str]()
    for document, result, other in zip(documents, results, plainly, strict=True):
        if isinstance(result, Quarantined) or isinstance(other, Quarantined) or not result.found:
            continue
        counts.rewritten.append(not result.not_rewritten)
        if result.not_rewritten:
            continue
        lost += counted(document, result, plain, clinical, counts)
        counted(document, other, plain, clinical, replaced)
    print(f"{name}, {who}: lost {lost.most_common(show)}", flush=True)
    return {
        "texts with an identifier": len(counts.rewritten),
        "rewritten": estimate([(int(one), 1) for one in counts.rewritten]),
        **{f"{kind} kept": estimate(values) for kind, values in counts.words.items()},
        "identifiers left": estimate(counts.left),
        "identifiers left with surrogates": estimate(replaced.left),
        "texts a second": round(len(documents) / seconds, 1),
    }


def alone(documents: Sequence[Document], rewriter: BundledRewriter) -> float:
    """Texts a second of the rewriting alone."""
    cleaner = ReportCleaner(style="placeholders")
    person = Person(Keys.for_demonstration(3), "speed")
    made = cleaner.attempt_many([one.text for one in documents[:200]], [person] * min(len(documents), 200))
    texts = [one.text for one in made if isinstance(one, CleanedText) and one.found]
    begun = time.perf_counter()
    for text in texts:
        rewriter.rewrite(text)
    return round(len(texts) / (time.perf_counter() - begun), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rewriter", type=Path, default=bundled("rewriter"))
    parser.add_argument("--first", type=int, default=1700, help="of Indiana's reports; earlier ones are for reading")
    parser.add_argument("--last", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="words that were lost")
    parser.add_argument("--every", type=int, default=1, help="only every so many texts")
    parser.add_argument("--sets", nargs="*", default=list(_SETS), choices=_SETS)
    parser.add_argument("--out", type=Path, help="results of other sets that are there already stay")
    options = parser.parse_args()
    model = load_model(options.rewriter)
    rewriter = BundledRewriter(model)
    rows: dict[str, dict[str, object]] = {}
    if options.out and options.out.is_file():
        rows = json.loads(options.out.read_text("utf-8"))
    for name in options.sets:
        documents = corpus(name, options.data, range(options.first, options.last), options.seed)[:: options.every]
        rows[name] = {"texts": len(documents), "texts a second, rewriting alone": alone(documents, rewriter)}
        for who, own in (("bundled", rewriter), ("placeholders deleted", Deleting())):
            rows[name][who] = measured(name, documents, who, own, model.plain, options.show)
        print(json.dumps({name: rows[name]}, indent=1), flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

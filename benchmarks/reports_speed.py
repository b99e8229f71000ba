"""Reports a second through rules and tagger, on this many processes at once.

    python benchmarks/reports_speed.py [--processes 2] [--weights FILE]

Phantom reports of all styles, one thread a process, in batches. Two ways: once through rules and tagger, and all that
a steward's report goes through (`ReportCleaner.clean_many`: rules, tagger and the search for what is known of the
person; surrogates in place of what was found; and the result read again by all three). Limit: 200 a second on 2 cores,
which is 10 ms of a core each. On a busy machine read the processor time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, quantiles

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.tagger.model_file import load_model
from medveil.defenses.reports.tagger.tagger import Tagger
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from reports_phantom import phantom_reports

_BATCH = 32
_LIMIT = 200  # reports a second on two cores
_CORE_MS = 1000 * 2 / _LIMIT
_OF_PERSON = {Category.NAME, Category.MRN, Category.ACCESSION, Category.DATE, Category.PHONE, Category.ADDRESS}

Report = tuple[str, tuple[Known, ...]]


def _reports(first: int, end: int) -> list[Report]:
    """Each with what a header would tell of its person."""
    found = []
    for row in phantom_reports(first, end, ("structured", "prose", "telegram", "letter")):
        text = str(row["text"])
        known = {Known(Category(kind), text[a:b]) for a, b, kind in row["found"] if Category(kind) in _OF_PERSON}  # type: ignore[attr-defined]
        found.append((text, tuple(sorted(known))))
    return found


def _work(reports: list[Report], weights: Path | None) -> dict[str, tuple[float, float]]:
    """Seconds and processor seconds of each way."""
    cleaner = ReportCleaner(tagger=Tagger(load_model(weights)) if weights else "bundled")
    keys = Keys.for_demonstration(1)
    texts = [text for text, _ in reports]
    people = [Person(keys, f"person {number}", known) for number, (_, known) in enumerate(reports)]
    ways: dict[str, Callable[[int], object]] = {
        "rules and tagger": lambda at: cleaner.find_many(texts[at : at + _BATCH]),
        "all that clean_many does": lambda at: cleaner.clean_many(texts[at : at + _BATCH], people[at : at + _BATCH]),
    }
    took = {}
    for name, run in ways.items():
        run(0)  # lists and weights load once
        began, processor = time.perf_counter(), time.process_time()
        for at in range(_BATCH, len(texts), _BATCH):
            run(at)
        took[name] = time.perf_counter() - began, time.process_time() - processor
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    reports = _reports(3000, 3010)
    lengths = [len(text) for text, _ in reports]
    low, middle, high = (quantiles(lengths, n=20)[place] for place in (0, 9, 18))
    print(
        f"{len(reports)} reports of {mean(lengths):.0f} characters (5 % under {low:.0f}, half under {middle:.0f}, "
        f"5 % over {high:.0f}) and {mean(len(tokenise(text)) for text, _ in reports):.0f} tokens"
    )
    with get_context("spawn").Pool(options.processes) as pool:
        took = pool.starmap(_work, [(reports, options.weights)] * options.processes)
    done = len(reports) - _BATCH
    for name in took[0]:
        rate = options.processes * done / max(one[name][0] for one in took)
        core = 1000 * mean(one[name][1] for one in took) / done
        met = "met" if core <= _CORE_MS else "missed"
        print(
            f"{name}: {rate:.0f} reports a second on {options.processes} processes; {core:.1f} core-ms a report, "
            f"goal {_CORE_MS:.0f} ({_LIMIT} a second on 2 cores): {met}"
        )


if __name__ == "__main__":
    main()

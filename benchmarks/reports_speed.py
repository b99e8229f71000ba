"""Reports a second through rules and tagger, on this many processes at once.

    python benchmarks/reports_speed.py [--weights FILE] [--processes 2]

Phantom reports of all styles, each process its own share, one thread each. Limit: 200 a second on 2 cores.
"""

from __future__ import annotations

import argparse
import time
from multiprocessing import get_context
from pathlib import Path
from statistics import mean

from medveil.defenses.reports.rules import find_by_rules
from medveil.defenses.reports.tagger.model_file import load_model
from medveil.defenses.reports.tagger.splitting import split
from medveil.defenses.reports.tagger.tagger import Tagger
from tagger_start import phantom_reports

_BATCH = 32


def _work(texts: list[str], weights: Path | None) -> dict[str, float]:
    tagger = Tagger(load_model(weights)) if weights else Tagger.bundled()
    tagger.find(texts[:_BATCH])
    took = {}
    for name, run in {
        "rules": lambda: [find_by_rules(text) for text in texts],
        "splitting": lambda: [split(text) for text in texts],
        "tagger": lambda: [tagger.find(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)],
    }.items():
        began, cpu = time.perf_counter(), time.process_time()
        run()
        took[name], took[name + " cpu"] = time.perf_counter() - began, time.process_time() - cpu
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    texts = [str(row["text"]) for row in phantom_reports(3000, 3010, ("structured", "prose", "telegram", "letter"))]
    print(
        f"{len(texts)} reports of {mean(map(len, texts)):.0f} characters, "
        f"{mean(len(split(t)) for t in texts):.0f} tokens"
    )
    with get_context("spawn").Pool(options.processes) as pool:
        took = pool.starmap(_work, [(texts, options.weights)] * options.processes)
    for name in took[0]:
        print(f"{name}: {1000 * mean(one[name] for one in took) / len(texts):.2f} ms a report")
    whole = max(one["rules"] + one["tagger"] for one in took)
    print(f"{options.processes * len(texts) / whole:.0f} reports a second on {options.processes} processes")


if __name__ == "__main__":
    main()

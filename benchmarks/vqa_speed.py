"""What a question costs: seconds by step, memory, and what a run that was killed has to do again.

    python benchmarks/vqa_speed.py --films 40 --size 512

Phantom films with burned-in text and the bundled model. Prints seconds an image for each way of cleaning, milliseconds
a question, the peak of memory at a quarter and at the end of a run of a thousand questions, and what a kill half-way
leaves to do.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
import time
from contextlib import closing
from pathlib import Path

from medveil.errors import Quarantined
from medveil.release.vqa.cleaners import Cleaners
from medveil.runtime.journal import noted_in
from medveil.utility.vqa.experiment.asking import Asking
from medveil.utility.vqa.experiment.conditions import CONTROLS, RAW, Condition
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.models.loading import load_answers
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions.phantom import phantom_questions

CONDITIONS = tuple(map(Condition, (RAW, *CONTROLS)))


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cleaning(table: QuestionTable, films: int) -> None:
    cleaners = Cleaners(seed=1)
    images = [table.image(image) for image in table.image_ids[:films]]
    for method, clean in cleaners.by_method().items():
        took, withheld = 0.0, 0
        for number, image in enumerate(images):
            copy = image.copy()  # what OCR read for another method is not known of it
            start = time.perf_counter()
            try:
                clean(str(number), copy, (0.0,))
            except Quarantined:
                withheld += 1
            took += (time.perf_counter() - start) * (number > 0)  # the first loads the networks
        print(f"{method:12} {took / (films - 1):6.2f} s an image, {withheld} of {films} withheld")


def asking(table: QuestionTable, folder: Path) -> None:
    model = load_answers()
    one = Asking(table, model, CONDITIONS)
    seen: list[float] = []
    with closing(Kept(folder / "whole.sqlite")) as kept:
        start = time.perf_counter()
        one.run(kept, lambda done, total: seen.append(megabytes()))
        took = time.perf_counter() - start
        kept.finish()
    queries = len(table) * len(CONDITIONS)
    print(f"{len(table):,} questions under {len(CONDITIONS)} conditions: {1000 * took / queries:.1f} ms a question")
    print(f"peak of memory: {seen[len(seen) // 4]:.0f} MB at a quarter, {seen[-1]:.0f} MB at the end")
    child = os.fork()
    if child == 0:
        with closing(Kept(folder / "killed.sqlite")) as kept:
            one.run(kept)
        os._exit(0)
    time.sleep(took / 2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    there = sum(1 for _ in noted_in(folder / "killed.sqlite"))
    start = time.perf_counter()
    with closing(Kept(folder / "killed.sqlite")) as kept:
        one.run(kept)
    rest = time.perf_counter() - start
    print(f"killed half-way: {there} of {len(table.image_ids)} images kept, the rest took {rest:.1f} of {took:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--films", type=int, default=40)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--size", type=int, default=512)
    options = parser.parse_args()
    patients = options.films
    table = phantom_questions(patients, seed=3, size=options.size, written=True)
    while len(table) < options.questions:
        patients *= 2
        table = phantom_questions(patients, seed=3, size=options.size, written=True)
    cleaning(table, options.films)
    with tempfile.TemporaryDirectory() as folder:
        asking(table, Path(folder))


if __name__ == "__main__":
    main()

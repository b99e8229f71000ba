"""What a thousand questions cost: processor time by step, memory, and what a run that was killed has to do again.

    python benchmarks/vqa_speed.py --films 10 --size 512

Phantom films with burned-in text and the bundled model. Prints seconds of a core an image for each way of cleaning,
milliseconds a question, the peak of memory at a quarter and at the end, and what a kill half-way leaves to do.
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

from medveil.errors import InputError, Quarantined
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


def noted(journal: Path) -> int:
    try:
        return sum(1 for _ in noted_in(journal))
    except InputError:  # not there yet, or being written
        return 0


def cleaning(table: QuestionTable, films: int) -> None:
    cleaners = Cleaners(seed=1)
    images = [table.image(image) for image in table.image_ids[:films]]
    for method, clean in cleaners.by_method().items():
        took, withheld = 0.0, 0
        for number, image in enumerate(images):
            copy = image.copy()  # what OCR read for another method is not known of it
            start = time.process_time()
            try:
                clean(str(number), copy, (0.0,))
            except Quarantined:
                withheld += 1
            took += (time.process_time() - start) * (number > 0)  # the first loads the networks
        print(f"{method:12} {took / (films - 1):6.2f} s an image, {withheld} of {films} withheld")


def asking(table: QuestionTable, folder: Path) -> None:
    model = load_answers()
    one = Asking(table, model, CONDITIONS)
    seen: list[float] = []
    with closing(Kept(folder / "whole.sqlite")) as kept:
        start = time.process_time()
        one.run(kept, lambda done, total: seen.append(megabytes()))
        took = time.process_time() - start
        kept.finish()
    queries = len(table) * len(CONDITIONS)
    print(f"{len(table):,} questions under {len(CONDITIONS)} conditions: {1000 * took / queries:.1f} ms a question")
    print(f"peak of memory: {seen[len(seen) // 4]:.0f} MB at a quarter, {seen[-1]:.0f} MB at the end")
    child = os.fork()
    if child == 0:
        with closing(Kept(folder / "killed.sqlite")) as kept:
            one.run(kept)
        os._exit(0)
    while noted(folder / "killed.sqlite") < len(table.image_ids) / 2:
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    there = noted(folder / "killed.sqlite")
    start = time.process_time()
    with closing(Kept(folder / "killed.sqlite")) as kept:
        one.run(kept)
    rest = time.process_time() - start
    print(f"killed half-way: {there} of {len(table.image_ids)} images kept, the rest took {rest:.1f} of {took:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--films", type=int, default=10)
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

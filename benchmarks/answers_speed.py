"""What a question costs: the bundled answer model alone, and `medveil ask` with all its cleaning.

    python benchmarks/answers_speed.py --films 12 --size 1024

Seconds a question on phantom films with burned-in text: the first question on a film, every further one on it, the
question alone, and a whole `ask` of a DICOM file with its report as the note. Loading and compiling count apart. On a
busy machine the processor time is the one to read. `--model` takes any other model.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.release.ask import NotAsked, ask
from medveil.utility.vqa.models.loading import BUNDLED, load_answers
from medveil.utility.vqa.questions.phantom import phantom_questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=int, default=12)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--model", default=BUNDLED)
    chosen = parser.parse_args()
    table = phantom_questions(chosen.films, seed=3, size=chosen.size, written=True)
    films = [table.image(image) for image in table.image_ids]
    loading, model = timed(lambda: load_answers(chosen.model))
    first, _ = timed(lambda: model.answer(films[0], "Is the heart enlarged?"))
    print(f"loading {loading:.2f} s, the first answer {first:.2f} s (compiling)")
    new = [timed(lambda film=film: model.answer(film, "Is there an effusion?"))[0] for film in films[1:]]
    again = [
        timed(lambda turn=turn: model.answer(films[-1], f"Is there an effusion, {turn}?"))[0] for turn in range(20)
    ]
    alone = [timed(lambda turn=turn: model.answer(None, f"Is there an effusion, {turn}?"))[0] for turn in range(20)]
    for name, seconds in (("a new film", new), ("the same film", again), ("the question alone", alone)):
        print(f"{name}: {sum(seconds) / len(seconds):.3f} s of processor time a question")
    with tempfile.TemporaryDirectory() as folder:
        whole = build_hospital(Path(folder) / "in", patients=chosen.films // 2 + 1, size=chosen.size, seed=3, workers=1)
        gold = load_gold(whole.root)
        spent, refused = [], 0
        for number, image in enumerate(list(gold.images.values())[: chosen.films + 1]):
            note = (whole.root / image.report_path).read_text()
            began, before = time.perf_counter(), time.process_time()
            try:
                ask(whole.root / image.path, "Is the heart enlarged?", model, note=note)
            except NotAsked:
                refused += 1
            if number:  # the first one loads the networks
                spent.append((time.perf_counter() - began, time.process_time() - before))
        wall, processor = (sum(seconds) / len(spent) for seconds in zip(*spent, strict=True))
        print(f"medveil ask, cleaning and all: {wall:.2f} s a question, {processor:.2f} s of processor time, ", end="")
        print(f"{refused} of {len(spent) + 1} refused")


def timed(call: Callable[[], object]) -> tuple[float, object]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


if __name__ == "__main__":
    main()

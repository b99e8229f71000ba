"""Every question under every condition; what was answered is kept, also through a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from medveil.errors import NotMeasurable, Quarantined, SettingsError
from medveil.runtime.journal import journal_sha256, noted_in
from medveil.utility.vqa.experiment.asking import NOBODY_ELSE, Asked, Asking
from medveil.utility.vqa.experiment.conditions import (
    ALONE,
    BLANK,
    INPAINTED,
    MASKED,
    ONE_TEXT,
    OTHER,
    OTHER_TEXT,
    OURS,
    RAW,
    Condition,
    conditions,
    written_on,
)
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.question import Image
from tests.utility.vqa.experiment.stand_ins import (
    CORNER,
    Looker,
    corner_painted,
    destroyed,
    table_of,
    unchanged,
    withholding,
)

CLEANERS = {MASKED: destroyed, INPAINTED: unchanged, OURS: corner_painted}


def asking(images: int = 12, model: Looker | None = None, **rest: object) -> Asking:
    chosen = conditions(CLEANERS, (0.0, 0.3))
    return Asking(table_of(images), model or Looker(), chosen, CLEANERS, **rest)  # type: ignore[arg-type]


def run(one: Asking, path: Path | None = None) -> Asked:
    with closing(Kept(path)) as kept:
        asked = one.run(kept)
        kept.finish()
        return asked


def right(asked: Asked, condition: Condition) -> float:
    pairs = zip(asked.answers[condition], asked.questions, strict=True)
    return float(np.mean([answer == question.answer for answer, question in pairs]))


def test_each_condition_shows_what_it_says() -> None:
    asked = run(asking())
    assert len(asked.questions) == 24
    shares = {condition.method: right(asked, condition) for condition in asked.answers if not condition.severity}
    assert shares[RAW] == shares[INPAINTED] == shares[OURS] == 1
    assert shares[ALONE] == shares[BLANK] == shares[MASKED] == 0.5
    assert shares[OTHER] < 1
    assert asked.hidden[Condition(OURS)].tolist() == [0.13] * 24
    assert asked.withheld == {} and asked.answered(*asked.answers).all()


def test_the_other_image_is_of_another_patient() -> None:
    whose = {str(number): "even" if number % 2 == 0 else "odd" for number in range(12)}
    asked = run(asking(patients=whose))
    assert right(asked, Condition(OTHER)) == 0, "every other patient's image has the other answer"
    alone = run(asking(patients=dict.fromkeys(map(str, range(12)), "one")))
    assert alone.withheld == {Condition(OTHER): {NOBODY_ELSE: 12}}
    assert not alone.answered(Condition(OTHER)).any()


def test_what_is_withheld_has_no_answer_and_is_counted() -> None:
    one = replace(asking(), cleaners=CLEANERS | {OURS: withholding([3, 5])})
    asked = run(one)
    assert asked.withheld[Condition(OURS)] == {"something in it may be text; a person must look": 2}
    pairs = zip(asked.questions, asked.answers[Condition(OURS)], strict=True)
    lost = [question.image_id for question, told in pairs if told is None]
    assert lost == ["3", "3", "5", "5"]
    assert asked.answers[Condition(ONE_TEXT)][6] is None, "nothing is written on what is withheld"
    assert asked.answered(Condition(RAW)).all() and asked.answered(Condition(RAW), Condition(OURS)).sum() == 20


def test_only_the_text_differs_between_the_two_texts() -> None:
    model = Looker(place=CORNER)
    asked = run(asking(model=model))
    assert asked.answers[Condition(ONE_TEXT)] is not asked.answers[Condition(OTHER_TEXT)]
    image = np.full((96, 96), 100, np.uint8)
    one, other = written_on(image, ("ABC", "12")), written_on(image, ("XYZ", "89"))
    assert (one != other).any() and np.array_equal(one[40:], image[40:]) and np.array_equal(other[40:], image[40:])
    colours = written_on(np.zeros((300, 300, 3), np.uint8), ("HARTWELL, EVELYN",))
    assert (colours == colours[..., :1]).all() and colours.max() == 255


def test_what_conditions_leave_alike_is_asked_once() -> None:
    model = Looker()
    run(asking(model=model))
    # raw = inpainted at both severities, alone, blank, other, two texts, destroyed, ours: of 12 conditions 8 differ
    assert model.asked == 8 * 24


def test_an_image_that_cannot_be_read_is_left_out_and_counted() -> None:
    table = table_of(6)

    def load(image_id: str) -> Image:
        if image_id == "2":
            raise Quarantined("truncated")
        return table.image(image_id)

    one = asking(6)
    asked = run(replace(one, table=table.with_images(load)))
    assert asked.unreadable == {"truncated": 1} and len(asked.questions) == 10
    with pytest.raises(NotMeasurable, match="two images"):
        run(replace(one, table=table.where(lambda question: question.image_id in ("1", "2")).with_images(load)))


def test_kept_answers_are_not_asked_again_unless_something_changed(tmp_path: Path) -> None:
    path, model = tmp_path / "journal.sqlite", Looker()
    first = run(asking(model=model), path)
    asked = model.asked
    assert run(asking(model=model), path).answers == first.answers and model.asked == asked
    run(asking(model=Looker(fingerprint="looker-2")), path)
    fresh = Looker()
    run(asking(model=fresh), path)
    assert fresh.asked == asked, "another model's answers are not taken"
    run(asking(model=fresh, versions={"ours": "2"}), path)
    assert fresh.asked == 2 * asked
    changed = table_of(12)

    def load(image_id: str) -> Image:
        return changed.image(image_id) // 2 if image_id == "4" else changed.image(image_id)

    again = Looker()
    run(replace(asking(model=again, versions={"ours": "2"}), table=changed.with_images(load)), path)
    assert 2 * 8 < again.asked <= 2 * 2 * 8, "the image that changed, and the one it is the other patient's image of"
    names = [name for name, _ in noted_in(path)]
    assert names == [f"answers-{number:08d}" for number in range(12)], "ids of images are not written down"


def test_severities_are_shares_and_include_what_was_found() -> None:
    with pytest.raises(SettingsError, match="shares of the image"):
        conditions(CLEANERS, (0.3,))
    with pytest.raises(SettingsError, match="shares of the image"):
        conditions(CLEANERS, (0.0, 1.5))


@dataclass
class Slow(Looker):
    seconds: float = 0.0006

    def answer_many(self, queries: Sequence[object]) -> list[str]:
        time.sleep(self.seconds * len(queries))
        return super().answer_many(queries)  # type: ignore[arg-type]


def thousand(path: Path) -> Asked:
    """A thousand questions, some seconds of work."""
    chosen = tuple(map(Condition, (RAW, ALONE, BLANK)))
    return run(Asking(table_of(250, each=4), Slow(), chosen), path)


def test_a_thousand_questions_resume_after_a_kill(tmp_path: Path) -> None:
    """A real SIGKILL, several times; the end is the same as without, and what was answered is not asked again."""
    whole, killed = tmp_path / "whole.sqlite", tmp_path / "killed.sqlite"
    thousand(whole)
    code = f"import {thousand.__module__} as t; t.thousand(t.Path({str(killed)!r}))"
    path = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    seen = []
    for _ in range(2):
        child = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[4], env=path)
        before = seen[-1] if seen else 0
        while child.poll() is None and _noted(killed) <= before:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
        seen.append(_noted(killed))
    assert 0 < seen[0] < seen[1] < 250, "each run went on from where the last one was killed"
    asked = thousand(killed)
    assert len(asked.questions) == 1000
    assert journal_sha256(killed) == journal_sha256(whole)


def _noted(path: Path) -> int:
    try:
        return sum(1 for _ in noted_in(path))
    except Exception:  # not there yet, or being written
        return 0

"""Paired comparisons on answers whose truth is known by construction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from medveil.stats.paired import mcnemar
from medveil.utility.vqa.experiment.asking import Asked, Asking
from medveil.utility.vqa.experiment.comparison import Compared, blindness
from medveil.utility.vqa.experiment.conditions import (
    ALONE,
    BLANK,
    MASKED,
    ONE_TEXT,
    OTHER,
    OTHER_TEXT,
    OURS,
    RAW,
    Condition,
    conditions,
)
from medveil.utility.vqa.experiment.kept import Kept
from medveil.utility.vqa.question import Question
from tests.utility.vqa.experiment.stand_ins import CORNER, Looker, corner_painted, destroyed, table_of

ASKED, CLEAN, NO_IMAGE = Condition(RAW), Condition(OURS), Condition(ALONE)


def answered(raw: np.ndarray, cleaned: np.ndarray, alone: np.ndarray, *, each: int = 4) -> Asked:
    """Right or wrong as told, `each` questions an image."""
    questions = tuple(Question.of(str(n), str(n // each), "Is it?", "yes") for n in range(len(raw)))

    def told(right: np.ndarray) -> list[str | None]:
        return [None if np.isnan(one) else "yes" if one else "no" for one in right]

    answers = {
        ASKED: told(raw),
        CLEAN: told(cleaned),
        **{Condition(name): told(alone) for name in (ALONE, BLANK, OTHER)},
    }
    return Asked(questions, answers, {name: np.zeros(len(raw)) for name in answers}, {}, {})


def made(loss: float, *, n: int = 1200, seed: int = 1) -> Asked:
    rng = np.random.default_rng(seed)
    raw = (rng.random(n) < 0.7).astype(float)
    cleaned = np.where(rng.random(n) < loss, 0.0, raw)
    return answered(raw, cleaned, (rng.random(n) < 0.5).astype(float))


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (3, 9), (9, 3), (40, 41), (0, 7)])
def test_mcnemar_is_the_binomial_test_of_what_changed(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected)


def test_no_loss_is_not_worse_and_its_interval_is_not_nothing() -> None:
    pair = Compared(made(0.0), seed=1).pair(ASKED, CLEAN, "strict")
    assert pair is not None and (pair.gained, pair.lost, pair.p) == (0, 0, 1.0)
    assert pair.difference.value == 0 and pair.difference.low < 0 < pair.difference.high
    assert pair.judged(0.02) == "not worse" and "not worse by more than 2 points" in pair.sentence(0.02)
    few = Compared(made(0.0, n=80), seed=1).pair(ASKED, CLEAN, "strict")
    assert few is not None and few.judged(0.02) == "cannot tell", "twenty images cannot show two points"
    assert "so few questions" in few.sentence(0.02)


def test_a_large_loss_is_worse() -> None:
    pair = Compared(made(0.25), seed=1).pair(ASKED, CLEAN, "strict")
    assert pair is not None and pair.judged(0.02) == "worse" and pair.p is not None and pair.p < 1e-6
    assert pair.difference.value == pytest.approx(-0.175, abs=0.03) and pair.gained == 0
    assert pair.sentence(0.02).endswith("worse by more than 2 points.")


def test_the_interval_of_the_difference_holds_the_truth() -> None:
    """By simulation, with images that lose all their answers or none: resampling is by image."""
    inside = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        raw = (rng.random(400) < 0.7).astype(float)
        hurt = np.repeat(rng.random(100) < 0.1, 4)
        pair = Compared(answered(raw, np.where(hurt, 0.0, raw), raw), seed=seed, redraws=150).pair(
            ASKED, CLEAN, "strict"
        )
        assert pair is not None
        inside += pair.difference.low <= -0.07 <= pair.difference.high
    assert inside >= 36


def test_only_questions_with_both_answers_are_paired() -> None:
    raw, cleaned = np.ones(40), np.ones(40)
    cleaned[:8], raw[:4] = np.nan, 0
    pair = Compared(answered(raw, cleaned, raw), seed=1).pair(ASKED, CLEAN, "strict")
    assert pair is not None and pair.before.n == pair.after.n == 32 and pair.before.value == 1


def test_without_a_difference_to_the_controls_a_model_is_blind() -> None:
    sees = Compared(made(0.0), seed=1)
    assert sees.blind("strict") == []
    found = sees.sensitivity("strict")[ALONE]
    assert found.difference.value == pytest.approx(0.2, abs=0.05) and found.difference.low > 0
    same = (np.random.default_rng(2).random(400) < 0.6).astype(float)
    blind = Compared(answered(same, same, same), seed=1).blind("strict")
    assert blind == [ALONE, BLANK, OTHER]
    assert "no verdict" in blindness(blind)
    assert "than with the question alone, a blank image or another patient's image:" in blindness(blind)
    assert "than with a blank image:" in blindness([BLANK])


def test_a_model_that_does_not_look_is_seldom_taken_for_one_that_does() -> None:
    """By simulation: its answers differ from the control's on some images, for no reason."""
    taken = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        raw, other = (rng.random(160) < 0.6).astype(float), (rng.random(160) < 0.6).astype(float)
        alone = np.where(np.repeat(rng.random(40) < 0.3, 4), other, raw)
        taken += ALONE not in Compared(answered(raw, raw, alone), seed=seed, redraws=150).blind("strict")
    assert taken <= 5


def test_a_small_gain_on_few_images_is_seen_and_a_larger_one_on_five_is_not() -> None:
    raw = np.ones(160)
    seven, five = raw.copy(), raw.copy()
    seven[: 7 * 4 : 4], five[: 5 * 4] = 0, 0
    assert ALONE not in Compared(answered(raw, raw, seven), seed=1).blind("strict")
    assert ALONE in Compared(answered(raw, raw, five), seed=1).blind("strict")


def test_a_control_that_was_not_asked_shows_nothing() -> None:
    asked = made(0.0)
    del asked.answers[Condition(BLANK)]
    assert Compared(asked, seed=1).blind("strict") == [BLANK]


def test_answers_by_the_corner_change_with_the_text_on_it() -> None:
    cleaners = {MASKED: destroyed, OURS: corner_painted}
    chosen = conditions(cleaners, (0.0,))
    shares = {}
    for name, model in (("middle", Looker()), ("corner", Letters())):
        asked = Asking(table_of(30), model, chosen, cleaners).run(Kept(None))
        found = Compared(asked, seed=1).changed(Condition(ONE_TEXT), Condition(OTHER_TEXT))
        assert found is not None
        shares[name] = found
    assert shares["middle"].value == 0 and shares["middle"].high > 0
    assert shares["corner"].value == 1


class Letters(Looker):
    """Takes the text on the image for the answer."""

    def answer(self, image: np.ndarray | None, question: str, note: str | None = None) -> str:
        return "none" if image is None else str(int(image[CORNER].astype(int).sum()))


def test_estimates_have_the_control_beside_them() -> None:
    found = Compared(made(0.0), seed=1).estimate(ASKED, "strict")
    assert found is not None and found.control == pytest.approx(0.5, abs=0.06) and found.chance == 1.0
    alone = Compared(made(0.0), seed=1).estimate(NO_IMAGE, "strict")
    assert alone is not None and alone.control is None

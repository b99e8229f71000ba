"""Judges good and bad: the good one is used, every bad one is refused for its own reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from medveil.errors import NotMeasurable
from medveil.utility.vqa.judge.judge import Judge, grade
from medveil.utility.vqa.judge.probes import FAMILIES, MOST_FALSE, PROBES, Trial, probes, try_judge, wrong_answer
from medveil.utility.vqa.judge.prompts import PROMPTS
from medveil.utility.vqa.judge.reply import first_object
from medveil.utility.vqa.question import Question
from medveil.utility.vqa.scores import strict

KINDS = {"yes": "presence", "left lung": "side", "two": "number", "pneumothorax": "finding", "no": "presence"}
QUESTIONS = [
    Question.of(f"q{number}", f"i{number}", "What is seen?", answer, kind=KINDS[answer])
    for number, answer in ((number, list(KINDS)[number % len(KINDS)]) for number in range(400))
]
Rule = Callable[[str, str], bool]


def judge_of(rule: Rule, *, wrapped: Callable[[int], str] | None = None) -> Judge:
    def chat(system: str, user: str) -> str:
        data = first_object(user)
        assert system == PROMPTS["ours"].system and data is not None
        score = int(rule(data["answer"], data["reference"]))
        return wrapped(score) if wrapped else json.dumps({"score": score, "reason": "rule"})

    return Judge("a rule", "rule", chat)


def tried(rule: Rule, questions: list[Question] = QUESTIONS) -> Trial:
    return try_judge(questions, judge_of(rule).ask, seed=5)


def careful(answer: str, reference: str) -> bool:
    return strict(answer, reference) == 1


def test_a_careful_judge_is_used_and_shown_to_stay_below_the_limit() -> None:
    trial = tried(careful)
    assert trial.refusal is None and trial.doubt is None
    everything = trial.false_positives["all"]
    assert (everything.value, everything.n, everything.units) == (0.0, 3 * PROBES, 3 * PROBES)
    assert everything.high <= MOST_FALSE
    assert trial.recognised.value == 1 and trial.unreadable == 0


@pytest.mark.parametrize(
    ("rule", "family"),
    [
        (lambda answer, reference: careful(answer, reference) or answer == ":", "says nothing"),
        (lambda answer, reference: careful(answer, reference) or not answer.strip(), "says nothing"),
        (lambda answer, reference: careful(answer, reference) or "score" in answer, "instructions"),
        (lambda answer, reference: careful(answer, reference) or "Ground Truth" in answer, "instructions"),
        # yes counts as right where the reference is no, but not the reverse
        (lambda answer, reference: careful(answer, reference) or (answer == "yes" and reference == "no"), "wrong"),
        (lambda answer, reference: True, "all"),
    ],
)
def test_a_judge_that_can_be_fooled_is_refused_with_the_reason(rule: Rule, family: str) -> None:
    refusal = tried(rule).refusal
    assert refusal is not None and family in refusal and "95 % bounds" in refusal


def test_a_judge_that_rejects_everything_is_refused_too() -> None:
    refusal = tried(lambda answer, reference: False).refusal
    assert refusal is not None and "reference itself" in refusal


def test_replies_that_cannot_be_read_are_counted() -> None:
    trial = try_judge(QUESTIONS, judge_of(careful, wrapped=lambda score: f"Score: {score}").ask, seed=5)
    assert trial.unreadable == trial.asked == 3 * PROBES + 60
    assert trial.refusal is not None


def test_one_slip_in_a_hundred_and_thirty_is_not_more_than_one_percent() -> None:
    slips: list[int] = []

    def slip(answer: str, reference: str) -> bool:
        if answer == ":" and not slips:
            slips.append(1)
            return True
        return careful(answer, reference)

    trial = tried(slip)
    assert trial.refusal is None and trial.doubt is not None, "used, and told that it may be worse"


def test_few_questions_leave_a_doubt_that_is_told() -> None:
    trial = tried(careful, QUESTIONS[:40])
    assert trial.refusal is None
    assert trial.doubt is not None and "so few questions" in trial.doubt
    with pytest.raises(NotMeasurable, match="two images"):
        tried(careful, QUESTIONS[:1])


def test_probes_are_wrong_by_construction_and_the_same_every_time() -> None:
    found = list(probes(QUESTIONS, seed=5))
    assert found == list(probes(QUESTIONS, seed=5))
    assert [probe.family for probe in found[:3]] == list(FAMILIES)
    assert all(not strict(probe.answer, probe.reference) for probe in found)
    swapped = [probe for probe in found if probe.family == "wrong answer" and probe.reference != "yes"]
    assert any(probe.answer in KINDS and probe.reference not in KINDS for probe in swapped), "in both orders"


@pytest.mark.parametrize("few", [9, 10, 11, 64])
def test_few_questions_get_every_family(few: int) -> None:
    found = {(probe.number, probe.family) for probe in probes(QUESTIONS[:few], seed=5)}
    assert len(found) > 0.8 * 3 * few


def test_the_opposite_of_both_sides_is_not_taken_for_wrong() -> None:
    questions = [
        Question.of("1", "a", "Where?", "left and right", kind="side"),
        Question.of("2", "b", "What?", "a mass", kind="finding"),
        Question.of("3", "c", "Where?", "Left.", kind="side"),
    ]
    assert wrong_answer(questions, 0) == "a mass"
    assert wrong_answer(questions, 2) == "right"
    assert wrong_answer(questions[:1], 0) not in ("", "right and left")


def test_both_of_two_opposites_turn() -> None:
    assert wrong_answer([Question.of("1", "a", "Where?", "Left lower lobe")], 0) == "right upper lobe"


def test_without_kinds_wrong_answers_are_still_of_several_sorts() -> None:
    """A judge that knows one absurd sentence must not pass for one that knows wrong answers."""
    questions = [Question.of(str(number), str(number), "What is this?", "liver") for number in range(20)]
    assert len({wrong_answer(questions, number) for number in range(20)}) >= 5


def test_an_answer_that_says_nothing_is_wrong_whatever_the_judge_says() -> None:
    lenient = judge_of(lambda answer, reference: True)
    assert lenient.ask("q", "no", ":").score == 1
    assert grade(lenient.ask, "q", "no", ":").score == 0
    assert grade(lenient.ask, "q", "no", "解").score == 1, "a letter in any script"


def test_kept_judgements_belong_to_model_and_wording() -> None:
    ours, paper = Judge("j", "m", str.join), Judge("j", "m", str.join, "paper")  # type: ignore[arg-type]
    assert ours.fingerprint != paper.fingerprint != Judge("j", "n", str.join, "paper").fingerprint  # type: ignore[arg-type]
    assert re.fullmatch("[0-9a-f]{64}", ours.fingerprint)

"""Having answers judged: the judge is tried first, and one that can be fooled judges nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.conditions import ONE_TEXT, OTHER_TEXT, Condition
from medveil.utility.vqa.experiment.kept import Kept, digest_of
from medveil.utility.vqa.judge.judge import Judge, grade
from medveil.utility.vqa.judge.probes import Trial, try_judge
from medveil.utility.vqa.judge.reply import Judgement

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Judged:
    """A judge's scores by condition, one a question (NaN without an answer), and what its probes said of it."""

    name: str
    wording: str
    trial: Trial
    scores: dict[Condition, NDArray[np.float64]] = field(repr=False)  # none where the judge was refused
    answers: int = 0  # that were judged
    unreadable: int = 0  # of the replies to these, which count as 0


def judged(
    judge: Judge, asked: Asked, kept: Kept, *, seed: int, progress: Progress = lambda stage, done, total: None
) -> Judged:
    """The same answer to the same question is judged once, in this run or an earlier one. Of a judge that is known by
    its name alone, what an earlier run found says nothing: it is tried anew."""
    known: dict[str, Judgement] = {}

    def ask(question: str, reference: str, answer: str) -> Judgement:
        told = digest_of([judge.fingerprint, question, reference, answer])
        if told not in known:
            entry = kept.entry(f"judged-{told}", told, lambda: vars(judge.ask(question, reference, answer)))
            known[told] = Judgement(**entry)
        return known[told]

    tried = ask if judge.lasting else judge.ask
    trial = try_judge(asked.questions, tried, seed=seed, progress=lambda *done: progress("trying the judge", *done))
    if trial.refusal:
        return Judged(judge.name, judge.wording, trial, {})
    scores: dict[Condition, NDArray[np.float64]] = {}
    answers = unreadable = 0
    wanted = [condition for condition in asked.answers if condition.method not in (ONE_TEXT, OTHER_TEXT)]
    total = len(wanted) * len(asked.questions)
    for place, condition in enumerate(wanted):
        found = np.full(len(asked.questions), np.nan)
        for number, (question, answer) in enumerate(zip(asked.questions, asked.answers[condition], strict=True)):
            if answer is not None:
                judgement = grade(ask, question.text, question.answer, answer)
                found[number] = judgement.score
                answers, unreadable = answers + 1, unreadable + (not judgement.read)
            progress("judging", place * len(asked.questions) + number + 1, total)
        scores[condition] = found
    return Judged(judge.name, judge.wording, trial, scores, answers, unreadable)

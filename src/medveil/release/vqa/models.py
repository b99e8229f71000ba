"""Who answers and who judges, and what may go where: raw images leave this machine only if they show nobody."""

from __future__ import annotations

from typing import cast

from medveil.errors import SettingsError
from medveil.utility.vqa.judge.judge import Judge
from medveil.utility.vqa.judge.prompts import Wording
from medveil.utility.vqa.model import AnswerModel
from medveil.utility.vqa.scores import SCORES, Score

RAW_WOULD_LEAVE = (
    "raw images, questions as they stand, and answers would go to another machine, where only what was cleaned may go; "
    "use an endpoint on this machine, or add --nobody if all of them are public or invented"
)


def answering(name: str, *, device: str, endpoint: str | None, consent: str | None, nobody: bool) -> AnswerModel:
    from medveil.utility.vqa.models.loading import load_answers

    _refuse(consent, nobody)
    return load_answers(name, device=device, endpoint=endpoint, consent=consent)


def judging(
    name: str | None, *, device: str, endpoint: str | None, consent: str | None, wording: str | None, nobody: bool
) -> Judge | None:
    """None where nothing was said of a judge; our prompt if none is named."""
    if name is None:
        if endpoint is not None or consent is not None:
            raise SettingsError("an endpoint must be told which of its models judges; name it with --judge")
        if wording is not None:
            raise SettingsError("a judge's prompt is of no use without a judge; name one with --judge")
        return None
    from medveil.utility.vqa.judge.loading import load_judge

    _refuse(consent, nobody)
    return load_judge(
        name, device=device, endpoint=endpoint, consent=consent, wording=cast("Wording", wording or "ours")
    )


def score_called(name: str) -> Score:
    if name not in SCORES:
        raise SettingsError(f"the score that counts is one of {', '.join(SCORES)}")
    return name


def _refuse(consent: str | None, nobody: bool) -> None:
    """Without consent an endpoint is on this machine."""
    if consent is not None and not nobody:
        raise SettingsError(RAW_WOULD_LEAVE)

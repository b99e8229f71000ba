"""Do answers to questions on the images stay right: the same questions on originals and released images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from medveil.errors import SettingsError
from medveil.parts import register_measure

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding

Counted = Literal["strict", "relaxed", "token F1"]


@dataclass(frozen=True)
class VqaSettings:
    """`questions` is a table with the columns image_id, question and answer; a phantom hospital has its own. `model`
    answers: the bundled one, or a folder. What is stated beforehand: the `score` that counts and the `margin` by which
    answers may become worse. No more than `most_questions` are asked, on whole images drawn by chance."""

    questions: Path | None = None
    model: str = "medveil-answers"
    score: Counted = "relaxed"
    margin: float = 0.02
    most_questions: int = 300

    def __post_init__(self) -> None:
        if self.score not in get_args(Counted):
            raise SettingsError(f"the score that counts is one of {', '.join(get_args(Counted))}")
        if not 0 < self.margin < 1:
            raise SettingsError("the margin is a share of the answers between 0 and 1, such as 0.02")
        if self.most_questions < 2:
            raise SettingsError("at least two questions must be asked")
        if not self.model.strip():
            raise SettingsError("a model must be named that answers; leave it out for the bundled one")


@register_measure
class Answers:
    """The share of right answers to questions on released images, beside that on originals."""

    name = "vqa"
    Settings = VqaSettings
    default = True
    place = "pixels"

    def __init__(
        self,
        settings: VqaSettings | None = None,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings = settings or VqaSettings()
        self._device = device
        self._progress = progress or (lambda done, total: None)

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.vqa.experiment.comparison import Stated
        from medveil.utility.vqa.released_images import compare_cohorts

        chosen = self._settings
        return compare_cohorts(
            self.name,
            released,
            originals,
            file=chosen.questions,
            model_name=chosen.model,
            stated=Stated(chosen.score, chosen.margin),
            most=chosen.most_questions,
            device=self._device,
            seed=seed,
            progress=self._progress,
        )

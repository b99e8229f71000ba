"""Answers before and after, paired by question: differences with intervals by image, McNemar's test, and whether the
loss stays within a margin that was stated beforehand.

Nothing is said of cleaning where the model does not look at the image: its answers would survive any damage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from medveil.stats.estimate import Estimate
from medveil.stats.paired import mcnemar, sign_flips
from medveil.stats.shares import share
from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.conditions import ALONE, BLANK, CONTROLS, OTHER, RAW, Condition
from medveil.utility.vqa.scores import UNIT, Group, Score, Scoring, score_words

Floats = NDArray[np.float64]
Judgement = Literal["not worse", "worse", "cannot tell"]
LEVEL = 0.05  # of the test by images


@dataclass(frozen=True)
class Stated:
    """What was fixed before anything was asked: the score that counts, and by how much answers may become worse."""

    score: Score = "relaxed"
    margin: float = 0.02


@dataclass(frozen=True)
class Pair:
    """Two conditions on the questions that have an answer under both."""

    before: Estimate
    after: Estimate
    difference: Estimate  # after minus before
    gained: int  # answers that became right,
    lost: int  # and that became wrong
    p: float | None  # McNemar's; only for scores of 0 and 1
    p_by_image: float  # of the images' sums, each of which might as well have had the other sign

    def judged(self, margin: float) -> Judgement:
        """Not worse: the whole interval lies above minus the margin; worse: all of it lies below."""
        if self.difference.low > -margin:
            return "not worse"
        return "worse" if self.difference.high < -margin else "cannot tell"

    def beats(self, level: float) -> bool:
        """Better after than before, by redraws of images and by their signs."""
        return self.difference.low > 0 and self.p_by_image <= level

    def sentence(self, margin: float) -> str:
        points, low, high = (
            100 * value for value in (self.difference.value, self.difference.low, self.difference.high)
        )
        told = f"The difference is {points:+.1f} points (95 % bounds {low:+.1f} to {high:+.1f}, by image)"
        limit = f"{100 * margin:g} points"
        match self.judged(margin):
            case "not worse":
                return f"{told}: not worse by more than {limit}."
            case "worse":
                return f"{told}: worse by more than {limit}."
            case _:
                return f"{told}: so few questions cannot tell whether it is worse by more than {limit}."


class Compared:
    """The scores of every condition, and any two of them paired."""

    def __init__(
        self, asked: Asked, judge_scores: Mapping[Condition, Floats] | None = None, *, seed: int, redraws: int = 1000
    ) -> None:
        self.asked = asked
        self._seed = seed
        self.scoring = Scoring(asked.questions, seed=seed, redraws=redraws)
        self.values: dict[tuple[Condition, Score], Floats] = {}
        for condition, answers in asked.answers.items():
            told = np.array([answer is not None for answer in answers])
            found = score_words([answer or "" for answer in answers], asked.questions)
            self.values |= {(condition, score): np.where(told, each, np.nan) for score, each in found.items()}
        for condition, each in (judge_scores or {}).items():
            self.values[condition, "judge"] = each
        self.scores: tuple[Score, ...] = ("strict", "relaxed", "token F1", *(("judge",) if judge_scores else ()))

    def estimate(
        self, condition: Condition, score: Score, group: Group = "all", among: NDArray[np.bool_] | None = None
    ) -> Estimate | None:
        """With the score of the question alone beside it, where that was asked."""
        control = self._control(score, group) if condition.method not in CONTROLS else None
        return self.scoring.estimate(self.values[condition, score], score, group, among=among, control=control)

    def _control(self, score: Score, group: Group) -> float | None:
        values = self.values.get((Condition(CONTROLS[0]), score))
        use = self.scoring.members(group)
        return None if values is None or not use.any() else float(np.nanmean(values[use]))

    def pair(
        self,
        before: Condition,
        after: Condition,
        score: Score,
        group: Group = "all",
        among: NDArray[np.bool_] | None = None,
        *,
        bounded: bool = True,
    ) -> Pair | None:
        """None where fewer than two images have answers under both. `bounded` as in `Estimate.minus`."""
        use = self.asked.answered(before, after) & (True if among is None else among)
        found = [self.estimate(condition, score, group, use) for condition in (before, after)]
        if found[0] is None or found[1] is None:
            return None
        use &= self.scoring.members(group)
        change = self.values[after, score][use] - self.values[before, score][use]
        gained, lost = int((change > 0).sum()), int((change < 0).sum())
        p = None if score == "token F1" else mcnemar(gained, lost)
        by_image = sign_flips(np.bincount(self.scoring.codes[use], change).astype(np.float64), seed=self._seed)
        return Pair(found[0], found[1], found[1].minus(found[0], bounded=bounded), gained, lost, p, by_image)

    def where_hidden(self, condition: Condition, score: Score) -> Pair | None:
        """Against raw, on the images of which this way of cleaning hid anything."""
        return self.pair(Condition(RAW), condition, score, among=self.asked.hidden[condition] > 0)

    def sensitivity(self, score: Score) -> dict[str, Pair]:
        """What seeing the image adds: raw, against each control that was asked.

        A loss must be ruled out on images of any kind, drawn or not, and is bounded so. Here the question is whether
        answers hang on the image at all; if they did not, each image's would gain and lose alike, which is tested.
        """
        conditions = self.asked.under(*CONTROLS)
        found = {each.method: self.pair(each, Condition(RAW), score, bounded=False) for each in conditions}
        return {name: pair for name, pair in found.items() if pair is not None}

    def blind(self, score: Score) -> list[str]:
        """The controls that the model is not shown to beat; without any control, nothing is shown."""
        found = self.sensitivity(score)
        return [name for name in CONTROLS if name not in found or not found[name].beats(LEVEL)]

    def changed(self, one: Condition, other: Condition) -> Estimate | None:
        """The share of questions that are answered in other words, right or wrong."""
        use = self.asked.answered(one, other)
        codes = self.scoring.codes[use]
        if len(np.unique(codes)) < 2:
            return None
        ours, theirs = self.asked.answers[one], self.asked.answers[other]
        values = np.array([float(ours[at] != theirs[at]) for at in np.flatnonzero(use)])
        return share(values, codes, self.scoring.weights, unit=UNIT, chance=0.0)


_ARTICLES = {ALONE: "the ", BLANK: "a ", OTHER: ""}


def blindness(names: Sequence[str]) -> str:
    """Why there is no verdict, in words."""
    told = [_ARTICLES[name] + name for name in names]
    listed = " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    return (
        f"The model is not shown to do better with the image than with {listed}: what it answers says nothing of what "
        "cleaning did to the images, so there is no verdict on their use."
    )

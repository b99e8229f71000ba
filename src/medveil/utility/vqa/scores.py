"""Is an answer right: strict, relaxed, token F1 and judge, side by side, for yes/no and open questions apart.

Intervals are by image: questions on one image are not independent.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.utility.vqa.question import Question

Score = Literal["strict", "relaxed", "token F1", "judge"]
Group = Literal["all", "yes/no", "open"]
SCORES: tuple[Score, ...] = get_args(Score)
GROUPS: tuple[Group, ...] = get_args(Group)
OVERLAP = 0.5  # the published definition leaves its threshold open
UNIT = "image"

DEFINITIONS: dict[Score, str] = {
    "strict": "1 if answer and reference are the same words in the same order, in small letters, without punctuation "
    "and articles; else 0.",
    "relaxed": "1 if strict is 1, or if the content words that answer and reference share are more than "
    f"{OVERLAP:g} of all that either has (Jaccard); else 0. Words such as of and there do not count, no and not do. "
    "It does not see that left lower lobe opacity is not right lower lobe opacity.",
    "token F1": "the harmonic mean of the share of the answer's words that the reference has and the share of the "
    "reference's words that the answer has, repeated words counted as often as they stand there.",
    "judge": "1 if a language model, asked with question, reference and answer, says that the answer means the same; "
    "0 if it does not, if its reply cannot be read, or if the answer has no letter and no digit.",
}
CHANCE = "Chance is what the most frequent reference of its kind (yes/no or open) scores, given to every question."

_ARTICLES = frozenset(("a", "an", "the"))
_CHINESE = {"是": "yes", "是的": "yes", "否": "no", "不是": "no"}
# negations are not among them: an effusion and no effusion are not alike
_EMPTY = _ARTICLES | frozenset(
    "and are as at be been by can do does for from has have in is it its of on or seen shown shows that there these "
    "this to was were which with within".split()
)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?", re.UNICODE)

Floats = NDArray[np.float64]


def words(text: str) -> list[str]:
    """In small letters, without punctuation and articles; a number stays whole, and yes is yes in Chinese too."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [_CHINESE.get(word, word) for word in _WORD.findall(plain) if word not in _ARTICLES]


def strict(answer: str, reference: str) -> float:
    found = words(answer)
    return float(bool(found) and found == words(reference))


def overlap(answer: str, reference: str) -> float:
    """Jaccard's index of the content words; of two texts without any, nothing is shared."""
    ours, theirs = (frozenset(words(text)) - _EMPTY for text in (answer, reference))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def relaxed(answer: str, reference: str) -> float:
    return max(strict(answer, reference), float(overlap(answer, reference) > OVERLAP))


def token_f1(answer: str, reference: str) -> float:
    ours, theirs = Counter(words(answer)), Counter(words(reference))
    both = (ours & theirs).total()
    return 2 * both / (ours.total() + theirs.total()) if both else 0.0


_BY_WORDS: dict[Score, Callable[[str, str], float]] = {"strict": strict, "relaxed": relaxed, "token F1": token_f1}


def group_of(question: Question) -> Group:
    return "yes/no" if question.closed else "open"


def score_words(answers: Sequence[str], questions: Sequence[Question]) -> dict[Score, Floats]:
    """The scores that need no judge, one value a question."""
    pairs = list(zip(answers, (question.answer for question in questions), strict=True))
    return {name: np.array([rule(*pair) for pair in pairs]) for name, rule in _BY_WORDS.items()}


def guessed(questions: Sequence[Question]) -> list[str]:
    """What somebody answers who always gives the most frequent reference of the question's kind."""
    told: dict[Group, Counter[str]] = {"yes/no": Counter(), "open": Counter()}
    for question in questions:
        told[group_of(question)][" ".join(words(question.answer))] += 1
    usual = {group: min(each, key=lambda text: (-each[text], text)) for group, each in told.items() if each}
    return [usual[group_of(question)] for question in questions]


class Scoring:
    """Estimates by image, of all questions and of either kind, under the same redraws: differences are paired."""

    def __init__(self, questions: Sequence[Question], *, seed: int, redraws: int = 1000) -> None:
        self.questions = tuple(questions)
        self.codes, images = unit_codes(np.array([each.image_id for each in questions], dtype=object))
        self.weights = unit_weights(images, redraws=redraws, seed=seed)
        self._groups = np.array([group_of(each) for each in questions])
        self._chance = score_words(guessed(questions), questions)

    def members(self, group: Group) -> NDArray[np.bool_]:
        return np.ones(len(self.questions), bool) if group == "all" else self._groups == group

    def estimate(
        self,
        values: Floats,
        score: Score,
        group: Group = "all",
        *,
        among: NDArray[np.bool_] | None = None,
        control: float | None = None,
    ) -> Estimate | None:
        """The mean score of a group, or of those `among` it; None where there are fewer than two images of it."""
        use = self.members(group) & (True if among is None else among) & np.isfinite(values)
        if len(np.unique(self.codes[use])) < 2:
            return None
        usual = self._chance.get(score, self._chance["relaxed"])  # a judge takes a right guess for right, too
        return share(
            values[use], self.codes[use], self.weights, unit=UNIT, chance=float(usual[use].mean()), control=control
        )


def definitions(scores: Sequence[Score]) -> str:
    """As they stand beside the figures."""
    return " ".join([*(f"{score}: {DEFINITIONS[score]}" for score in scores), CHANCE])

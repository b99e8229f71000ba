"""From the network's probabilities to spans: which tokens identify somebody, and which of them belong together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.tokens import Tokens
from medveil.person.identifiers import Category
from medveil.person.span import Span

_BESIDE = 5  # beside an identifier, doubt counts so many times as much
FAINT = 0.97  # less sure than this that it identifies nobody, and a word is at least suspected
_WITH_SIGNS = {Category.URL, Category.EMAIL}
_WITH_DIGITS = {Category.PHONE, Category.FAX, Category.SSN, Category.UID}
_EVERYDAY = frozenset(
    "a am an and any are as at be but by can did do for go had has he her him his how if in is it its may me my no nor "
    "not of on or our out she so than that the them then they this to too us was we were who why will with yes yet "
    "you".split()
)


def decide(probabilities: NDArray[np.float32], sure: float) -> NDArray[np.int64]:
    """The class of each token of one text, from its probabilities of all classes.

    A token goes free if the network is at least `sure` that it identifies nobody; tokens next to one that does not go
    free, and next to those in turn, must be surer: half a name is as bad as none.
    """
    if not len(probabilities):
        return np.zeros(0, np.int64)
    none = probabilities[:, NONE]
    doubtful = none < 1 - (1 - sure) / _BESIDE
    runs = np.cumsum(np.diff(doubtful, prepend=doubtful[0]) != 0)
    caught = np.zeros(runs[-1] + 1, bool)
    caught[runs[none < sure]] = True
    return np.where(doubtful & caught[runs], probabilities[:, :NONE].argmax(1), NONE)


def spans(tokens: Tokens, classes: NDArray[np.int64], begins: NDArray[np.bool_]) -> list[Span]:
    """Neighbouring tokens of one class are one span, unless another begins among them; what cannot be is left out."""
    marked = np.flatnonzero(classes != NONE)
    runs: list[list[int]] = []
    for place in marked.tolist():
        joins = runs and place == runs[-1][-1] + 1 and classes[place] == classes[place - 1] and not begins[place]
        if joins:
            runs[-1].append(place)
        else:
            runs.append([place])
    pieces = ((run, CATEGORIES[classes[run[0]]]) for run in runs)
    return [
        Span(int(tokens.starts[run[0]]), int(tokens.ends[run[-1]]), category)
        for run, category in pieces
        if plausible(tokens.words[run[0] : run[-1] + 1], category)
    ]


def plausible(words: Sequence[str], category: Category) -> bool:
    """Whether words can be an identifier of this kind at all, whatever stands around them.

    Of initials only small words in small letters are refused: in capitals they may well be some.
    """
    if not any(word[0].isalnum() for word in words):
        return False
    if category in _WITH_SIGNS:
        return any(word[0] in ".@/" for word in words)
    if category in _WITH_DIGITS:
        return any(word[0].isdigit() for word in words)
    if category is Category.TIME:  # p.m. alone is none
        return any(word[0].isdigit() or len(word) > 2 for word in words)
    return not (category is Category.INITIALS and all(word in _EVERYDAY for word in words))


def suspected(probabilities: NDArray[np.float32], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The classes of tokens that went free with some doubt."""
    doubtful = (probabilities[:, NONE] < FAINT) & (classes == NONE)
    return np.where(doubtful, probabilities[:, :NONE].argmax(1), NONE)

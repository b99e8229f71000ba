"""From what the network says of each token to pieces of the text, and from labelled texts to what it should say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.found import Found
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.splitting import Tokens

_INDEX = {category: place for place, category in enumerate(CATEGORIES)}


def targets(tokens: Tokens, found: Sequence[Found]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The class of every token that a piece touches, and where a piece begins."""
    classes = np.full(len(tokens), NONE)
    begins = np.zeros(len(tokens), bool)
    for one in found:
        first = int(np.searchsorted(tokens.ends, one.start, "right"))
        last = int(np.searchsorted(tokens.starts, one.end, "left"))
        classes[first:last] = _INDEX[one.category]
        if first < last:
            begins[first] = True
    return classes, begins


def spans(tokens: Tokens, classes: NDArray[np.int64], begins: NDArray[np.bool_]) -> list[Found]:
    """Neighbouring tokens of one class are one piece, unless another begins among them; signs alone are none."""
    marked = np.flatnonzero(classes != NONE)
    found: list[Found] = []
    letters: list[bool] = []
    before = -2
    for place in marked.tolist():
        start, end, category = int(tokens.starts[place]), int(tokens.ends[place]), CATEGORIES[classes[place]]
        told = tokens.words[place][0].isalnum()
        if place == before + 1 and found[-1].category is category and not begins[place]:
            found[-1] = Found(found[-1].start, end, category)
            letters[-1] |= told
        else:
            found.append(Found(start, end, category))
            letters.append(told)
        before = place
    return [one for one, told in zip(found, letters, strict=True) if told]

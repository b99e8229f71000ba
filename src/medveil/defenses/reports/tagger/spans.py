"""From what the network says of each token to pieces of the text, and from labelled texts to what it should say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.plausible import plausible
from medveil.defenses.reports.tagger.splitting import Tokens
from medveil.defenses.reports.tagger.sure_found import SureFound
from medveil.person.span import Span

_NO_DOUBT = 0.05  # chosen on notes that are not kept apart, on Indiana's reports and on texts without identifiers
_INDEX = {category: place for place, category in enumerate(CATEGORIES)}


def marked_sure(tokens: Tokens, found: Sequence[Span], doubt: NDArray[np.float32]) -> list[Span]:
    """The same pieces, those without doubt marked; `doubt` is each token's share in no class at all."""
    if not found:
        return []
    first = np.searchsorted(tokens.ends, [one.start for one in found], "right")
    last = np.searchsorted(tokens.starts, [one.end for one in found], "left")
    until = np.concatenate(([0.0], np.cumsum(doubt, dtype=np.float64)))
    sure = (until[last] - until[first] < _NO_DOUBT * (last - first)).tolist()
    return [
        SureFound(one.start, one.end, one.category) if certain else one
        for one, certain in zip(found, sure, strict=True)
    ]


def targets(tokens: Tokens, found: Sequence[Span]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
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


def spans(tokens: Tokens, classes: NDArray[np.int64], begins: NDArray[np.bool_]) -> list[Span]:
    """Neighbouring tokens of one class are one piece, unless another begins among them."""
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

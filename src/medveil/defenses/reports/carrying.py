"""What the network said of a text, carried over to its draft: it need not read the same words twice.

A surrogate is of the form of what it stands for, so what stands around it reads as it did before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from medveil.defenses.reports.draft import Draft
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.span import Span


def carried(tagged: TaggedText, draft: Draft) -> TaggedText:
    """Of a draft of the very text that was tagged: surrogates identify people, and nothing is found in them."""
    tokens = tokenise(draft.text)
    ends = np.array([one.end for one in draft.replaced], np.int64)
    starts = np.array([one.start for one in draft.replaced], np.int64)
    shifts = np.array([0, *(one.found.end - one.end for one in draft.replaced)], np.int64)
    after = np.searchsorted(starts, tokens.starts, "right")  # how many surrogates begin before each token ends
    inside = np.zeros(len(tokens), bool)
    if len(ends):
        inside = (after > 0) & (tokens.starts < ends[np.maximum(after - 1, 0)])
    before = np.searchsorted(tagged.tokens.ends, tokens.starts + shifts[after], "right")
    p_none = tagged.p_none[np.minimum(before, len(tagged.p_none) - 1)] if len(tagged.p_none) else np.ones(len(tokens))
    return replace(
        tagged,
        found=_moved(tagged.found, draft),
        faint=_moved(tagged.faint, draft),
        tokens=tokens,
        p_none=np.where(inside, 0, p_none).astype(np.float32),
    )


def _moved(found: Iterable[Span], draft: Draft) -> list[Span]:
    """Those that stand apart from everything replaced, where they came to stand."""
    moved: list[Span] = []
    at, shift = 0, 0
    for one in sorted(found):
        while at < len(draft.replaced) and draft.replaced[at].found.end <= one.start:
            shift = draft.replaced[at].end - draft.replaced[at].found.end
            at += 1
        if at == len(draft.replaced) or draft.replaced[at].found.start >= one.end:
            moved.append(replace(one, start=one.start + shift, end=one.end + shift))
    return moved

"""What the network says of one text: what it finds, and which words identify nobody. To ask for it needs no network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.tokens import Tokens
from medveil.person.span import Span

# So sure must it be to clear a name that stands in a list: of those that were right, none was cleared in the notes,
# phantoms and refilled reports looked at.
_ALL_BUT_SURE = 0.999


@dataclass(frozen=True, slots=True, order=True)
class SureSpan(Span):
    """A span of which the network has next to no doubt."""


@dataclass(frozen=True)
class TaggedText:
    """`p_none` is each token's probability of identifying nobody."""

    found: list[Span]
    tokens: Tokens
    p_none: NDArray[np.float32]

    def clears(self, one: Span) -> bool:
        """Whether every word of this span identifies nobody, with next to no doubt."""
        first = int(np.searchsorted(self.tokens.ends, one.start, "right"))
        last = int(np.searchsorted(self.tokens.starts, one.end, "left"))
        return first < last and bool(self.p_none[first:last].min() > _ALL_BUT_SURE)

"""What the network says of one text: what it finds, and of which words it is all but sure that they are nobody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.splitting import Tokens
from medveil.person.span import Span

# So sure must it be to clear a name that stands in a list: of those that were right, none was cleared in the notes,
# phantoms and refilled reports looked at.
_ALL_BUT_SURE = 0.999


@dataclass(frozen=True)
class Told:
    """`nobody` is each token's share in no class at all."""

    found: list[Span]
    tokens: Tokens
    nobody: NDArray[np.float32]

    def clears(self, one: Span) -> bool:
        """Whether every word of this piece identifies nobody, with next to no doubt."""
        first = int(np.searchsorted(self.tokens.ends, one.start, "right"))
        last = int(np.searchsorted(self.tokens.starts, one.end, "left"))
        return first < last and bool(self.nobody[first:last].min() > _ALL_BUT_SURE)

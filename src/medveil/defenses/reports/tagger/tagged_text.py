"""What the network says of one text: what it finds, and which words identify nobody. To ask for it needs no network."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.reports.tagger.tokens import Tokens
from medveil.person.span import Span


@dataclass(frozen=True)
class TaggedText:
    """`p_none` is each token's probability of identifying nobody; `faint` is what is not found, but suspected."""

    found: list[Span]
    tokens: Tokens
    p_none: NDArray[np.float32]
    faint: list[Span] = field(default_factory=list)

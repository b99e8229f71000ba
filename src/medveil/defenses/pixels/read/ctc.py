"""From shares of characters, column by column, to a text and how sure it is.

A character is told once however many columns it fills, and again only after a column of nothing (the rule of
connectionist temporal classification, Graves et al. 2006).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.read.alphabet import CHARACTERS, is_letter, places

LIKELY = 0.5  # a letter's share from which it counts as seen


@dataclass(frozen=True)
class Reading:
    """What is written, and how sure that is."""

    text: str
    confidence: float  # in the least sure character
    certainty: float  # that all of this is written, and nothing else
    letters: int  # letters and digits seen, of whatever alphabet
    shares: NDArray[np.float32] = field(repr=False, compare=False)

    def certainty_for(self, text: str) -> float:
        """The same, had another text been proposed."""
        return certainty_of(self.shares, places(text))

    def letter_columns(self) -> NDArray[np.bool_]:
        """Where a letter or digit is seen."""
        letters = np.array([is_letter(character) for character in CHARACTERS])
        best = self.shares.argmax(axis=1)
        return letters[best] & (self.shares.max(axis=1) >= LIKELY)

    def places(self) -> list[tuple[str, float]]:
        """Each character, and where its middle is, as a share of the strip."""
        return [(CHARACTERS[place], (start + end) / 2 / len(self.shares)) for place, start, end in _told(self.shares)]


def _told(shares: NDArray[np.float32]) -> list[tuple[int, int, int]]:
    """The characters that are told, and from which column to which each is."""
    best = shares.argmax(axis=1)
    starts = np.flatnonzero(np.diff(best, prepend=-1))
    ends = np.append(starts[1:], len(best))
    return [(int(best[a]), int(a), int(b)) for a, b in zip(starts, ends, strict=True) if best[a]]


def spelled(shares: NDArray[np.float32]) -> Reading:
    """The text of a strip from (columns, characters)."""
    share = shares.max(axis=1)
    told = [(place, float(share[start:end].max())) for place, start, end in _told(shares)]
    text = "".join(CHARACTERS[place] for place, _ in told)
    return Reading(
        text.strip(),
        min((sure for _, sure in told), default=0.0),
        certainty_of(shares, [place for place, _ in told]),
        sum(is_letter(CHARACTERS[place]) and sure >= LIKELY for place, sure in told),
        shares,
    )


def certainty_of(shares: NDArray[np.float32], said: list[int]) -> float:
    """The probability of a text: the sum over all ways its characters can fall on the columns."""
    path = np.zeros(2 * len(said) + 1, np.intp)
    path[1::2] = said
    skips = np.zeros(len(path))  # from one character to the next without nothing between: only if they differ
    skips[3::2] = path[3::2] != path[1:-2:2]
    reached = np.zeros(len(path) + 2)  # two in front that nothing reaches
    along = shares[:, path].astype(np.float64)
    reached[2:4] = along[0, :2]
    for column in along[1:]:
        reached[2:] = (reached[2:] + reached[1:-1] + skips * reached[:-2]) * column
    return float(min(1.0, reached[-2:].sum() if said else reached[-1]))

"""What a finder takes for an identifier, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.person.span import DoubtfulSpan, Span

TAGGER, FAINT = "tagger", "tagger?"  # the network's own findings, and what it only suspects


@dataclass(frozen=True, slots=True, order=True)
class Proposal(Span):
    """`by` names the family of rules, or the network; a question mark says that it was in doubt itself.

    `doubtful` is what was kept though it may as well be a value that somebody needs.
    """

    by: str
    doubtful: bool = False

    @property
    def span(self) -> Span:
        kind = DoubtfulSpan if self.doubtful else Span
        return kind(self.start, self.end, self.category)

"""What a finder takes for an identifier, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.person.span import Span

TAGGER, FAINT = "tagger", "tagger?"  # the network's own findings, and what it only suspects


@dataclass(frozen=True, slots=True, order=True)
class Proposal(Span):
    """`by` names the family of rules, or the network; a question mark says that it was in doubt itself."""

    by: str

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, self.category)

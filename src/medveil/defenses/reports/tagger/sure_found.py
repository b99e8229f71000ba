"""`SureFound`: in a file of its own, since who asks for it need not load the network."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.person.span import Span


@dataclass(frozen=True, slots=True, order=True)
class SureFound(Span):
    """A piece of which the network has next to no doubt."""

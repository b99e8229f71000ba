"""What passes between a site and the server, in order: all of it, and nothing in it tells a number of an update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from medveil.federated.secure_sum.masks import Words


@dataclass(frozen=True)
class Keys:
    """Public keys of one session: one to seal shares with, one that masks follow from."""

    site: str
    sealing: bytes
    masking: bytes
    signature: bytes

    @property
    def told(self) -> list[str]:
        return [self.site, self.sealing.hex(), self.masking.hex()]


@dataclass(frozen=True)
class Shares:
    """For every other site its shares of this one's secrets, sealed."""

    site: str
    sealed: Mapping[str, bytes]


@dataclass(frozen=True)
class Masked:
    """The update under all its masks."""

    site: str
    words: Words = field(repr=False)


@dataclass(frozen=True)
class Agreed:
    """Whose updates are in the sum, signed."""

    site: str
    survivors: tuple[str, ...]
    signature: bytes


@dataclass(frozen=True)
class Opened:
    """Of each survivor a share of its own mask's key, of each lost site a share of its masking key; never both."""

    site: str
    shares: Mapping[str, bytes] = field(repr=False)

"""Shamir's shares of a secret of 32 bytes: enough of them tell it, fewer tell nothing."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping

PRIME = 2**521 - 1  # a Mersenne prime, well above any secret
SECRET, SHARE = 32, 66  # bytes


def split(secret: bytes, holders: Iterable[int], threshold: int) -> dict[int, bytes]:
    """A share for every holder, by number (1 and up); `threshold` of them tell the secret."""
    places = sorted(set(holders))
    if len(secret) != SECRET or not places or places[0] < 1 or not 1 <= threshold <= len(places):
        raise ValueError("shares need a secret of 32 bytes, holders numbered from 1, and a threshold among them")
    line = [int.from_bytes(secret, "big"), *(secrets.randbelow(PRIME) for _ in range(threshold - 1))]
    return {place: _at(line, place).to_bytes(SHARE, "big") for place in places}


def joined(shares: Mapping[int, bytes], threshold: int) -> bytes:
    """The secret; any `threshold` shares are taken."""
    places = sorted(shares)[:threshold]
    if len(places) < threshold or any(len(shares[place]) != SHARE for place in places):
        raise ValueError(f"{threshold} whole shares are needed to tell the secret")
    total = 0
    for place in places:
        over, under = 1, 1
        for other in places:
            if other != place:
                over, under = over * other % PRIME, under * (other - place) % PRIME
        total += int.from_bytes(shares[place], "big") * over * pow(under, -1, PRIME)
    value = total % PRIME
    if value.bit_length() > 8 * SECRET:
        raise ValueError("the shares do not belong together")
    return value.to_bytes(SECRET, "big")


def _at(line: list[int], place: int) -> int:
    value = 0
    for coefficient in reversed(line):
        value = (value * place + coefficient) % PRIME
    return value

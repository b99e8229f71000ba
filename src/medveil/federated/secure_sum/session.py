"""`Session`: what every site and the server agree on before a sum, and the words that keys sign in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.errors import MedveilError, SettingsError

FEWEST = 3  # summands: of a sum of two, each site can tell the other's
_HOW = ec.ECDSA(hashes.SHA384())


class Broken(MedveilError):
    """Somebody does not keep to the protocol; nothing further is sent."""


@dataclass(frozen=True)
class Session:
    """One sum under a plan. `sites` are those who may take part, each with the public key of its node.

    `threshold` sites must be there at the end, and as many can unmask what a lost one leaves behind. More than two
    thirds of all are safe against a server that lies to sites in different ways while some of them help it.
    """

    plan: str  # digest of what the sites have approved
    number: int  # of the round and the attempt; a session is never held twice
    size: int  # numbers in an update
    sites: Mapping[str, bytes] = field(repr=False)  # PEM
    threshold: int = 0  # 0: two thirds and one
    model: str = ""  # digest of what all are to train on: a server that gives each another model gets no sum

    def __post_init__(self) -> None:
        if len(self.sites) < FEWEST:
            raise SettingsError(f"a secure sum needs at least {FEWEST} sites: of two, each can tell the other's part")
        if len(set(self.sites.values())) < len(self.sites):
            raise SettingsError("two sites have the same node key; each needs its own")
        if self.size < 1:
            raise SettingsError("there is nothing to add up")
        if not self.threshold:
            object.__setattr__(self, "threshold", 2 * len(self.sites) // 3 + 1)
        if not len(self.sites) / 2 < self.threshold <= len(self.sites):
            raise SettingsError("more than half of the sites must be needed to unmask, and no more than there are")

    @property
    def fewest(self) -> int:
        """Summands below which nothing is unmasked."""
        return max(self.threshold, FEWEST)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.sites))

    def place(self, name: str) -> int:
        """The number of a site, from 1."""
        return self.names.index(name) + 1

    @cached_property
    def digest(self) -> bytes:
        keys = [[name, self.sites[name].decode()] for name in self.names]
        told = [self.plan, self.number, self.size, self.threshold, self.model, keys]
        return hashlib.sha256(json.dumps(["medveil secure sum", told]).encode()).digest()

    def context(self, *words: str) -> bytes:
        """For keys and seals: this session, and what for."""
        return self.digest + json.dumps(words).encode()

    def signed(self, key: ec.EllipticCurvePrivateKey, what: str, told: Sequence[Any]) -> bytes:
        return key.sign(self._statement(what, told), _HOW)

    def check(self, name: str, what: str, told: Sequence[Any], signature: bytes) -> None:
        public = serialization.load_pem_public_key(self._key(name))
        if not isinstance(public, ec.EllipticCurvePublicKey):
            raise SettingsError("a node key must be of an elliptic curve, as `medveil federated keys` makes them")
        try:
            public.verify(signature, self._statement(what, told), _HOW)
        except InvalidSignature:
            raise Broken(f"a {what} that is said to come from {name} was not signed by its node key") from None

    def _key(self, name: str) -> bytes:
        if name not in self.sites:
            raise Broken("a message comes from somebody who is not in the plan")
        return self.sites[name]

    def _statement(self, what: str, told: Sequence[Any]) -> bytes:
        return self.context(what, json.dumps(told, sort_keys=True))

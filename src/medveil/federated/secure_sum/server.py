"""The server's side: it passes messages on, takes the masks off the sum, and never sees a summand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from medveil.federated.secure_sum.masks import Words, mask
from medveil.federated.secure_sum.messages import Agreed, Keys, Masked, Opened, Shares
from medveil.federated.secure_sum.session import Broken, Session
from medveil.federated.secure_sum.shamir import joined
from medveil.federated.secure_sum.site import pairwise_key


class Server:
    """One session; whoever does not answer a step is lost from there on."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._keys: dict[str, Keys] = {}
        self._shares: dict[str, Shares] = {}
        self._sum: Words | None = None
        self._survivors: tuple[str, ...] = ()

    def everybodys_keys(self, arrived: Iterable[Keys]) -> tuple[Keys, ...]:
        """Those that their node has signed, for everybody."""
        for keys in arrived:
            self.session.check(keys.site, "key", keys.told, keys.signature)
            self._keys[keys.site] = keys
        self._enough(self._keys)
        return tuple(self._keys.values())

    def shares_for(self, arrived: Iterable[Shares]) -> dict[str, dict[str, bytes]]:
        """What each site gets, by sender."""
        self._shares = {one.site: one for one in arrived if one.site in self._keys}
        self._enough(self._shares)
        return {
            name: {sender: one.sealed[name] for sender, one in self._shares.items() if sender != name}
            for name in self._shares
        }

    def add(self, arrived: Masked) -> None:
        """One at a time, so that memory holds one update and the sum."""
        if arrived.site not in self._shares or arrived.site in self._survivors:
            raise Broken("an update arrives from a site that is lost or has sent one")
        if arrived.words.shape != (self.session.size,) or arrived.words.dtype != np.uint32:
            raise Broken(f"the update of {arrived.site} has another size than the plan's model")
        if self._sum is None:
            self._sum = np.zeros(self.session.size, np.uint32)
        self._sum += arrived.words
        self._survivors = tuple(sorted((*self._survivors, arrived.site)))

    def survivors(self) -> tuple[str, ...]:
        self._enough(self._survivors)
        return self._survivors

    def signed(self, arrived: Iterable[Agreed]) -> tuple[Agreed, ...]:
        found = {}
        for one in arrived:
            self.session.check(one.site, "list", one.survivors, one.signature)
            if one.survivors == self._survivors:
                found[one.site] = one
        self._enough(found, self.session.threshold)
        return tuple(found.values())

    def recovered(self, arrived: Iterable[Opened]) -> dict[str, bytes]:
        """What the shares tell: of each survivor the key of its own mask, of each lost site its masking key."""
        opened = {one.site: one.shares for one in arrived if one.site in self._survivors}
        self._enough(opened, self.session.threshold)
        return {name: self._secret(name, opened) for name in self._shares}

    def total(self, arrived: Iterable[Opened]) -> Words:
        """The sum of the survivors' updates."""
        secrets, size = self.recovered(arrived), self.session.size
        assert self._sum is not None
        total = self._sum.copy()
        for name, secret in secrets.items():
            if name in self._survivors:
                total -= mask(secret, size)
                continue
            for other in self._survivors:
                between = mask(pairwise_key(secret, self._keys[other].masking, self.session, (name, other)), size)
                if other < name:
                    total -= between
                else:
                    total += between
        return total

    def _secret(self, name: str, opened: Mapping[str, Mapping[str, bytes]]) -> bytes:
        shares = {self.session.place(holder): held[name] for holder, held in opened.items() if name in held}
        try:
            return joined(shares, self.session.threshold)
        except ValueError:
            raise Broken("the shares of a mask do not fit together: a site has not kept to the protocol") from None

    def _enough(self, names: Iterable[str], fewest: int | None = None) -> None:
        count, needed = len(set(names)), fewest or self.session.fewest
        if count < needed:
            raise Broken(f"too few sites are left: {count}, and {needed} are needed")

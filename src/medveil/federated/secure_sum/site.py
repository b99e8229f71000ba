"""A site's side of a secure sum. It trusts nobody but the node keys of the plan, and answers each step once."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from medveil.federated.secure_sum.masks import Words, mask
from medveil.federated.secure_sum.messages import Agreed, Keys, Masked, Opened, Shares
from medveil.federated.secure_sum.session import Broken, Session
from medveil.federated.secure_sum.shamir import SHARE, split

_STEPS = ("keys", "shares", "masked", "agreed", "opened")
_NONCE = 12


class Site:
    """One session of one site; a new session has new secrets."""

    def __init__(self, name: str, node_key: ec.EllipticCurvePrivateKey, session: Session) -> None:
        self.name, self.session = name, session
        self._node_key = node_key
        self._sealing, self._masking = X25519PrivateKey.generate(), X25519PrivateKey.generate()
        self._own = secrets.token_bytes(32)
        self._done = 0
        self._peers: dict[str, Keys] = {}
        self._held: dict[str, tuple[bytes, bytes]] = {}
        self._survivors: tuple[str, ...] = ()

    def to_json(self) -> str:
        """All secrets of the session, to be kept by the site alone until the next message."""
        return json.dumps(
            {
                "session": self.session.digest.hex(),
                "sealing": self._sealing.private_bytes_raw().hex(),
                "masking": self._masking.private_bytes_raw().hex(),
                "own": self._own.hex(),
                "done": self._done,
                "peers": [[*keys.told, keys.signature.hex()] for keys in self._peers.values()],
                "held": {name: [own.hex(), masking.hex()] for name, (own, masking) in self._held.items()},
                "survivors": self._survivors,
            }
        )

    @classmethod
    def from_json(cls, text: str, name: str, node_key: ec.EllipticCurvePrivateKey, session: Session) -> Site:
        """The site as it was kept; of another session there is none."""
        kept = json.loads(text)
        if kept["session"] != session.digest.hex():
            raise Broken("the server asks about another session than the one that has begun")
        site = cls(name, node_key, session)
        site._sealing, site._masking = (
            X25519PrivateKey.from_private_bytes(bytes.fromhex(kept[key])) for key in ("sealing", "masking")
        )
        site._own = bytes.fromhex(kept["own"])
        site._done = kept["done"]
        site._peers = {one[0]: Keys(one[0], *map(bytes.fromhex, one[1:])) for one in kept["peers"]}
        site._held = {
            other: (bytes.fromhex(own), bytes.fromhex(masking)) for other, (own, masking) in kept["held"].items()
        }
        site._survivors = tuple(kept["survivors"])
        return site

    def keys(self) -> Keys:
        self._step("keys")
        sealing, masking = (key.public_key().public_bytes_raw() for key in (self._sealing, self._masking))
        told = Keys(self.name, sealing, masking, b"").told
        return Keys(self.name, sealing, masking, self.session.signed(self._node_key, "key", told))

    def shares(self, everybody: Iterable[Keys]) -> Shares:
        """Of both secrets, for everybody who is there, once their keys are known to be their own."""
        self._step("shares")
        self._peers = {keys.site: keys for keys in everybody}
        self._enough(self._peers)
        for keys in self._peers.values():
            self.session.check(keys.site, "key", keys.told, keys.signature)
        mine = self._peers.get(self.name)
        if mine is None or mine.masking != self._masking.public_key().public_bytes_raw():
            raise Broken("the server passes on other keys as this site's own")
        if len({key for keys in self._peers.values() for key in (keys.sealing, keys.masking)}) < 2 * len(self._peers):
            raise Broken("two sites are said to have the same keys")
        holders = [self.session.place(name) for name in self._peers]
        own = split(self._own, holders, self.session.threshold)
        masking = split(self._masking.private_bytes_raw(), holders, self.session.threshold)
        sealed = {}
        for name in self._peers:
            place = self.session.place(name)
            if name == self.name:
                self._held[name] = own[place], masking[place]
            else:
                nonce = secrets.token_bytes(_NONCE)
                seal, said = self._seal(self.name, name)
                sealed[name] = nonce + seal.encrypt(nonce, own[place] + masking[place], said)
        return Shares(self.name, sealed)

    def masked(self, received: Mapping[str, bytes], update: Words) -> Masked:
        """The update, masked against everybody whose shares have arrived."""
        self._step("masked")
        if update.shape != (self.session.size,) or update.dtype != np.uint32:
            raise ValueError("an update must have as many numbers as the session says")
        if not set(received) <= set(self._peers) - {self.name}:
            raise Broken("shares arrive from somebody who has not sent keys")
        for name, sealed in received.items():
            seal, said = self._seal(name, self.name)
            try:
                both = seal.decrypt(sealed[:_NONCE], sealed[_NONCE:], said)
            except InvalidTag:
                raise Broken("shares arrive that their sender has not sealed for this site") from None
            self._held[name] = both[:SHARE], both[SHARE:]
        self._enough(self._held)
        total = mask(self._own, self.session.size)
        total += update
        for name in received:
            between = mask(self._between(name), self.session.size)
            if self.name < name:
                total += between
            else:
                total -= between
        return Masked(self.name, total)

    def agreed(self, survivors: Iterable[str]) -> Agreed:
        """To sign a list is to say: I open these, and no other."""
        self._step("agreed")
        self._survivors = tuple(sorted(set(survivors)))
        self._enough(self._survivors)
        if not set(self._survivors) <= set(self._held) or self.name not in self._survivors:
            raise Broken("the list of updates in the sum names somebody else, or leaves this site out")
        signature = self.session.signed(self._node_key, "list", self._survivors)
        return Agreed(self.name, self._survivors, signature)

    def opened(self, everybody: Iterable[Agreed]) -> Opened:
        """Shares, once enough others have signed the very same list."""
        self._step("opened")
        signed = {one.site: one for one in everybody if one.site in self._survivors}
        if len(signed) < self.session.threshold:
            raise Broken("too few sites have signed the list of updates in the sum")
        for one in signed.values():
            if one.survivors != self._survivors:
                raise Broken("the server shows different lists to different sites")
            self.session.check(one.site, "list", one.survivors, one.signature)
        shares = {}
        for name, (own, masking) in self._held.items():
            shares[name] = own if name in self._survivors else masking
        return Opened(self.name, shares)

    def in_turn(self, name: str) -> None:
        """Refused unless this is the step that comes next."""
        if self._done >= len(_STEPS) or _STEPS[self._done] != name:
            self._done = len(_STEPS)  # whoever asks out of turn gets nothing more
            raise Broken("the server asks out of turn; this session is over")

    def _step(self, name: str) -> None:
        self.in_turn(name)
        self._done += 1

    def _enough(self, names: Iterable[str]) -> None:
        count = len(set(names))
        if count < self.session.fewest:
            raise Broken(f"too few sites are left: {count}, and {self.session.fewest} are needed")

    def _seal(self, sender: str, to: str) -> tuple[AESGCM, bytes]:
        other = to if sender == self.name else sender
        said = self.session.context("shares", sender, to)
        return AESGCM(_derived(self._sealing, self._peers[other].sealing, said)), said

    def _between(self, other: str) -> bytes:
        first, second = sorted((self.name, other))
        return _derived(self._masking, self._peers[other].masking, self.session.context("mask", first, second))


def _derived(own: X25519PrivateKey, other: bytes, said: bytes) -> bytes:
    shared = own.exchange(X25519PublicKey.from_public_bytes(other))
    return HKDF(hashes.SHA256(), 32, None, said).derive(shared)


def pairwise_key(masking: bytes, other: bytes, session: Session, names: tuple[str, str]) -> bytes:
    """The key of the mask between two sites, from the masking key of one, as it is recovered."""
    private = X25519PrivateKey.from_private_bytes(masking)
    return _derived(private, other, session.context("mask", *sorted(names)))

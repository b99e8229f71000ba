"""`Participant`: what a site does when it is asked. It keeps to the plan it approved, whoever asks, and tells no reason
in words of its own.

What must outlast a message is in the site's folder: which rounds it has answered and with what model, which sums it has
opened, and, while a secure sum is under way, the secrets of its session, for the owner's eyes only and wiped after it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec
from numpy.typing import NDArray

import medveil
from medveil.defenses.alignment.ledger import BudgetSpent
from medveil.errors import InputError, MedveilError, StorageError
from medveil.federated.approval import Approval
from medveil.federated.plan import PROTOCOL, Plan
from medveil.federated.recipe import Recipe
from medveil.federated.refusals import Refusal
from medveil.federated.secure_sum.messages import Agreed, Keys
from medveil.federated.secure_sum.session import Broken, Session
from medveil.federated.secure_sum.site import Site
from medveil.runtime.storage import told as told_of_storage
from medveil.runtime.storage import write_bytes

ENDS = {
    "finished": "all rounds are done",
    "budget": "privacy budgets are spent, and training has ended",
    "stopped": "the coordinator has stopped before the last round; when it goes on, run the same command",
}
SENT = "sent.jsonl"
_log = logging.getLogger(__name__)

Arrays = list[NDArray[np.float32]]


class Training(Protocol):
    """What trains at a site."""

    @property
    def weight(self) -> float: ...

    def update(self, shared: Arrays, round_number: int) -> Arrays: ...

    @property
    def epsilon(self) -> float | None: ...


@dataclass(frozen=True)
class Reply:
    """What goes back: a few values, and arrays."""

    told: Mapping[str, Any]
    arrays: Sequence[NDArray[Any]] = ()


@dataclass
class _Book:
    """What a site remembers of a plan's rounds."""

    round: int = 0
    shared: str = ""  # digest of the model it was asked with
    session: int = 0  # the last secure sum it began
    opened: list[str] = field(default_factory=list)  # whose sum of this round it has opened


class Participant:
    """One site under one plan. `training` is called when there is something to train, and once."""

    def __init__(
        self,
        plan: Plan,
        approval: Approval,
        node_key: ec.EllipticCurvePrivateKey,
        folder: Path,
        training: Callable[[], Training],
        *,
        tell_epsilon: bool = False,
        noticed: Callable[[str], None] = lambda words: None,
    ) -> None:
        self.plan, self.approval, self.folder = plan, approval, folder
        self.ended: str | None = None
        self._node_key, self._begin = node_key, training
        self._training: Training | None = None
        self._tell_epsilon, self._noticed = tell_epsilon, noticed
        self._duties: dict[str, Callable[[Mapping[str, Any], Arrays], Reply]] = {
            "introduce": self._introduce,
            "update": self._update,
            "keys": self._keys,
            "shares": self._shares,
            "masked": self._masked,
            "agreed": self._agreed,
            "opened": self._opened,
            "over": self._over,
        }

    def answer(self, asked: str, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        """A reply, or a refusal by its code alone; the site's own people are told more."""
        try:
            self._check(told)
            return self._duties[asked](told, arrays)
        except Refusal as refusal:
            code = refusal.code
        except BudgetSpent as spent:
            code = "budget"
            self._noticed(str(spent))
        except Broken as broken:
            code = "protocol"
            self._wipe()
            self._noticed(str(broken))
        except StorageError as full:
            code = "disk"
            self._noticed(str(full))
        except MedveilError as error:
            code = "data"
            self._noticed(str(error))
        except Exception as surprise:  # its message may quote the data
            code = "failed"
            _log.error("unexpected %s while answering", type(surprise).__name__)
        if asked == "over" and code != "disk":
            self.ended = self.ended or code  # perhaps of another plan, but over it is
        self._noticed(str(Refusal(code)))
        return Reply({"refusal": code})

    def left(self, asked: str, number: int | None, size: int) -> None:
        """For the site's own people: a line for everything that leaves."""
        line = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "what": asked, "round": number, "bytes": size}
        with told_of_storage(), (self.folder / SENT).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _check(self, told: Mapping[str, Any]) -> None:
        if told.get("protocol") != PROTOCOL:
            raise Refusal("version")
        if told.get("plan") != self.plan.digest:
            raise Refusal("plan")

    def _introduce(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        return Reply({**asdict(self.approval), "version": medveil.__version__, "protocol": PROTOCOL})

    def _update(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        if self.plan.secure_sums:
            raise Refusal("plan")  # only under masks
        update = self._trained(told["round"], arrays)
        return Reply(self._spent(), update)

    def _trained(self, number: int, shared: Arrays) -> Arrays:
        self._enter(number, shared)
        if self._training is None:
            self._training = self._begin()
        update = self._training.update(shared, number)
        if not all(np.isfinite(one).all() for one in update):
            raise Refusal("not-finite")
        self._noticed(f"round {number} of {self.plan.rounds}: trained")
        return update

    def _spent(self) -> dict[str, Any]:
        epsilon = self._training.epsilon if self._training and self._tell_epsilon else None
        return {} if epsilon is None else {"epsilon": float(epsilon)}

    def _enter(self, number: int, shared: Arrays) -> None:
        """On disk before anything is trained: a round is answered for one model only."""
        book = self._book()
        if type(number) is not int or not max(1, book.round) <= number <= self.plan.rounds:
            raise Refusal("order")
        seen = digest_of(shared)
        if number == book.round and book.shared and seen != book.shared:
            raise Refusal("order")
        if number > book.round:
            book.opened = []
        book.round, book.shared = number, seen
        self._keep(book)

    # the secure sum

    def _keys(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        book = self._book()
        number = told["session"]
        if not self.plan.secure_sums or type(number) is not int or number <= book.session:
            raise Refusal("order")
        book.session = number
        self._keep(book)
        site = Site(self.approval.site, self._node_key, self._session(told))
        keys = site.keys()
        self._keep_secrets(site)
        return Reply({"site": keys.site, "sealing": keys.sealing, "masking": keys.masking, "signed": keys.signature})

    def _shares(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        site = self._site(told)
        everybody = zip(*(told[name] for name in ("sites", "sealing", "masking", "signed")), strict=True)
        shares = site.shares(Keys(*one) for one in everybody)
        self._keep_secrets(site)
        return Reply({"to": list(shares.sealed), "sealed": list(shares.sealed.values())})

    def _masked(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        site = self._site(told)
        if digest_of(arrays) != site.session.model:
            raise Broken("the server gives another model than the one that it named to everybody")
        site.in_turn("masked")  # before a round is entered, which forgets whose sum of the last one was opened
        update = self._trained(told["round"], arrays)
        assert self._training is not None
        weight = min(self._training.weight / self.plan.heaviest, 1.0) if self.plan.by_patients else 1.0
        flat = np.concatenate([one.ravel() for one in update], dtype=np.float64) * weight
        numbers = np.append(flat, weight * self.plan.limit)
        words = self.plan.grid.whole(numbers, self._chance(told["round"]))
        masked = site.masked(dict(zip(told["from"], told["sealed"], strict=True)), words)
        self._keep_secrets(site)
        return Reply(self._spent(), [masked.words])

    def _agreed(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        site, book = self._site(told), self._book()
        if book.opened and book.opened != sorted(told["survivors"]):
            raise Refusal("opened")  # two sums of one round would show the difference
        agreed = site.agreed(told["survivors"])
        self._keep_secrets(site)
        return Reply({"survivors": list(agreed.survivors), "signed": agreed.signature})

    def _opened(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        site = self._site(told)
        survivors = tuple(told["survivors"])
        opened = site.opened(
            Agreed(name, survivors, signed) for name, signed in zip(told["sites"], told["signed"], strict=True)
        )
        book = self._book()
        book.opened = sorted(survivors)
        self._keep(book)
        self._wipe()
        return Reply({"of": list(opened.shares), "shares": list(opened.shares.values())})

    def _over(self, told: Mapping[str, Any], arrays: Arrays) -> Reply:
        how = told["how"] if told["how"] in ENDS else "stopped"
        self._wipe()
        if arrays:  # where they cannot be written the site stays, to be told again
            write_model(self.folder / "model.safetensors", self.plan.recipe, arrays)
        self.ended = how
        with suppress(StorageError, OSError):  # a note for people, who are told anyway
            write_bytes(self.folder / "ended.json", json.dumps({"plan": self.plan.digest, "how": how}).encode())
        return Reply({})

    def _session(self, told: Mapping[str, Any]) -> Session:
        among = self.plan.groups[self.approval.site]
        return Session(self.plan.digest, told["session"], told["size"], among, model=told["model"])

    def _site(self, told: Mapping[str, Any]) -> Site:
        try:
            text = self._secrets.read_text()
        except FileNotFoundError:
            raise Broken("the server asks about a sum that has not begun, or is over") from None
        return Site.from_json(text, self.approval.site, self._node_key, self._session(told))

    def _chance(self, number: int) -> np.random.Generator:
        """For rounding: the same whenever a round is asked again, so that its sum is, and known to this site alone."""
        secret = self._node_key.private_numbers().private_value.to_bytes(48, "big")
        seed = hashlib.sha256(b"medveil rounding" + secret + f"{self.plan.digest}{number}".encode()).digest()
        return np.random.default_rng(int.from_bytes(seed, "big"))

    # what is kept

    @property
    def _secrets(self) -> Path:
        return self.folder / "session.json"

    def _keep_secrets(self, site: Site) -> None:
        """Before the answer leaves: each step is answered once, even by a site that is killed in between."""
        write_bytes(self._secrets, site.to_json().encode(), private=True)

    def _wipe(self) -> None:
        try:
            with self._secrets.open("r+b") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(0)
                file.write(bytes(size))
                file.flush()
                os.fsync(file.fileno())
            self._secrets.unlink()
        except FileNotFoundError:
            pass
        except OSError:
            self._noticed(f"{self._secrets} cannot be wiped; delete it by hand, for it holds secrets of a sum")

    @property
    def _rounds(self) -> Path:
        """A book for each plan: whoever approves the next one keeps the key, and this plan's rounds stay closed."""
        return self.folder / f"rounds-{self.plan.digest[:16]}.json"

    def _keep(self, book: _Book) -> None:
        write_bytes(self._rounds, (json.dumps(asdict(book)) + "\n").encode(), private=True)

    def _book(self) -> _Book:
        try:
            return _Book(**json.loads(self._rounds.read_text()))
        except FileNotFoundError:
            return _Book()
        except (OSError, ValueError, TypeError):
            raise InputError(f"{self._rounds} cannot be read; restore it from a copy") from None


def write_model(path: Path, recipe: Recipe, arrays: Arrays) -> None:
    """The network with these shared weights, as a file."""
    from medveil.federated.local_training import assemble  # brings PyTorch
    from medveil.federated.vision_language.model_file import save_weights

    save_weights(path, assemble(recipe, arrays), recipe)


def digest_of(arrays: Sequence[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for one in arrays:
        digest.update(f"{one.shape}{one.dtype.str}".encode())
        digest.update(np.ascontiguousarray(one).data)
    return digest.hexdigest()

"""The coordinator's app: it asks the sites of the plan round by round, adds up, saves, and tells everybody the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import Context, Message
from flwr.serverapp import Grid, ServerApp
from numpy.typing import NDArray

from medveil.errors import MedveilError
from medveil.federated.aggregation import aggregation, problem
from medveil.federated.approval import Approval
from medveil.federated.apps.records import Packed, packed, packed_arrays, size_of, unpacked
from medveil.federated.apps.site_app import message_type
from medveil.federated.between_rounds import step_of
from medveil.federated.participant import Arrays, digest_of, write_model
from medveil.federated.plan import PROTOCOL, Plan
from medveil.federated.record import MODEL, Record, RoundRecord, State, read_memory, save
from medveil.federated.refusals import FOR_GOOD, REFUSALS
from medveil.federated.secure_sum.messages import Agreed, Keys, Masked, Opened, Shares
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Broken, Session

_PAUSE = 0.05  # seconds between two looks
_BREATH = 1.0  # seconds before a round is tried again
_FAREWELL = 30.0  # seconds for the end to reach whoever is there
_STOPPING = 5.0  # the same where somebody waits for the command to stop; a site that trains meanwhile calls on
_AGAIN = 10.0  # seconds before it is told again to a site whose disk is full
_INTRODUCTION = 60.0  # seconds for a node to say who it is

Told = Mapping[str, Any]
Found = list[NDArray[Any]]
_SAID: dict[str, dict[str, type | list[type]]] = {  # what an answer must hold; lists belong together, place by place
    "keys": {"sealing": bytes, "masking": bytes, "signed": bytes},
    "shares": {"to": [str], "sealed": [bytes]},
    "agreed": {"survivors": [str], "signed": bytes},
    "opened": {"of": [str], "shares": [bytes]},
}


class TooFew(MedveilError):
    """A run that cannot go on for now; the same command continues it."""

    exit_code = 1


@dataclass
class _Round:
    """What a round has come to so far."""

    number: int
    aside: dict[str, str] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def over(self, took_part: Sequence[str], *, counted: bool) -> RoundRecord:
        seconds = round(time.monotonic() - self.began, 3)
        there = tuple(sorted(took_part))
        aside = {name: why for name, why in self.aside.items() if name not in there}
        return RoundRecord(self.number, there, aside, dict(self.sent), dict(self.received), seconds, counted)


def coordinator_app(
    plan: Plan,
    folder: Path,
    record: Record,
    shared: Arrays,
    *,
    noticed: Callable[[str], None] = lambda words: None,
    after: Callable[[Record], None] = lambda record: None,
    at_once: int | None = None,
    hand_out: bool = True,
) -> ServerApp:
    """`at_once`: how many messages may be under way, each with its weights in memory. `hand_out`: whether every site
    gets the model at the end."""
    app = ServerApp()

    def main(grid: Grid, context: Context) -> None:
        _Conductor(plan, folder, record, shared, grid, noticed, after, at_once, hand_out).run()

    app.main()(main)
    return app


class _Conductor:
    def __init__(
        self,
        plan: Plan,
        folder: Path,
        record: Record,
        shared: Arrays,
        grid: Grid,
        noticed: Callable[[str], None],
        after: Callable[[Record], None],
        at_once: int | None,
        hand_out: bool,
    ) -> None:
        self.plan, self.folder, self.record, self.shared, self.grid = plan, folder, record, shared, grid
        self._noticed, self._after, self._at_once, self._hand_out = noticed, after, at_once, hand_out
        self._nodes: dict[str, int] = {}  # those that have introduced themselves
        self._met: dict[int, int] = {}  # how often a node had come when it did
        self._traffic: dict[int, tuple[int, int]] = {}  # bytes from a node and to it, not yet in the record
        self._this: _Round | None = None
        self._memory = read_memory(folder, record)
        self._ending = False  # all is on disk, and the sites are told

    def run(self) -> None:
        """All rounds that are left. However it ends, the sites that are there are told."""
        try:
            if self.record.state != "finished":
                self._train()
            self._finish()
        except BaseException:
            if not self._ending:
                self._noticed("stopping; the sites that are there are told first")
                self._tell("stopped", 0.0)
            raise

    def _train(self) -> None:
        while self.record.round < self.plan.rounds:
            began, breath = time.monotonic(), _BREATH
            this = self._this = _Round(self.record.round + 1)
            while not self._round(this, first=self.record.round == 0):
                if self._too_few_for_good():
                    return
                if time.monotonic() - began > self.plan.patience:
                    self._save("waiting", "too few sites")
                    raise TooFew(
                        f"round {this.number} could not be completed with at least {self.plan.fewest} sites"
                        f"{self._reasons()}; what is done is kept, and the same command continues"
                    )
                time.sleep(breath)
                breath = min(2 * breath, 30.0)

    def _too_few_for_good(self) -> bool:
        """Other refusals can be put right by whoever comes back."""
        left = [name for name, site in self.record.sites.items() if site.why != "budget"]
        return len(left) < self.plan.fewest

    def _finish(self) -> None:
        done = self.record.round >= self.plan.rounds
        self._this = None
        write_model(self.folder / MODEL, self.plan.recipe, self.shared)
        self._save("finished" if done else "ended", "" if done else "privacy budgets are spent")
        self._ending = True
        self._tell("finished" if done else "budget", self.plan.patience, self.shared if self._hand_out else None)
        self._save(self.record.state, self.record.why)

    def _reasons(self) -> str:
        why = {name: "is absent" for name, one in self.record.sites.items() if not one.present}
        why |= {name: REFUSALS[one.why] for name, one in self.record.sites.items() if one.why in REFUSALS}
        return "".join(f"; {name} {words}" for name, words in why.items())

    # a round

    def _round(self, this: _Round, *, first: bool) -> bool:
        """Whether it is over, with or without a result."""
        there = self._gathered(all_of_them=first)
        if len(there) < self.plan.fewest:
            return False
        self._save("training")
        self._noticed(f"round {this.number} of {self.plan.rounds}: {len(there)} sites")
        try:
            took_part, update = (self._secure if self.plan.secure_sums else self._plain)(this, there)
        except Broken as broken:
            self._noticed(f"round {this.number}: {broken}")
            if "opened" not in this.aside.values():
                return False
            took_part, update = [], None  # its sum was opened and lost; another one would tell too much
        if update is not None:
            self.shared, self._memory = step_of(self.plan.recipe)(self.shared, self._memory, update)
        self._settle()
        self.record.history.append(this.over(took_part, counted=update is not None))
        self._save("training", shared=self.shared)
        self._after(self.record)
        return True

    def _plain(self, this: _Round, there: list[str]) -> tuple[list[str], Arrays]:
        shared = packed_arrays(self.shared)
        updates: dict[str, Arrays] = {}
        for name, _, arrays in self._ask("update", {name: {"round": this.number} for name in there}, this, shared):
            if problem(arrays, self.shared):
                self._set_aside(name, "shape", this)
            else:
                updates[name] = arrays
        self._lost(there, updates, this)
        if len(updates) < self.plan.fewest:
            raise Broken(f"too few updates came: {len(updates)}, and {self.plan.fewest} are needed")
        took_part = sorted(updates)
        rule = aggregation(self.plan.aggregation, bad_sites=self.plan.bad_sites)
        try:
            return took_part, rule([updates[name] for name in took_part], [1.0] * len(took_part))
        except MedveilError as refused:
            raise Broken(str(refused)) from None

    def _secure(self, this: _Round, there: list[str]) -> tuple[list[str], Arrays]:
        size = sum(one.size for one in self.shared) + 1
        self.record.session += 1
        self._save("training")  # on disk before it begins: no session is held twice
        model = digest_of(self.shared)
        held = _Sums(self.plan, self.record.session, size, model, there)
        told: dict[str, Any] = {"session": self.record.session, "size": size, "model": model, "round": this.number}

        for name, answer, _ in self._ask("keys", dict.fromkeys(there, told), this):
            keys = Keys(name, answer["sealing"], answer["masking"], answer["signed"])
            if self._signed(held.session(name), name, "key", keys.told, keys.signature, this):
                held.arrived(name, keys)
        asked: dict[str, dict[str, Any]] = {}
        for server, arrived in held.each():
            with held.unless_broken(server):
                everybody = server.everybodys_keys(arrived)
                listed = told | {
                    "sites": [one.site for one in everybody],
                    "sealing": [one.sealing for one in everybody],
                    "masking": [one.masking for one in everybody],
                    "signed": [one.signature for one in everybody],
                }
                asked |= dict.fromkeys(listed["sites"], listed)

        for name, answer, _ in self._ask("shares", asked, this):
            sealed = dict(zip(answer["to"], answer["sealed"], strict=True))
            if set(sealed) == set(asked[name]["sites"]) - {name}:
                held.arrived(name, Shares(name, sealed))
            else:
                self._set_aside(name, "protocol", this)
        asked = {}
        for server, arrived in held.each():
            with held.unless_broken(server):
                for name, given in server.shares_for(arrived).items():
                    asked[name] = told | {"from": list(given), "sealed": list(given.values())}

        for name, _, arrays in self._ask("masked", asked, this, packed_arrays(self.shared)):
            if len(arrays) == 1 and arrays[0].shape == (size,) and arrays[0].dtype == np.uint32:
                held.server(name).add(Masked(name, arrays[0]))
            else:
                self._set_aside(name, "shape", this)
        asked = {}
        for server, _ in held.each():
            with held.unless_broken(server):
                survivors = list(server.survivors())
                asked |= dict.fromkeys(survivors, told | {"survivors": survivors})
        self._lost(there, asked, this)

        for name, answer, _ in self._ask("agreed", asked, this):
            said = tuple(answer["survivors"])
            if self._signed(held.session(name), name, "list", said, answer["signed"], this):
                held.arrived(name, Agreed(name, said, answer["signed"]))
        shown: dict[str, dict[str, Any]] = {}
        for server, arrived in held.each():
            with held.unless_broken(server):
                signed = server.signed(arrived)
                listed = asked[signed[0].site] | {
                    "sites": [one.site for one in signed],
                    "signed": [one.signature for one in signed],
                }
                shown |= dict.fromkeys(listed["sites"], listed)

        for name, answer, _ in self._ask("opened", shown, this):
            held.arrived(name, Opened(name, dict(zip(answer["of"], answer["shares"], strict=True))))
        took_part: list[str] = []
        total = np.zeros(size, np.float64)
        for server, arrived in held.each():
            with held.unless_broken(server):
                total += self.plan.grid.numbers(server.total(arrived))
                took_part += server.survivors()
        self._lost(there, took_part, this)
        if len(took_part) < self.plan.fewest:
            raise Broken(held.why or f"too few sites are left: {len(took_part)}, and {self.plan.fewest} are needed")
        return took_part, self._mean(total)

    def _mean(self, numbers: NDArray[np.float64]) -> Arrays:
        """The last number is what all sites count together."""
        weight = numbers[-1] / self.plan.limit
        if not weight > 0:
            raise Broken("the sites' weights add up to nothing")
        flat = (numbers[:-1] / weight).astype(np.float32)
        ends = np.cumsum([one.size for one in self.shared])[:-1]
        parts = np.split(flat, ends)
        return [part.reshape(one.shape) for part, one in zip(parts, self.shared, strict=True)]

    def _signed(
        self, session: Session, name: str, what: str, said: Sequence[Any], signature: bytes, this: _Round
    ) -> bool:
        try:
            session.check(name, what, said, signature)
        except Broken:
            self._set_aside(name, "protocol", this)
            return False
        return True

    # who is there

    def _gathered(self, *, all_of_them: bool) -> list[str]:
        """Sites that are there and have shown that they approved; at first, all are waited for."""
        until, awaited = time.monotonic() + self.plan.patience, list[str]()
        while True:
            here = set(self.grid.get_node_ids())
            self._meet(here)
            for name, site in self.record.sites.items():
                site.present = self._nodes.get(name) in here
            there = sorted(name for name, site in self.record.sites.items() if site.present and self._welcome(name))
            wanted = [name for name in self.record.sites if self._welcome(name)]
            enough = len(wanted) if all_of_them else self.plan.fewest
            if len(there) >= enough or self._too_few_for_good() or time.monotonic() > until:
                return there
            missing = [name for name in wanted if name not in there]
            if missing != awaited:
                self._noticed(f"waiting for {', '.join(missing)}")
                awaited = missing
            if self.record.state != "waiting":
                self._save("waiting")
            time.sleep(4 * _PAUSE)

    def _welcome(self, name: str) -> bool:
        return self.record.sites[name].why not in FOR_GOOD

    def _meet(self, here: set[int]) -> None:
        """Nodes that are new, or have come back: perhaps with another plan, perhaps put right."""
        comes = self._comings()
        new = [node for node in here if self._met.get(node) != comes.get(node, 0)]
        if not new:
            return
        names = {node.node_id: node.name for node in self.grid.get_nodes() if node.name}
        for node in new:
            self._met[node] = comes.get(node, 0)
        for node, answer, _ in self._send("introduce", {node: {} for node in new}, patience=_INTRODUCTION):
            name = names.get(node) or answer.get("site")
            if name not in self.record.sites:
                continue
            site = self.record.sites[name]
            site.why, site.version = answer.get("refusal", ""), str(answer.get("version", ""))[:20]
            if not site.why and not self._approved(name, answer):
                site.why = "version" if answer.get("protocol") != PROTOCOL else "approval"
            if site.why:
                self._noticed(f"{name} {REFUSALS[site.why]}")
            self._nodes[name] = node

    def _approved(self, name: str, answer: Told) -> bool:
        try:
            approval = Approval(*(str(answer[key]) for key in ("site", "plan", "when", "signature")))
        except KeyError:
            return False
        return approval.site == name and answer.get("protocol") == PROTOCOL and approval.holds(self.plan)

    def _comings(self) -> dict[int, int]:
        return dict(getattr(self.grid, "activations", {}))

    def _lost(self, asked: Sequence[str], answered: Collection[str], this: _Round) -> None:
        for name in asked:
            if name not in answered:
                this.aside.setdefault(name, "absent")

    def _set_aside(self, name: str, why: str, this: _Round) -> None:
        this.aside[name] = why
        self.record.sites[name].why = why
        self._noticed(f"{name} {REFUSALS[why]}")

    # asking

    def _ask(
        self, asked: str, to: Mapping[str, Told], this: _Round, arrays: Packed | None = None
    ) -> Iterator[tuple[str, dict[str, Any], Found]]:
        """Answers as they arrive, by site; who refuses, or does not answer in time, is set aside."""
        nodes = {self._nodes[name]: name for name in to}
        answered = set()
        for node, answer, found in self._send(asked, {self._nodes[name]: told for name, told in to.items()}, arrays):
            name = nodes[node]
            answered.add(name)
            site = self.record.sites[name]
            if isinstance(answer.get("epsilon"), float) and math.isfinite(answer["epsilon"]):
                site.epsilon = answer["epsilon"]
            if "refusal" in answer:
                self._set_aside(name, answer["refusal"], this)
            elif not _well_said(asked, answer):
                self._set_aside(name, "protocol", this)
            else:
                site.why = ""
                yield name, answer, found
        self._lost(list(to), answered, this)

    def _send(
        self,
        asked: str,
        to: Mapping[int, Told],
        arrays: Packed | None = None,
        patience: float | None = None,
    ) -> Iterator[tuple[int, dict[str, Any], Found]]:
        """To nodes, and what they answer. Who comes back meanwhile is asked again."""
        until = time.monotonic() + (patience or self.plan.patience)
        left, waiting, comes = list(to), dict[str, int](), self._comings()
        while (left or waiting) and time.monotonic() < until:
            room = (self._at_once or len(to)) - len(waiting)
            if room > 0 and left:
                waiting |= self._pushed(asked, {node: to[node] for node in left[:room]}, arrays)
                left = left[room:]
            found = list(self.grid.pull_messages(set(waiting))) if waiting else []
            for message in found:
                node = waiting.pop(message.metadata.reply_to_message_id, None)
                if node is None or message.has_error():
                    continue  # it is gone, which whoever asked notices
                self._count(node, size_of(message.content), 0)
                yield node, *_understood(message)
            now = self._comings()
            back = {node for node in waiting.values() if now.get(node) != comes.get(node)}
            if stale := [name for name, node in waiting.items() if node in back]:
                self.grid.forget(stale)
            waiting = {name: node for name, node in waiting.items() if node not in back}
            waiting |= self._pushed(asked, {node: to[node] for node in back}, arrays)
            comes = now
            if not found:
                time.sleep(_PAUSE)
        self.grid.forget(waiting)

    def _pushed(self, asked: str, to: Mapping[int, Told], arrays: Packed | None) -> dict[str, int]:
        """Nodes by the message that each is to answer."""
        messages = []
        for node, told in to.items():
            content = packed({"plan": self.plan.digest, "protocol": PROTOCOL, **told}, arrays or {})
            self._count(node, 0, size_of(content))
            messages.append(Message(content, node, message_type(asked), ttl=self.plan.patience + 60))
        names = self.grid.push_messages(messages) if messages else []
        return {name: node for node, name in zip(to, names, strict=True) if name}

    def _count(self, node: int, sent: int, received: int) -> None:
        before = self._traffic.get(node, (0, 0))
        self._traffic[node] = before[0] + sent, before[1] + received

    def _settle(self) -> None:
        """Bytes into the record: of each site, and of the round that is under way."""
        for name, node in self._nodes.items():
            sent, received = self._traffic.pop(node, (0, 0))
            site = self.record.sites[name]
            site.bytes_sent, site.bytes_received = site.bytes_sent + sent, site.bytes_received + received
            if self._this is not None:
                for kept, more in ((self._this.sent, sent), (self._this.received, received)):
                    kept[name] = kept.get(name, 0) + more

    # the end

    def _tell(self, how: str, patience: float, shared: Arrays | None = None) -> None:
        """Everybody who is there, and who comes while there is patience; whom an earlier run told is not waited for.

        Who cannot write the model to its disk is told again a little later, and who comes back at once.
        """
        arrays = packed_arrays(shared or [])
        until = time.monotonic() + patience
        farewell = _STOPPING if how == "stopped" else _FAREWELL
        told: dict[str, int] = {}  # how often a site had come when it was
        later: dict[str, float] = {}
        while True:
            here, comes, now = set(self.grid.get_node_ids()), self._comings(), time.monotonic()
            self._meet(here)
            due = {
                node: name
                for name, node in self._nodes.items()
                if node in here and told.get(name) != comes.get(node, 0) and later.get(name, now) <= now
            }
            for node, answer, _ in self._send("over", {node: {"how": how} for node in due}, arrays, farewell):
                name, why = due[node], answer.get("refusal")
                self.record.sites[name].told_the_end = why is None
                if why == "disk":
                    self._noticed(f"{name} {REFUSALS[why]}")
                    later[name] = now + _AGAIN
                else:
                    told[name] = comes.get(node, 0)
            over = all(name in told or site.told_the_end for name, site in self.record.sites.items())
            if over or time.monotonic() > until:
                return
            time.sleep(4 * _PAUSE)

    def _save(self, state: State, why: str = "", shared: Arrays | None = None) -> None:
        self._settle()
        self.record.state, self.record.why = state, why
        save(self.folder, self.record, shared, self._memory)


class _Sums:
    """The secure sums of a round, one a group, side by side. A group that breaks is left out."""

    def __init__(self, plan: Plan, number: int, size: int, model: str, there: Sequence[str]) -> None:
        self.why = ""
        self._of: dict[str, Server] = {}
        for name in there:
            known = next((self._of[other] for other in plan.groups[name] if other in self._of), None)
            self._of[name] = known or Server(Session(plan.digest, number, size, plan.groups[name], model=model))
        self._arrived: dict[int, list[Any]] = {}
        self._broken: set[int] = set()

    def server(self, name: str) -> Server:
        return self._of[name]

    def session(self, name: str) -> Session:
        return self._of[name].session

    def arrived(self, name: str, message: Any) -> None:
        self._arrived.setdefault(id(self._of[name]), []).append(message)

    def each(self) -> Iterator[tuple[Server, list[Any]]]:
        """Those that still hold, with what has arrived for each since the last step."""
        arrived, self._arrived = self._arrived, {}
        for server in {id(one): one for one in self._of.values()}.values():
            if id(server) not in self._broken:
                yield server, arrived.get(id(server), [])

    @contextmanager
    def unless_broken(self, server: Server) -> Iterator[None]:
        try:
            yield
        except Broken as broken:
            self._broken.add(id(server))
            self.why = str(broken)


def _understood(message: Message) -> tuple[dict[str, Any], Found]:
    """What a site says and sends; its refusal is one of `REFUSALS`, whatever word it uses."""
    try:
        answer, content = unpacked(message.content)
    except MedveilError:
        return {"refusal": "version"}, []
    if "refusal" in answer and answer["refusal"] not in list(REFUSALS):
        answer["refusal"] = "failed"
    return answer, content


def _well_said(asked: str, answer: Told) -> bool:
    lengths = set()
    for name, kind in _SAID.get(asked, {}).items():
        value = answer.get(name)
        if isinstance(kind, type):
            if not isinstance(value, kind):
                return False
        elif isinstance(value, list) and all(isinstance(one, kind[0]) for one in value):
            lengths.add(len(value))
        else:
            return False
    return len(lengths) <= 1

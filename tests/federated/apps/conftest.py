"""Sites, a coordinator and real sockets on this machine, with a training that takes no time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.federated.approval import approve, write_approval
from medveil.federated.coordinator import coordinate
from medveil.federated.credentials import make_identity, make_node_key, read_node_key
from medveil.federated.joining import join
from medveil.federated.participant import Arrays, Training
from medveil.federated.plan import Plan, plan_of
from medveil.federated.record import Record, read_weights

pytest.importorskip("flwr")

RECIPE = {"side": 32, "channels": 8, "text": "none", "weighting": "equal", "findings": ["Edema"]}


@dataclass
class Steady:
    """Adds the same number to every weight, each round."""

    step: float
    weight: float = 1.0
    epsilon: float | None = None
    before: Callable[[int], None] = lambda number: None
    asked: list[int] = field(default_factory=list)

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        self.asked.append(round_number)
        self.before(round_number)
        return [np.full_like(one, self.step) for one in shared]


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@dataclass
class Consortium:
    """A plan on this machine, whose sites have approved it."""

    folder: Path
    plan: Plan
    trainings: dict[str, Any]
    said: list[str] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)
    _threads: list[threading.Thread] = field(default_factory=list)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def start(self, *names: str, plan: Plan | None = None, training: Training | None = None) -> None:
        for name in names or self.plan.names:
            thread = threading.Thread(target=self._site, args=(name, plan or self.plan, training))
            thread.start()
            self._threads.append(thread)

    def _site(self, name: str, plan: Plan, training: Training | None) -> None:
        mine = training or self.trainings[name]
        self.ends[name] = join(plan, self.folder / name, lambda: mine, tell_epsilon=True, give_up=30)

    def coordinate(self, **how: Any) -> Record:
        credentials = self.folder / "coordinator" if self.plan.coordinator.authority else None
        return coordinate(self.plan, self.out, credentials=credentials, noticed=self.said.append, **how)

    def wait(self) -> None:
        for thread in self._threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in self._threads)

    def gained(self, record: Record, before: Arrays) -> float:
        """What the rounds have added to the weights, which must be the same everywhere."""
        after = read_weights(self.out, record)
        added = np.concatenate([(one - other).ravel() for one, other in zip(after, before, strict=True)])
        assert np.ptp(added) < 1e-5
        return float(added.mean())


@pytest.fixture
def consortium(tmp_path: Path) -> Callable[..., Consortium]:
    def made(steps: dict[str, float], *, tls: bool = False, **changes: Any) -> Consortium:
        sites = {name: make_node_key(tmp_path / name) for name in steps}
        authority = make_identity(tmp_path / "coordinator", ["127.0.0.1"]) if tls else ""
        table = {
            "title": "A trial",
            "data": "invented",
            "rounds": 2,
            "patience": 20.0,
            "recipe": RECIPE,
            "coordinator": {"name": "here", "address": f"127.0.0.1:{_free_port()}", "authority": authority},
            "sites": sites,
        }
        plan = plan_of(table | changes)
        for name in steps:
            write_approval(tmp_path / name, approve(plan, read_node_key(tmp_path / name)))
        return Consortium(tmp_path, plan, {name: Steady(step) for name, step in steps.items()})

    return made


@pytest.fixture
def free_port() -> int:
    return _free_port()


@pytest.fixture
def recipe_table() -> dict[str, Any]:
    return dict(RECIPE)


@pytest.fixture(scope="session")
def first_weights() -> Arrays:
    from medveil.federated.local_training import initial
    from medveil.federated.recipe import Recipe

    return initial(Recipe.of(RECIPE))

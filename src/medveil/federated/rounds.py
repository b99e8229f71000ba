"""Rounds in one process, without Flower: every site trains from the shared weights, and their updates are put together.

This is the federation as an experiment sees it, and what the one over sockets must agree with. Sites answer in the
order of their names, so that sums come out the same to the last bit. After each round the shared weights are on disk;
run again after a kill, it goes on from there to the same weights.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.alignment.ledger import BudgetSpent
from medveil.errors import InputError, SettingsError
from medveil.federated.aggregation import MEAN, Aggregate, aggregation, problem
from medveil.federated.between_rounds import Step, added, step_of
from medveil.federated.recipe import Recipe
from medveil.runtime.storage import write_bytes

Arrays = list[NDArray[np.float32]]
STATE = "rounds.npz"


class TrainingSite(Protocol):
    """A site as the rounds see it."""

    @property
    def weight(self) -> float: ...

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays: ...


@dataclass(frozen=True)
class Round:
    """What became of a round; nothing of a site's data is in it."""

    number: int
    taking_part: tuple[str, ...]
    left_out: tuple[str, ...]  # their updates were not numbers, or did not fit
    bytes_a_site: int
    seconds: float


@dataclass
class Federation:
    """The shared weights after the rounds so far, and why there were no more."""

    shared: Arrays
    rounds: list[Round] = field(default_factory=list)
    memory: Arrays = field(default_factory=list)  # of the steps between rounds
    ended: str = ""


After = Callable[[Federation], None]


def federate(
    recipe: Recipe,
    sites: Mapping[str, TrainingSite],
    rounds: int,
    aggregate: Aggregate | None = None,
    *,
    folder: Path | None = None,
    after: After | None = None,
) -> Federation:
    """Train the recipe's model across sites. The run ends early where a site's privacy budget does."""
    from medveil.federated.local_training import initial

    return run_rounds(
        initial(recipe),
        sites,
        rounds,
        aggregate,
        name=recipe.digest,
        step=step_of(recipe),
        folder=folder,
        after=after,
    )


def run_rounds(
    shared: Arrays,
    sites: Mapping[str, TrainingSite],
    rounds: int,
    aggregate: Aggregate | None = None,
    *,
    name: str,
    step: Step = added,
    folder: Path | None = None,
    after: After | None = None,
) -> Federation:
    """The same for any weights that sites can train; `name` says whose they are, so that no other run is taken up."""
    if not sites:
        raise SettingsError("a federation needs at least one site")
    state = hashlib.sha256(json.dumps([name, sorted(sites)]).encode()).hexdigest()
    federation = _resumed(folder, state) or Federation([part.copy() for part in shared])
    while len(federation.rounds) < rounds:
        try:
            _round(federation, sites, aggregate or aggregation(MEAN), step)
        except BudgetSpent as spent:
            federation.ended = str(spent)
            break
        if folder is not None:
            _save(folder, state, federation)
        if after is not None:
            after(federation)
    return federation


def _round(federation: Federation, sites: Mapping[str, TrainingSite], aggregate: Aggregate, step: Step) -> None:
    began, number = time.perf_counter(), len(federation.rounds) + 1
    updates = {name: sites[name].update(federation.shared, number) for name in sorted(sites)}
    fitting = {name: update for name, update in updates.items() if problem(update, federation.shared) is None}
    if not fitting:
        raise InputError(f"no site sent a usable update in round {number}; the weights of the round before are kept")
    together = aggregate(list(fitting.values()), [sites[name].weight for name in fitting])
    federation.shared, federation.memory = step(federation.shared, federation.memory, together)
    left_out = tuple(name for name in updates if name not in fitting)
    size = sum(part.nbytes for part in federation.shared)
    federation.rounds.append(Round(number, tuple(fitting), left_out, size, time.perf_counter() - began))


def _save(folder: Path, state: str, federation: Federation) -> None:
    told = json.dumps({"run": state, "rounds": [vars(one) for one in federation.rounds]})
    parts: dict[str, Any] = {f"{number:04}": part for number, part in enumerate(federation.shared)}
    parts |= {f"memory{number:04}": part for number, part in enumerate(federation.memory)}
    file = io.BytesIO()
    np.savez(file, told=np.frombuffer(told.encode(), np.uint8), **parts)
    write_bytes(folder / STATE, file.getvalue())


def _resumed(folder: Path | None, state: str) -> Federation | None:
    if folder is None or not (folder / STATE).exists():
        return None
    try:
        with np.load(io.BytesIO((folder / STATE).read_bytes())) as kept:
            told = json.loads(kept["told"].tobytes())
            shared = [kept[name] for name in sorted(kept.files) if name.isdigit()]
            memory = [kept[name] for name in sorted(kept.files) if name.startswith("memory")]
        rounds = [
            Round(**one | {"taking_part": tuple(one["taking_part"]), "left_out": tuple(one["left_out"])})
            for one in told["rounds"]
        ]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        raise InputError(f"{folder / STATE} cannot be read; choose an empty folder") from None
    if told["run"] != state:
        raise InputError(f"{folder} holds a run with another recipe or other sites; choose an empty folder")
    return Federation(shared, rounds, memory)

"""The loop: round after round until the end, a time limit, or no better score for some rounds.

A round is whatever lies between two looks at the validation data. After each, the loop keeps the model if it is the
best so far and saves the whole state; run again after a kill, it goes on from there to the same weights.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.training.checkpoint import load_state, save_state

STATE = "state.pt"
FORMAT = "medveil.training/1"
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Round:
    """What is told of a round, and how good the model is after it; without a merit, the last is the best."""

    told: dict[str, Any]
    merit: float | None = None


class Trainee(Protocol):
    """A network in training, as the loop sees it."""

    device: str

    @property
    def fingerprint(self) -> str:
        """Of settings and data: the state of another run is not taken up."""

    @property
    def finished(self) -> bool: ...

    def train_round(self) -> Round: ...

    def keep(self) -> None:
        """Write the model as it is now, over the one kept before."""

    def state(self) -> dict[str, Any]:
        """All that the next round depends on: tensors, numbers and text."""

    def restore(self, state: dict[str, Any]) -> None: ...


@dataclass
class Course:
    """What a run has come to: every round's line, the line and merit of the model that is kept, rounds since then.

    It is not finished where the time was over first.
    """

    history: list[dict[str, Any]] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    merit: float | None = None
    waited: int = 0
    finished: bool = False


def run(
    trainee: Trainee,
    out: Path | None = None,
    *,
    patience: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Course:
    """Train to the end, with the state in the folder `out` where there is one.

    With `patience`, only a better model is kept, and training stops after so many rounds without one; without it, the
    last model is kept. `seconds` ends this call after the round in which they are over; another call goes on.
    """
    end = math.inf if seconds is None else time.monotonic() + seconds
    course = _resumed(trainee, out)
    before = len(course.history)
    while not trainee.finished and (patience is None or course.waited < patience):
        if len(course.history) > before and time.monotonic() >= end:
            return course
        _add(course, trainee.train_round(), trainee.keep, always=patience is None)
        if out is not None:
            state = {"format": FORMAT, "fingerprint": trainee.fingerprint, "course": asdict(course)}
            save_state(out / STATE, state | {"trainee": trainee.state()})
        if progress is not None:
            progress(course.history[-1])
    course.finished = True
    return course


def _add(course: Course, done: Round, keep: Callable[[], None], *, always: bool) -> None:
    course.history.append(done.told)
    # not a number is no reason to wait: where nothing can be measured, the last counts
    better = done.merit is None or course.merit is None or not done.merit <= course.merit
    course.waited = 0 if better else course.waited + 1
    if better or always:
        course.merit, course.kept = done.merit, done.told
        keep()


def _resumed(trainee: Trainee, out: Path | None) -> Course:
    """The course a killed run left in the folder, if it belongs to this very run."""
    state = load_state(out / STATE, trainee.device) if out is not None else {}
    if not state:
        return Course()
    if state.get("format") != FORMAT:
        raise InputError(f"{out} holds a run of another version of medveil; choose another folder")
    if state["fingerprint"] != trainee.fingerprint:
        raise InputError(f"{out} holds a run with other settings or images; choose another folder")
    trainee.restore(state["trainee"])
    return Course(**state["course"])


def fingerprint_of(settings: Any, arrays: Iterable[NDArray[Any]]) -> str:
    """One hash over settings that can be written as JSON and the data they are used on."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def as_record(settings: Any) -> dict[str, Any]:
    """Settings for a record: files by name alone, for a path may say whose machine it was."""
    return {name: _named(value) for name, value in asdict(settings).items()}


def _named(value: Any) -> Any:
    if isinstance(value, Path):
        return value.name
    return [_named(one) for one in value] if isinstance(value, tuple | list) else value

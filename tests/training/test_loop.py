"""The loop goes on where a killed run was, stops when told, keeps the best, and refuses what is not its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from medveil.errors import InputError
from medveil.training.loop import STATE, Round, as_record, fingerprint_of, run


class Walk:
    """A trainee whose one weight walks at random; its merits are given."""

    device = "cpu"

    def __init__(self, merits: list[float | None], fingerprint: str = "walk") -> None:
        self.merits, self.fingerprint = merits, fingerprint
        self.weight, self.rounds = torch.zeros(1), 0
        self.kept: list[int] = []

    @property
    def finished(self) -> bool:
        return self.rounds == len(self.merits)

    def train_round(self) -> Round:
        self.weight += float(np.random.default_rng(self.rounds).normal())
        self.rounds += 1
        return Round({"round": self.rounds}, self.merits[self.rounds - 1])

    def keep(self) -> None:
        self.kept.append(self.rounds)

    def state(self) -> dict[str, Any]:
        return {"weight": self.weight, "rounds": self.rounds}

    def restore(self, state: dict[str, Any]) -> None:
        self.weight, self.rounds = state["weight"], state["rounds"]


class Killed(Exception):
    pass


def test_a_killed_run_goes_on_to_the_same_end(tmp_path: Path) -> None:
    def kill(told: dict[str, Any]) -> None:
        if told["round"] == 2:
            raise Killed

    whole = Walk([0.1, 0.2, 0.3, 0.2])
    course = run(whole)
    with pytest.raises(Killed):
        run(Walk([0.1, 0.2, 0.3, 0.2]), tmp_path, progress=kill)
    again = Walk([0.1, 0.2, 0.3, 0.2])
    assert run(again, tmp_path) == course
    assert torch.equal(again.weight, whole.weight)
    assert again.kept == [3, 4]  # the first two rounds were not made again


def test_without_patience_the_last_is_kept_and_with_it_the_best() -> None:
    merits: list[float | None] = [0.1, 0.4, 0.2, 0.3, 0.3, 0.5]
    last = Walk(merits)
    assert run(last).kept == {"round": 6} and last.kept == [1, 2, 3, 4, 5, 6]
    best = Walk(merits)
    course = run(best, patience=3)
    assert (best.rounds, best.kept, course.kept, course.merit) == (5, [1, 2], {"round": 2}, 0.4)


def test_where_nothing_can_be_measured_the_last_counts() -> None:
    walk = Walk([float("nan")] * 4)
    assert run(walk, patience=1).kept == {"round": 4}
    assert run(Walk([None] * 3), patience=1).kept == {"round": 3}


def test_a_time_limit_ends_a_call_after_a_round_and_the_next_goes_on(tmp_path: Path) -> None:
    for rounds in (1, 2, 3, 3):
        walk = Walk([None] * 3)
        assert len(run(walk, tmp_path, seconds=0).history) == rounds


def test_a_state_that_is_not_this_run_s_is_refused(tmp_path: Path) -> None:
    run(Walk([None]), tmp_path)
    with pytest.raises(InputError, match="other settings"):
        run(Walk([None], "another"), tmp_path)
    torch.save({"settings": "walk", "epoch": 3}, tmp_path / STATE)
    with pytest.raises(InputError, match="another version"):
        run(Walk([None]), tmp_path)
    (tmp_path / STATE).write_bytes(b"half a file")
    with pytest.raises(InputError, match="remove it"):
        run(Walk([None]), tmp_path)


def test_records_and_fingerprints() -> None:
    @dataclass(frozen=True)
    class Settings:
        start: Path | None = None
        teachers: tuple[Path, ...] = (Path("/home/somebody/a.pt"),)
        losses: dict[str, float] = field(default_factory=lambda: {"contrast": 1.0})

    assert as_record(Settings(Path("/home/somebody/b.pt"))) == {
        "start": "b.pt",
        "teachers": ["a.pt"],
        "losses": {"contrast": 1.0},
    }
    data = np.arange(4)
    assert fingerprint_of({"a": 1}, [data]) == fingerprint_of({"a": 1}, [data.copy()])
    assert len({fingerprint_of({"a": 1}, [data]), fingerprint_of({"a": 2}, [data]), fingerprint_of({"a": 1}, [])}) == 3

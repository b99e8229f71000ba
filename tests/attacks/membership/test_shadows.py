from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.attacks.membership.shadows import Answer, halves, kept_shadows, train_shadows
from medveil.attacks.membership.signals import Signals
from medveil.attacks.membership.success import success_of


class Killed(Exception):
    pass


class Training:
    """Surer of those it has seen; may be killed before some model."""

    def __init__(self, killed_at: int = 99) -> None:
        self.trained: list[int] = []
        self._killed_at = killed_at

    def __call__(self, included: NDArray[np.bool_], number: int) -> Answer:
        if number == self._killed_at:
            raise Killed
        self.trained.append(number)
        rng = np.random.default_rng(number)
        odds = 2.0 * included + rng.normal(0, 0.5, len(included))
        return Answer(Signals(odds[None], -np.logaddexp(0, -odds)), -np.logaddexp(0, -rng.normal(0, 0.5, 50)))


def test_everybody_is_in_half_of_the_models() -> None:
    rows = halves(101, 6, seed=1)
    assert (rows.sum(0) == 3).all() and set(rows.sum(1)) == {50, 51}
    assert np.array_equal(halves(101, 4, seed=1), rows[:4])
    assert not np.array_equal(halves(101, 6, seed=2), rows)


def test_one_of_them_is_attacked_with_the_help_of_the_others() -> None:
    evidence = train_shadows(Training(), 200, 6, seed=1, name="a").about(0)
    assert evidence.references is not None and len(evidence.references) == 5 and evidence.references.online
    assert success_of(evidence.guesses()["LiRA"], evidence.member, seed=1).advantage.low > 0.8


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    killed = Training(killed_at=3)
    with pytest.raises(Killed):
        train_shadows(killed, 40, 6, seed=1, name="a", keep=tmp_path)
    assert len(kept_shadows(tmp_path, 40, 6, seed=1, name="a").answers) == 2  # of whole pairs
    again = Training()
    whole = train_shadows(again, 40, 6, seed=1, name="a", keep=tmp_path)
    assert again.trained == [3, 4, 5]
    plain = train_shadows(Training(), 40, 6, seed=1, name="a")
    assert np.array_equal(whole.references.odds, plain.references.odds)
    assert len(kept_shadows(tmp_path, 40, 6, seed=1, name="a").answers) == 6


def test_answers_of_another_recipe_or_broken_ones_are_not_taken(tmp_path: Path) -> None:
    train_shadows(Training(), 40, 4, seed=1, name="a", keep=tmp_path)
    for file in tmp_path.iterdir():
        assert file.stat().st_mode & 0o077 == 0
    other = Training()
    train_shadows(other, 40, 4, seed=1, name="b", keep=tmp_path)
    assert other.trained == [0, 1, 2, 3]
    for file in tmp_path.iterdir():
        file.write_bytes(b"half")
    broken = Training()
    train_shadows(broken, 40, 4, seed=1, name="a", keep=tmp_path)
    assert broken.trained == [0, 1, 2, 3]

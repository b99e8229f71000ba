from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.scores import References, lira, rmia
from medveil.stats.auc import WeightedAUC

PATIENTS, CROWD = 300, 200
Floats = NDArray[np.float64]


def _models(count: int, gain: float, seed: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Log-odds of patients who differ in how hard they are; a model that has seen one is surer by `gain`."""
    rng = np.random.default_rng(seed)
    hard, people = np.random.default_rng(99).normal(0, 3, PATIENTS), np.random.default_rng(98).normal(0, 3, CROWD)
    included = np.zeros((count, PATIENTS), bool)
    for model in range(0, count, 2):
        included[model] = rng.random(PATIENTS) < 0.5
        included[model + 1] = ~included[model]
    odds = hard + gain * included + rng.normal(0, 0.5, (count, PATIENTS))
    return odds, people + rng.normal(0, 0.5, (count, CROWD)), included


def _likelihood(odds: Floats) -> Floats:
    return -np.logaddexp(0, -odds)


def _attacked(gain: float, seed: int, *, online: bool = True, count: int = 8) -> dict[str, float]:
    odds, people, included = _models(count + 2, gain, seed)
    member = included[0]
    seen = included[2:] if online else np.zeros((count, PATIENTS), bool)
    others = odds[2:] if online else odds[2:] - gain * included[2:]
    references = References(others[:, None], _likelihood(others), _likelihood(people[2:]), seen)
    assert references.online == online
    scores = {
        "threshold": odds[0],
        "lira": lira(odds[0][None], references),
        "rmia": rmia(_likelihood(odds[0]), _likelihood(people[0]), references),
    }
    return {name: WeightedAUC(each, member)() for name, each in scores.items()}


def test_reference_models_tell_what_a_threshold_cannot() -> None:
    for online in (True, False):
        found = _attacked(1.5, 1, online=online)
        assert found["threshold"] < 0.7
        assert found["lira"] > 0.9 and found["rmia"] > 0.85


def test_a_model_that_remembers_nothing_tells_nothing() -> None:
    found = [_attacked(0.0, seed, online=online) for seed in range(5) for online in (True, False)]
    for name in ("threshold", "lira", "rmia"):
        assert abs(np.mean([one[name] for one in found]) - 0.5) < 0.04


def test_many_models_give_each_patient_a_spread_of_their_own() -> None:
    assert _attacked(1.5, 3, count=40)["lira"] > 0.9


def test_one_reference_model_is_enough_to_allow_for_difficulty() -> None:
    odds, people, included = _models(4, 1.5, 5)
    plain = odds[2] - 1.5 * included[2]
    references = References(
        plain[None, None], _likelihood(plain)[None], _likelihood(people[2])[None], np.zeros((1, PATIENTS), bool)
    )
    assert WeightedAUC(lira(odds[0][None], references), included[0])() > 0.9


def test_channels_add_up() -> None:
    odds, people, included = _models(10, 0.8, 7)
    more, _, _ = _models(10, 0.0, 8)
    second = more + 0.8 * included
    references = References(np.stack([odds[2:], second[2:]], 1), odds[2:], people[2:], included[2:])
    both = lira(np.stack([odds[0], second[0]]), references)
    one = lira(odds[:1], References(odds[2:, None], odds[2:], people[2:], included[2:]))
    assert WeightedAUC(both, included[0])() > WeightedAUC(one, included[0])()

from __future__ import annotations

import numpy as np

from medveil.attacks.membership.success import success_of

MEMBER = np.arange(600) < 300


def test_where_there_is_nothing_no_advantage_is_found() -> None:
    """The best line in hindsight would show one: its mean over such trials is about 0.09."""
    found = [
        success_of(np.random.default_rng(trial).normal(size=600), MEMBER, seed=trial).advantage for trial in range(20)
    ]
    assert abs(np.mean([one.value for one in found])) < 0.03
    assert sum(one.low > 0 or one.high < 0 for one in found) <= 3


def test_hits_are_those_above_all_but_a_few_others() -> None:
    scores = np.where(MEMBER, 1.0, 0.0)
    scores[300:303] = 2.0  # 1 % of the others lie above everybody
    scores[:30] = 3.0
    found = success_of(scores, MEMBER, seed=1)
    assert found.hits[0.01].value == 1.0  # three false alarms are allowed
    assert found.hits[0.001].value == 0.1  # none is
    assert found.hits[0.001].low < 0.1 < found.hits[0.001].high
    assert found.advantage.value > 0.95


def test_equal_scores_are_no_success() -> None:
    found = success_of(np.zeros(600), MEMBER, seed=1)
    assert found.advantage.value == 0 and found.hits[0.01].value == 0 and found.auc.value == 0.5
    assert found.hits[0.01].high > 0.005  # none seen is not none there


def test_the_true_shares_lie_within_the_intervals() -> None:
    """Scores of members lie one standard deviation higher: the true advantage and hits are known."""
    advantages, hits = [], []
    for trial in range(20):
        scores = np.random.default_rng([2, trial]).normal(size=600) + MEMBER
        found = success_of(scores, MEMBER, seed=trial)
        advantages.append(found.advantage.low <= 0.383 <= found.advantage.high)
        hits.append(found.hits[0.01].low <= 0.0924 <= found.hits[0.01].high)
    assert sum(advantages) >= 17 and sum(hits) >= 17


def test_a_control_stands_beside_each_number() -> None:
    rng = np.random.default_rng(1)
    control = success_of(rng.normal(size=600), MEMBER, seed=1)
    found = success_of(rng.normal(size=600) + 2 * MEMBER, MEMBER, seed=1, control=control)
    assert found.advantage.control == control.advantage.value
    assert found.hits[0.001].control == control.hits[0.001].value and found.hits[0.001].chance == 0.001

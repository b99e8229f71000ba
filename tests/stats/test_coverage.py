"""Intervals hold the truth as often as they say: some kinds, few cohorts; `benchmarks/interval_coverage.py` has all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import Ascending, Medians, mean_replicates, replicates, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share, strongest

TRIALS, PATIENTS = 400, 40


def held(intervals: list[Estimate], truth: float) -> float:
    return float(np.mean([each.low <= truth <= each.high for each in intervals]))


def test_a_change_that_nobody_showed_may_still_happen() -> None:
    """Three in a hundred lose: a third of cohorts shows none of them, and redraws alone would be certain of zero."""
    found = []
    for seed in range(TRIALS):
        rng = np.random.default_rng([seed, 1])
        weights = unit_weights(PATIENTS, redraws=200, seed=seed)
        before = rng.random(PATIENTS) < 0.3
        after = before & (rng.random(PATIENTS) >= 0.1)
        one, other = (share(each.astype(float), np.arange(PATIENTS), weights) for each in (before, after))
        found.append(other.minus(one))
    assert 0.93 <= held(found, -0.03) <= 1.0
    assert held(found, -0.2) < 0.2


def test_few_units_make_a_mean_less_sure_than_redraws_say() -> None:
    found = []
    for seed in range(TRIALS):
        values = np.random.default_rng([seed, 2]).normal(size=12)
        draws = mean_replicates(values, np.arange(12), unit_weights(12, redraws=400, seed=seed))
        found.append(Estimate.from_replicates(float(values.mean()), draws, n=12, units=12))
    assert 0.93 <= held(found, 0.0) <= 0.99  # plain percentiles hold it in 91 %


def test_an_auroc_near_one_is_not_surer_than_few_patients_make_it() -> None:
    """Redraws alone hold the truth in 87 % of such cohorts."""
    found = []
    truth = float(norm.cdf(3 / np.sqrt(2)))
    for seed in range(150):
        rng = np.random.default_rng([seed, 4])
        positive = np.arange(60) < 15
        auc = WeightedAUC(rng.normal(size=60) + 3 * positive, positive)
        draws = replicates(auc, unit_weights(60, redraws=200, seed=seed))
        found.append(honest_auc(Estimate.from_replicates(auc(), draws, n=60, units=60), 15))
    assert held(found, truth) >= 0.93
    assert held(found, 0.7) < 0.3


@pytest.mark.parametrize("patients", [12, 40, 101])
def test_a_median_lies_between_its_exact_ends(patients: int) -> None:
    held = 0
    for seed in range(TRIALS):
        values = np.random.default_rng([seed, 5]).exponential(size=(patients, 1))
        ends = Medians(Ascending(values), np.arange(patients), patients).ends
        held += ends[0, 0] <= np.log(2) <= ends[1, 0]
    assert 0.93 <= held / TRIALS <= 0.99


@pytest.mark.parametrize("patients", [40, 100])
def test_the_strongest_of_three_is_not_called_stronger_than_it_is(patients: int) -> None:
    found = []
    for seed in range(TRIALS):
        luck = np.random.default_rng([seed, 3]).random((3, patients))
        weights = unit_weights(patients, redraws=200, seed=seed)
        each = {str(at): share((row < 0.3).astype(float), np.arange(patients), weights) for at, row in enumerate(luck)}
        found.append(strongest(each)[1])
    assert 0.93 <= held(found, 0.3) <= 0.995
    assert np.mean([each.low > 0.3 for each in found]) <= 0.03

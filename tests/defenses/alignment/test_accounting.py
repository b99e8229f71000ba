from __future__ import annotations

import math

import pytest
from scipy.stats import binom, norm

from medveil.defenses.alignment import accounting
from medveil.defenses.alignment.accounting import Spending, epsilon, noise_for
from medveil.defenses.alignment.group_privacy import patient_epsilon
from medveil.errors import SettingsError

PUBLISHED = {"sampling": 128 / 153_255, "steps": 5_986}
DELTA = 6e-6


def test_published_setting_by_both_accountants() -> None:
    assert epsilon([Spending(1.41, **PUBLISHED)], DELTA, "rdp") == pytest.approx(0.34, rel=0.02)
    assert epsilon([Spending(0.96, **PUBLISHED)], DELTA, "pld") == pytest.approx(0.34, rel=0.02)
    assert noise_for(0.34, DELTA, accountant="rdp", **PUBLISHED) == pytest.approx(1.41, rel=0.02)


def test_one_full_step_is_the_gaussian_mechanism() -> None:
    """Against the closed form of δ(ε) for one Gaussian release."""
    noise, delta = 2.0, 1e-4
    found = epsilon([Spending(noise, 1.0, 1)], delta)
    exact = norm.cdf(1 / (2 * noise) - found * noise) - math.exp(found) * norm.cdf(-1 / (2 * noise) - found * noise)
    assert exact == pytest.approx(delta, rel=0.01)
    assert exact <= delta * (1 + 1e-9)


@pytest.mark.parametrize("accountant", ["pld", "rdp"])
def test_noise_for_reaches_the_target_from_below(accountant: str) -> None:
    noise = noise_for(1.0, 1e-5, 0.05, 40, accountant)  # type: ignore[arg-type]
    cost = epsilon([Spending(noise, 0.05, 40)], 1e-5, accountant)  # type: ignore[arg-type]
    assert 0.995 < cost <= 1.0


def test_runs_add_up() -> None:
    one, two = Spending(2.0, 0.1, 20), Spending(3.0, 0.2, 10)
    for accountant in ("pld", "rdp"):
        together = epsilon([one, two], 1e-5, accountant)  # type: ignore[arg-type]
        apart = [epsilon([run], 1e-5, accountant) for run in (one, two)]  # type: ignore[arg-type]
        assert max(apart) < together < 1.05 * sum(apart)
    twice = epsilon([one, one], 1e-5)
    assert twice == pytest.approx(epsilon([Spending(2.0, 0.1, 40)], 1e-5), rel=1e-6)
    assert epsilon([], 1e-5) == 0


def test_a_patient_with_ten_studies_has_less_privacy() -> None:
    spending = Spending(1.4, **PUBLISHED)
    assert patient_epsilon(spending, 10, DELTA) == pytest.approx(2.2, rel=0.03)
    assert patient_epsilon(spending, 1, DELTA) == epsilon([spending], DELTA)


def test_patient_epsilon_equals_the_library() -> None:
    from dp_accounting.pld import privacy_loss_distribution

    shares = binom.pmf(range(4), 3, 0.05).tolist()
    peer = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        2.0, [0, 1, 2, 3], shares, value_discretization_interval=1e-3
    )
    expected = peer.self_compose(30).get_epsilon_for_delta(1e-5)
    assert patient_epsilon(Spending(2.0, 0.05, 30), 3, 1e-5) == pytest.approx(expected, rel=1e-4)


def test_pairs_that_always_take_part_are_one_larger_step() -> None:
    assert patient_epsilon(Spending(8.0, 1.0, 5), 4, 1e-5) == pytest.approx(
        epsilon([Spending(2.0, 1.0, 5)], 1e-5), rel=2e-3
    )


def test_patient_epsilon_grows_with_the_pairs() -> None:
    costs = [patient_epsilon(Spending(1.4, **PUBLISHED), pairs, DELTA) for pairs in (1, 2, 5, 10, 50)]
    assert costs == sorted(costs) and costs[-1] > 10


@pytest.mark.parametrize("bad", [(0.0, 0.1, 1), (1.0, 0.0, 1), (1.0, 1.1, 1), (1.0, 0.1, 0), (math.nan, 0.1, 1)])
def test_senseless_spending_is_refused(bad: tuple[float, float, int]) -> None:
    with pytest.raises(SettingsError):
        Spending(*bad)


def test_senseless_targets_are_refused() -> None:
    for target, delta in ((0.0, 1e-5), (math.inf, 1e-5), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(SettingsError):
            noise_for(target, delta, 0.1, 10, "rdp")


def test_many_short_rounds_cost_what_one_long_run_does_and_are_composed_as_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    composed: list[tuple[Spending, ...]] = []
    real = accounting._epsilon

    def watched(spendings: tuple[Spending, ...], delta: float, how: accounting.Accountant) -> float:
        composed.append(spendings)
        return real(spendings, delta, how)

    monkeypatch.setattr(accounting, "_epsilon", watched)
    long = epsilon([Spending(1.1, 0.05, 60), Spending(2.0, 0.05, 5)], 1e-5)
    short = [Spending(1.1, 0.05, 20), Spending(2.0, 0.05, 5), Spending(1.1, 0.05, 20), Spending(1.1, 0.05, 20)]
    assert epsilon(short, 1e-5) == pytest.approx(long, rel=1e-6)
    assert composed == [(Spending(1.1, 0.05, 60), Spending(2.0, 0.05, 5))] * 2

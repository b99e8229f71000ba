"""Curves that are known are found again, also far beyond what was measured."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaln

from medveil.attacks.linkage.extrapolation import Extrapolation, curve_sizes
from medveil.stats.estimate import Estimate
from medveil.stats.pools import random_pools
from medveil.stats.ranks import Ranks

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 20_000)


def beta_curve(a: float, b: float, sizes: np.ndarray) -> np.ndarray:
    """E[(1 - p)^(N - 1)] over beta-distributed p."""
    return np.exp(betaln(a, b + sizes - 1) - betaln(a, b))


def estimates(values: np.ndarray, spread: float = 0.01) -> list[Estimate]:
    rng = np.random.default_rng(0)
    factors = np.exp(spread * rng.standard_normal((200, 1)))
    return [Estimate.from_replicates(v, v * factors[:, 0], n=5000, units=5000) for v in values]


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.8, 6.0), (0.4, 2.0)])
def test_a_beta_curve_is_recovered(a: float, b: float) -> None:
    fit = Extrapolation.fit(SIZES, estimates(beta_curve(a, b, np.array(SIZES))))
    assert fit is not None and abs(fit.errors["beta"]) < 1e-6
    assert fit.model == "beta" or a == 1  # chance is a power law too
    for size in (100_000, 10_000_000):
        found = fit.at(size)
        assert found.value == pytest.approx(float(beta_curve(a, b, np.array(size))), rel=1e-3)
        assert found.low < found.value < found.high
        assert found.chance == 1 / size


def test_a_power_law_is_recovered() -> None:
    values = 0.4 * np.array(SIZES) ** -0.7
    fit = Extrapolation.fit(SIZES, estimates(values))
    assert fit is not None and abs(fit.errors["power law"]) < 1e-9
    assert fit.model == "power law"
    assert fit.at(10**6).value == pytest.approx(0.4 * 10**-4.2, rel=1e-6)


def test_redraws_without_a_success_are_left_out_whatever_rounding_makes_of_them() -> None:
    def fitted(left: float) -> Estimate:
        found = estimates(0.4 * np.array(SIZES) ** -0.7)
        last = found[-1].replicates
        assert last is not None
        last[:5] = left * found[-1].value
        fit = Extrapolation.fit(SIZES, found)
        assert fit is not None
        return fit.at(10**6)

    assert fitted(1e-8) == fitted(-1e-8) == fitted(0.0)


def test_who_fails_the_check_is_less_certain_the_farther_it_goes() -> None:
    """A curve that bends as neither model does: the error of the check widens the interval step by step."""
    sizes = np.array(SIZES, dtype=float)
    values = 0.5 * np.exp(-0.1 * np.log(sizes) ** 1.5)
    fit = Extrapolation.fit(SIZES, estimates(values, spread=1e-6))
    assert fit is not None and abs(fit.errors[fit.model]) > 0.01
    near, far = (np.log(e.value / e.low) for e in (fit.at(200_000), fit.at(2_000_000)))
    assert far == pytest.approx(2 * near, rel=0.05)


def test_a_sample_foretells_the_whole() -> None:
    """Queries whose rivals beat them with beta-distributed chance, measured with 4,000 candidates."""
    rng = np.random.default_rng(1)
    others = 3_999
    above = rng.binomial(others, rng.beta(0.6, 3.0, size=4_000))
    ranks = Ranks(above[:, None], np.zeros((4_000, 1), np.int64), np.full((4_000, 1), others))
    sizes = (*curve_sizes(others + 1), others + 1)
    found = []
    for size in sizes:
        values = random_pools(ranks, size).values[:, 0]
        draws = np.random.default_rng(2).integers(4_000, size=(200, 4_000))
        found.append(Estimate.from_replicates(values.mean(), values[draws].mean(axis=1), n=4_000, units=4_000))
    fit = Extrapolation.fit(sizes, found)
    assert fit is not None
    later = fit.at(1_000_000)
    assert later.low < float(beta_curve(0.6, 3.0, np.array(1_000_000))) < later.high


@pytest.mark.parametrize("seed", range(6))
def test_cases_that_resemble_no_other_are_never_extrapolated_away(seed: int) -> None:
    """One case in nine is beaten by nobody, in any database; the others are as good as guessed."""
    n, rng = 1_000, np.random.default_rng(seed)
    unique = rng.random(n) < 1 / 9
    above = np.where(unique, 0, rng.binomial(n - 1, rng.beta(0.7, 2.0, size=n)))
    ranks = Ranks(above[:, None], np.zeros((n, 1), np.int64), np.full((n, 1), n - 1))
    sizes = (*curve_sizes(n), n)
    draws = np.random.default_rng(2).integers(n, size=(200, n))
    values = [random_pools(ranks, size).values[:, 0] for size in sizes]
    found = [Estimate.from_replicates(v.mean(), v[draws].mean(axis=1), n=n, units=n) for v in values]
    fit = Extrapolation.fit(sizes, found)
    assert fit is not None
    for size in (10**5, 10**7):
        later = fit.at(size)
        assert later.high >= found[-1].high > 1 / 9 - 0.02, "never below what was measured at hand"
        assert later.scenario and later.low <= later.value <= later.high


def test_too_little_is_not_extrapolated() -> None:
    assert Extrapolation.fit((3, 10, 30, 100), estimates(np.array([0.6, 0.5, 0.3, 0.1]))) is None
    assert Extrapolation.fit((3, 10, 30, 300), estimates(np.array([0.5, 0.3, 0.1, 0.0]))) is None
    assert curve_sizes(3_000) == (3, 10, 30, 100, 300, 1_000)

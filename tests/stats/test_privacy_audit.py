from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from medveil.stats.privacy_audit import audit_one_run, epsilon_bound, p_value


def _randomised_response(m: int, epsilon: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Tells each coin, and lies with the chance that makes it exactly epsilon-private."""
    included = rng.random(m) < 0.5
    truthful = rng.random(m) < 1 / (1 + math.exp(-epsilon))
    return np.where(truthful, included, ~included) + 1e-9 * rng.random(m), included


def _gaussian(m: int, sigma: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Each canary's own noisy coordinate: the Gaussian mechanism at sensitivity 1."""
    included = rng.random(m) < 0.5
    return included + rng.normal(0, sigma, m), included


def _gaussian_epsilon(sigma: float, delta: float) -> float:
    """The exact epsilon of the Gaussian mechanism, from its privacy profile."""
    low, high = 0.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        profile = norm.cdf(0.5 / sigma - middle * sigma) - math.exp(middle) * norm.cdf(-0.5 / sigma - middle * sigma)
        low, high = (middle, high) if profile > delta else (low, middle)
    return high


@pytest.mark.parametrize("epsilon", [0.0, 0.34, 1.0, 3.0])
def test_the_bound_stays_below_the_truth_as_often_as_it_says(epsilon: float) -> None:
    rng = np.random.default_rng(int(100 * epsilon))
    bounds = [audit_one_run(*_randomised_response(500, epsilon, rng), delta=0).lower for _ in range(150)]
    assert np.mean(np.array(bounds) > epsilon) < 0.06


@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_the_bound_stays_below_the_gaussian_mechanism(sigma: float) -> None:
    rng = np.random.default_rng(1)
    truth = _gaussian_epsilon(sigma, 1e-5)
    bounds = [audit_one_run(*_gaussian(800, sigma, rng), delta=1e-5).lower for _ in range(30)]
    assert max(bounds) < truth
    assert sigma > 1 or min(bounds) > 0.8  # a leaky one is seen every time


def test_a_leaky_run_is_found_out() -> None:
    rng = np.random.default_rng(2)
    tight = audit_one_run(*_randomised_response(5000, 3.0, rng), delta=1e-6)
    assert 2.7 < tight.lower < 3.0
    assert tight.refutes(0.34) and not tight.refutes(3.0)
    open_book = audit_one_run(*_gaussian(1000, 1e-3, rng), delta=6e-6)
    assert open_book.accuracy.value > 0.98
    assert open_book.lower > 4.5


def test_the_most_an_audit_could_have_proved_is_what_an_open_book_proves() -> None:
    rng = np.random.default_rng(5)
    blind = audit_one_run(rng.normal(size=1000), rng.random(1000) < 0.5, delta=6e-6)
    coins = np.arange(1000) % 2 == 0
    all_right = audit_one_run(coins.astype(float), coins, delta=6e-6)
    assert blind.lower < 0.3 and blind.most == pytest.approx(all_right.lower)
    assert 4.5 < blind.most < 6 and blind.to_json()["most"] == blind.most
    few = audit_one_run(rng.normal(size=6), rng.random(6) < 0.5, delta=6e-6)
    assert not few.could_refute(1.0) and blind.could_refute(1.0)


def test_the_surest_guesses_prove_what_all_of_them_hide() -> None:
    rng = np.random.default_rng(3)
    included = rng.random(1600) < 0.5
    scores = rng.normal(size=1600)
    scores[:100] = np.where(included[:100], 10, -10)  # one canary in sixteen gives itself away
    assert audit_one_run(scores, included, delta=0, guessed=[1.0]).lower < 0.5
    best = audit_one_run(scores, included, delta=0)
    assert best.guesses == 100
    assert best.lower > 2


def test_delta_is_paid_for() -> None:
    """Gives a random canary away with a chance of delta each: (0, delta)-private, and never called more than that."""
    rng = np.random.default_rng(4)
    delta, m = 1e-4, 200
    bounds = []
    for _ in range(400):
        included = rng.random(m) < 0.5
        leaked = rng.random(m) < delta
        bounds.append(audit_one_run(np.where(leaked, 2.0 * included - 1, 0.0), included, delta=delta).lower)
    assert np.mean(np.array(bounds) > 0) < 0.06
    assert epsilon_bound(1000, 100, 90, delta=1e-4, error=0.05) < epsilon_bound(1000, 100, 90, delta=0, error=0.05)


def test_known_answers() -> None:
    assert p_value(10, 10, 10, epsilon=0, delta=0) == pytest.approx(2**-10)
    assert epsilon_bound(10, 10, 10, delta=0, error=0.05) == pytest.approx(
        math.log(0.05**0.1 / (1 - 0.05**0.1)), abs=1e-5
    )
    assert epsilon_bound(10, 10, 5, delta=0, error=0.05) == 0.0


@given(st.integers(1, 60), st.floats(0, 1), st.floats(0, 5), st.floats(0, 5), st.floats(0, 0.004))
def test_a_larger_epsilon_is_never_refuted_first(r: int, share: float, one: float, other: float, delta: float) -> None:
    correct = round(share * r)
    low, high = sorted((one, other))
    assert (
        p_value(60, r, correct, epsilon=low, delta=delta) <= p_value(60, r, correct, epsilon=high, delta=delta) + 1e-9
    )


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(ValueError, match="two canaries"):
        audit_one_run(np.zeros(1), np.zeros(1, bool), delta=0)
    with pytest.raises(ValueError, match="fewer canaries"):
        audit_one_run(np.zeros(100), np.zeros(100, bool), delta=0.01)

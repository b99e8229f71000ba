from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from medveil.attacks.identity.calibration import Calibration, CalibrationError, reliability
from medveil.weights.bundled import bundled, read_card


def simulated(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Similarities of which the true likelihood ratio is known: beta-distributed cosines."""
    return 2 * rng.beta(9, 3, n) - 1, 2 * rng.beta(4, 5, n) - 1


def test_probabilities_hold_on_pairs_not_fitted_to() -> None:
    rng = np.random.default_rng(0)
    calibration = Calibration.fit(*simulated(rng, 4000))
    same, other = simulated(rng, 20_000)
    scores, true = np.r_[same, other], np.repeat([True, False], 20_000)
    stated = calibration.probability(scores, prior=0.5)
    assert CalibrationError(stated, true)() < 0.01
    assert CalibrationError(np.where(stated > 0.5, 0.99, 0.01), true)() > 0.05  # an overconfident one is told
    x, y = reliability(stated, true, np.ones(len(true)))
    assert np.abs(x - y).max() < 0.05


@pytest.mark.parametrize("share", [0.5, 0.05, 0.005])
def test_the_prior_is_what_it_says(share: float) -> None:
    """With the right prior, probabilities hold in a population where matches are rare."""
    rng = np.random.default_rng(1)
    calibration = Calibration.fit(*simulated(rng, 4000))
    same, other = simulated(rng, 100_000)
    same = same[: int(len(other) * share / (1 - share))]
    scores, true = np.r_[same, other], np.arange(len(same) + len(other)) < len(same)
    assert CalibrationError(calibration.probability(scores, prior=share), true)() < 0.01


def test_fits_as_scikit_learn_does() -> None:
    same, other = simulated(np.random.default_rng(2), 500)
    ours = Calibration.fit(same, other)
    share = (1 + np.r_[same, other]) / 2
    features = np.stack([np.log(share), -np.log1p(-share)], axis=1)
    theirs = LogisticRegression(C=1e6, tol=1e-8, max_iter=5000).fit(features, np.repeat([1, 0], 500))
    assert [ours.a, ours.b] == pytest.approx(theirs.coef_[0], abs=0.05)
    assert ours.c == pytest.approx(theirs.intercept_[0], abs=0.05)


@given(st.floats(0, 20), st.floats(0, 20), st.floats(-5, 5), st.floats(1e-6, 1 - 1e-6))
def test_more_alike_is_never_less_probable(a: float, b: float, c: float, prior: float) -> None:
    stated = Calibration(a, b, c).probability(np.linspace(-1, 1, 101), prior)
    assert (np.diff(stated) >= -1e-12).all() and ((stated >= 0) & (stated <= 1)).all()


def test_separated_scores_stay_finite_and_survive_json() -> None:
    calibration = Calibration.fit(np.full(30, 0.9), np.full(30, -0.2))
    assert np.isfinite(list(calibration.to_json().values())).all()
    assert Calibration.from_json(calibration.to_json()) == calibration
    low, high = calibration.probability(np.array([-0.2, 0.9]), 0.5)
    assert low < 0.05 and high > 0.95
    assert calibration.probability(np.array([0.9]), 0.1)[0] == pytest.approx(expit(logit(high) + logit(0.1)))


def test_error_of_known_answers() -> None:
    error = CalibrationError(np.array([0.25, 0.25, 0.85, 0.85]), np.array([False, True, True, True]))
    assert error() == pytest.approx((0.5 + 0.3) / 4)
    assert error(np.array([1.0, 0.0, 0.0, 0.0])) == pytest.approx(0.25)


def test_the_bundled_network_brings_a_calibration() -> None:
    calibration = Calibration.from_json(read_card(bundled("reidentification"))["calibration"])
    low, middle, high = calibration.probability(np.array([0.2, 0.6, 0.95]), prior=0.5)
    assert low < 0.1 < middle < 0.99 < high

from __future__ import annotations

import math

import numpy as np
import pytest

from medveil.attacks.membership.limits import PrivacyLimit
from medveil.errors import SettingsError


def test_nothing_is_allowed_without_a_budget_and_everything_with_a_huge_one() -> None:
    assert PrivacyLimit(0, 0).advantage == 0 and PrivacyLimit(0, 0).hits(0.01) == pytest.approx(0.01)
    assert PrivacyLimit(1000, 0).advantage == 1 and PrivacyLimit(1000, 0).hits(1e-9) == 1


def test_the_advantage_is_the_largest_gap_under_the_curve() -> None:
    for epsilon, delta in ((0.5, 1e-5), (1.0, 0.01), (3.0, 1e-5), (8.0, 1e-3)):
        limit = PrivacyLimit(epsilon, delta)
        gaps = [limit.hits(rate) - rate for rate in np.linspace(0, 1, 20_001)]
        assert max(gaps) == pytest.approx(limit.advantage, abs=1e-4)
        assert limit.advantage == pytest.approx((math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1))


def test_randomised_response_reaches_the_limit() -> None:
    """It tells the truth with probability e^ε / (1 + e^ε): no attacker gains more than it gives away."""
    for epsilon in (0.3, 1.0, 2.5):
        truth = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert PrivacyLimit(epsilon, 0).hits(1 - truth) == pytest.approx(truth)


def test_numbers_that_are_no_budget_are_refused() -> None:
    for epsilon, delta in ((-1, 0), (math.nan, 0), (math.inf, 0), (1, 1.0), (1, -0.1)):
        with pytest.raises(SettingsError, match="epsilon"):
            PrivacyLimit(epsilon, delta)

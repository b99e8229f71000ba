from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.membership.signals import Pairs, best_temperature, pair_signals


def _pairs(count: int, noise: float, seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    images = rng.normal(size=(count, 16))
    reports = images + noise * rng.normal(size=images.shape)
    unit = [(each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float32) for each in (images, reports)]
    return Pairs(unit[0], unit[1], np.arange(count) // 2)


def test_the_odds_are_those_of_the_right_report_among_the_crowd() -> None:
    pairs, crowd = _pairs(6, 1.5, 1), _pairs(40, 1.5, 2)
    found = pair_signals(pairs, crowd, 3)
    warm = best_temperature(crowd)
    own = np.exp((pairs.images * pairs.reports).sum(1) / warm)
    to_reports = np.exp(pairs.images @ crowd.reports.T / warm).sum(1)
    to_images = np.exp(pairs.reports @ crowd.images.T / warm).sum(1)
    likely = (np.log(own / (own + to_reports)) + np.log(own / (own + to_images))) / 2
    assert found.likelihood == pytest.approx(likely.reshape(3, 2).mean(1), rel=1e-4)
    odds = (np.log(own / to_reports) + np.log(own / to_images)) / 2
    assert found.odds[0] == pytest.approx(odds.reshape(3, 2).mean(1), rel=1e-4)
    assert found.similarity == pytest.approx((pairs.images * pairs.reports).sum(1).reshape(3, 2).mean(1), rel=1e-4)


def test_a_model_that_links_well_is_read_cold_and_one_that_does_not_warm() -> None:
    assert best_temperature(_pairs(200, 0.2, 1)) < best_temperature(_pairs(200, 5.0, 1))

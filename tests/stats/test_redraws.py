"""Fast redraws against the multiset they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.stats import bootstrap
from medveil.stats.bootstrap import Ascending, Floats, Means, Medians, Redraws, Singles

UNITS = 60


@pytest.fixture(scope="module")
def values() -> Floats:
    rng = np.random.default_rng(3)
    columns = rng.random((200, 4))
    columns[:, 1] = np.round(columns[:, 1] * 4)  # ties
    columns[:, 2] = 0.3
    return columns


@pytest.fixture(scope="module")
def codes() -> np.ndarray:
    drawn = np.random.default_rng(4).integers(0, UNITS - 2, size=200)  # two units have no value
    return drawn.astype(np.intp)


def weights(redraws: int = 120) -> Singles:
    found = Redraws(UNITS, redraws=redraws, seed=9).of(lambda block: block.astype(np.float64))
    return found[0].astype(np.float32)


@pytest.mark.parametrize("chunk", [2**14, 7])
def test_every_redraw_draws_as_many_units_as_there_are(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "_CHUNK", chunk)
    drawn = weights()
    assert drawn.shape == (120, UNITS)
    assert (drawn.sum(axis=1) == UNITS).all()
    assert (drawn == np.round(drawn)).all() and drawn.min() == 0
    many = weights(4000)
    assert many.mean(axis=0) == pytest.approx(np.ones(UNITS), abs=0.08)
    assert many.var() == pytest.approx(1 - 1 / UNITS, rel=0.02)
    # of a fixed total, two counts go apart: a Poisson bootstrap's would not
    covariance = np.cov(many.T)
    apart = covariance[~np.eye(UNITS, dtype=bool)]
    assert apart.mean() == pytest.approx(-1 / UNITS, abs=2e-3)


def test_means_and_medians_are_those_of_the_redrawn_values(values: Floats, codes: np.ndarray) -> None:
    drawn = weights()
    means, medians = Means([values[:, :1], values[:, 1:]], codes, UNITS), Medians(Ascending(values), codes, UNITS)
    assert means.value == pytest.approx(values.mean(axis=0))
    assert medians.value == pytest.approx(np.median(values, axis=0))
    for row, mean, median in zip(drawn, means(drawn), medians(drawn), strict=True):
        redrawn = values[np.repeat(np.arange(200), row[codes].astype(int))]
        assert mean == pytest.approx(redrawn.mean(axis=0), rel=1e-5)
        assert median == pytest.approx(np.median(redrawn, axis=0), abs=0)


def test_a_median_that_moves_far_is_still_right() -> None:
    """One unit holds half of the values, so that the middle is passed before counting begins."""
    values = np.arange(4000.0)[:, None]
    codes = np.where(np.arange(4000) < 2000, np.arange(4000) % 50, 50).astype(np.intp)
    medians = Medians(Ascending(values), codes, 51)
    medians._start = 1900
    medians._counts[:, 1] = np.bincount(codes[:1900], minlength=51)
    rows = Redraws(51, redraws=80, seed=1).of(lambda block: np.c_[block.astype(np.float64), medians(block)])[0]
    for row in rows:
        redrawn = np.repeat(values[:, 0], row[:51][codes].astype(int))
        assert row[51] == np.median(redrawn)
    assert rows[:, 51].min() < 1900


def test_members_alone_count(values: Floats, codes: np.ndarray) -> None:
    members = np.zeros((200, 4), dtype=bool)
    members[:50, 0], members[20:160, 1], members[:, 2], members[:2, 3] = True, True, True, True
    means = Means([values], codes, UNITS, members=members)
    drawn = weights()
    for row, mean in zip(drawn, means(drawn), strict=True):
        times = row[codes].astype(int)
        for column in range(4):
            redrawn = np.repeat(values[:, column], times * members[:, column])
            truth = redrawn.mean() if len(redrawn) else np.nan
            assert mean[column] == pytest.approx(truth, rel=1e-5, nan_ok=True)
    assert np.isnan(means(drawn)[:, 3]).any(), "a group nobody of whom is drawn has no mean"


def test_what_is_constant_stays_so(values: Floats, codes: np.ndarray) -> None:
    (found,) = Redraws(UNITS, seed=2).of(Means([values], codes, UNITS))
    assert (found[:, 2] == found[0, 2]).all() and found[:, 0].std() > 0


def test_draws_follow_from_seed_and_units_alone(values: Floats, codes: np.ndarray) -> None:
    (one,) = Redraws(UNITS, redraws=90, seed=5).of(Means([values], codes, UNITS))
    (alone,) = Redraws(UNITS, redraws=90, seed=5).of(Means([values[:, :1]], codes, UNITS))
    (other,) = Redraws(UNITS, redraws=90, seed=6).of(Means([values], codes, UNITS))
    assert one[:, 0] == pytest.approx(alone[:, 0], rel=1e-6)
    assert not np.allclose(one[:, 0], other[:, 0])

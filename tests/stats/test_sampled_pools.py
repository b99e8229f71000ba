"""Drawn pools against exact expectation: two ways that share nothing but the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from medveil.errors import SettingsError
from medveil.stats.matched_pools import matched_pools
from medveil.stats.pools import random_pools
from medveil.stats.ranks import rank_pairs
from medveil.stats.sampled_pools import Pool, sampled_pools

N = 240


@pytest.fixture(scope="module")
def pairs() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(N, 6))
    images, reports = (shared + 1.5 * rng.normal(size=(N, 6)) for _ in range(2))
    reports[:50] = reports[0]  # identical reports
    reports[50:80] = reports[50]
    return {
        "images": images.astype(np.float32),
        "reports": reports.astype(np.float32),
        "profiles": rng.random((N, 3)) < 0.4,
        "exclude": np.arange(N) // 2,
    }


@pytest.mark.parametrize("matched", [False, True])
@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_sampled_and_exact_agree_within_their_error(pairs: Any, matched: bool, excluded: bool, ties: Any) -> None:
    profiles = pairs["profiles"] if matched else None
    exclude = pairs["exclude"] if excluded else None
    ranks = rank_pairs(pairs["images"], pairs["reports"], profiles=profiles, exclude=exclude)
    sides = (pairs["images"], pairs["reports"]), (pairs["reports"], pairs["images"])
    for (queries, gallery), rank in zip(sides, ranks, strict=True):
        pools = [Pool(size, matched) for size in (12, 60, 200, None)]
        found = sampled_pools(queries, gallery, pools, profiles=profiles, exclude=exclude, ties=ties, seed=4)
        for (size, _), drawn in zip(pools, found, strict=True):
            exact = (matched_pools if matched else random_pools)(rank, size, ties=ties)
            apart = drawn.values - exact.values
            error = apart.std(axis=0) / np.sqrt(N)
            assert (np.abs(apart.mean(axis=0)) <= 4.5 * error + 1e-12).all()
            assert (drawn.size == exact.size).all()
            if size is None:
                assert drawn.values == pytest.approx(exact.values, abs=1e-12)
                assert drawn.rank == pytest.approx(exact.rank)


def test_the_same_seed_draws_the_same_pools(pairs: Any) -> None:
    draws = [sampled_pools(pairs["images"], pairs["reports"], [Pool(20)], seed=seed) for seed in (1, 1, 2)]
    one, same, other = (drawn[0].values for drawn in draws)
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_too_large_a_pool_is_refused(pairs: Any) -> None:
    with pytest.raises(SettingsError, match="larger than what there is"):
        sampled_pools(pairs["images"], pairs["reports"], [Pool(N + 1)], seed=1)

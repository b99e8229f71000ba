"""No factorisation on the way of `protect alignment` gives up, whatever the features are like."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from medveil.attacks.linkage.extrapolation import _least_squares
from medveil.attacks.refit.correlation import correlation_heads
from medveil.attacks.refit.pairs import SeenPairs
from medveil.attacks.refit.settings import RefitSettings
from medveil.defenses.alignment.baselines import erase_shared_directions
from medveil.defenses.alignment.heads import heads_from_projections
from medveil.errors import MedveilError

WIDTH = 6
KINDS = (
    *("plain", "zeros", "all the same", "rank one", "few distinct", "ill-conditioned", "one outlier"),
    *("denormal", "huge", "infinite", "not a number"),
)


def odd(kind: str, rows: int, rng: np.random.Generator) -> NDArray[np.float32]:
    plain = rng.normal(size=(rows, WIDTH))
    one = np.zeros((rows, WIDTH))
    one[0, 0] = 1
    with np.errstate(over="ignore"):
        made = {
            "plain": plain,
            "zeros": np.zeros_like(plain),
            "all the same": np.ones_like(plain) * plain[0],
            "rank one": np.outer(plain[:, 0], plain[0]),
            "few distinct": plain[rng.integers(0, 2, rows)],
            "ill-conditioned": plain * np.geomspace(1e-30, 1e15, WIDTH),
            "one outlier": plain * 1e-20 + 1e18 * one,
            "denormal": plain * 1e-42,
            "huge": plain * 1e37,
            "infinite": plain + np.where(one > 0, np.inf, 0),
            "not a number": plain + np.where(one > 0, np.nan, 0),
        }[kind]
        return made.astype(np.float32)


@settings(max_examples=150)
@given(st.sampled_from(KINDS), st.sampled_from(KINDS), st.sampled_from([2, 3, 7, 40]), st.integers(0, 5))
def test_heads_are_numbers_or_refused_in_one_sentence(images: str, reports: str, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = odd(images, rows, rng), odd(reports, rows, rng)
    start = heads_from_projections(*(torch.from_numpy(rng.normal(size=(4, WIDTH))).float() for _ in range(2)))
    if np.isfinite(one).all() and np.isfinite(other).all():  # what is not is refused where features are read
        pairs = SeenPairs(one, other, np.arange(rows))
        for shrinkage in (*RefitSettings().shrinkages, 0.0):
            try:
                heads = correlation_heads(pairs, dim=4, shrinkage=shrinkage)
            except MedveilError:
                continue
            for made in (heads.images(one), heads.reports(other)):
                assert np.isfinite(made).all()
    try:
        with np.errstate(invalid="ignore"):
            erased = erase_shared_directions(start, one, other, directions=2, strength=1.0)
    except MedveilError:
        return
    assert all(torch.isfinite(parameter).all() for parameter in erased.parameters())


@pytest.mark.parametrize("value", [0.0, -1e-300, -1e300, -700.0, np.nan])
def test_a_curve_through_odd_points_is_found_or_left(value: float) -> None:
    logs = np.log(np.arange(2, 9.0))
    values = np.full((3, len(logs)), value)
    values[1] = np.linspace(-0.1, -3, len(logs))
    with np.errstate(all="ignore"):
        found = _least_squares(logs, values, np.zeros((3, 2)))
    assert np.isfinite(found).all()

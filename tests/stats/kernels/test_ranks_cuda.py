"""The kernels run where there is a CUDA device, or with TRITON_INTERPRET=1 where there is only Triton."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.errors import InputError, SettingsError
from medveil.stats.kernels.ranks_cuda import Tiling, count_pairs, halves, load, plan_rows, rounding
from medveil.stats.ranks import rank_pairs
from medveil.stats.scores import on_grid

seeds = st.integers(0, 2**32 - 1)


def unit(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    vectors = rng.standard_normal((rows, dim)) * 10.0 ** rng.integers(-6, 1, (rows, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if importlib.util.find_spec("triton") and os.environ.get("TRITON_INTERPRET") == "1":
        return "cpu"
    pytest.skip("needs a CUDA device, or Triton and TRITON_INTERPRET=1")


@given(seeds, st.integers(1, 300))
def test_halves_make_a_score_within_half_of_the_bound(seed: int, dim: int) -> None:
    """Before any rounding of sums, which has the other half."""
    rng = np.random.default_rng(seed)
    sides = [load(unit(rng, 20, dim), np.arange(20), "cpu") for _ in range(2)]
    one, other = ([side.high.double(), side.low.double()] for side in sides)
    scores = one[0] @ other[0].T + one[0] @ other[1].T + one[1] @ other[0].T
    exact = sides[0].exact.double() @ sides[1].exact.double().T
    error = (scores / (sides[0].scale * sides[1].scale) - exact).abs().max()
    assert error <= rounding(dim) / 2 * sides[0].longest * sides[1].longest


@given(st.floats(2.0**-20, 2.0**15, width=32), st.integers(-30, 10))
def test_halves_hold_22_bits(value: float, exponent: int) -> None:
    import torch

    rows = torch.tensor([[value]]) * 2.0**exponent
    high, low = halves(rows, 2.0**-exponent)
    assert abs(float(high.double() + low.double()) - value) <= 2.0**-22 * value + 2.0**-25


@given(seeds)
def test_the_device_rounds_to_the_same_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = unit(rng, 30, 9) * 10.0 ** rng.integers(-9, 9, (30, 1))
    order = rng.permutation(30)
    assert (load(vectors.astype(np.float32), order, "cpu").exact.numpy() == on_grid(vectors)[order]).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.sampled_from([4, 16]))
def test_a_block_holds_one_profile(words: list[int], block: int) -> None:
    profiles = np.array(words, dtype=np.uint64)
    plan = plan_rows(profiles, block)
    assert sorted(plan.layout[plan.layout >= 0]) == list(range(len(words)))
    kinds = np.unique(profiles)
    for rows, kind in zip(plan.layout.reshape(-1, block), plan.kinds, strict=True):
        assert (profiles[rows[rows >= 0]] == kinds[kind]).all()
    assert (plan.apart == [[bin(int(a) ^ int(b)).count("1") for b in kinds] for a in kinds]).all()


def test_what_cannot_be_scored_is_refused() -> None:
    vectors = np.ones((4, 3), np.float32)
    for value, message in ((np.nan, "not finite"), (0.0, "all zeros")):
        broken = vectors.copy()
        broken[2] = value
        with pytest.raises(InputError, match=message):
            load(broken, np.arange(4), "cpu")


def test_no_device_is_said_plainly() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a device")
    vectors = np.ones((4, 3), np.float32)
    with pytest.raises(SettingsError, match="no CUDA device"):
        rank_pairs(vectors, vectors, device="cuda")


@pytest.mark.parametrize("kind", ["plain", "copies", "whole", "collapsed"])
@pytest.mark.parametrize("dim", [24, 260])
def test_the_kernels_count_as_the_processor_does(kind: str, dim: int) -> None:
    rng = np.random.default_rng(0)
    images, reports = unit(rng, 60, dim), unit(rng, 60, dim)
    if kind == "copies":
        reports[30:] = reports[:30]
    if kind == "whole":
        images, reports = rng.integers(1, 3, (2, 60, 3)).astype(np.float32)
    if kind == "collapsed":
        images[:20], reports[:20] = 0.25, 0.25
    for labels, codes in ((0, np.arange(60)), (2, np.arange(60) // 2)):
        profiles = rng.random((60, labels)) < 0.4 if labels else None
        words = np.zeros(60, np.uint64) if profiles is None else profiles.astype(np.uint64) @ np.uint64([1, 2])
        one, other = rank_pairs(images, reports, profiles=profiles, exclude=codes)
        for tiling in (Tiling(32, 32, steps=2), Tiling(16, 32, steps=3)):
            found = count_pairs(images, reports, words, codes, labels + 1, device=device(), tiling=tiling)
            for mine, theirs in zip(found, (one.above, one.equal, other.above, other.equal), strict=True):
                assert (mine == theirs).all()

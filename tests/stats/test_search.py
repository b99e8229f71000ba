from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.errors import InputError
from medveil.stats.group_codes import matching_pairs
from medveil.stats.scores import on_grid, score_pairs
from medveil.stats.search import chance_of_match, count_above, nearest, nearest_is_match

blocks = st.tuples(st.integers(8, 90), st.integers(20, 170))
seeds = st.integers(0, 2**32 - 1)


def people(seed: int, *, unit: bool) -> tuple[np.ndarray, ...]:
    """Few distinct rows, so that ties abound; as integers their products are exact, as unit vectors they are not."""
    rng = np.random.default_rng(seed)
    n, m, d = rng.integers(1, (80, 160, 6 if not unit else 130))
    sides = [rng.integers(-1, 2, (rows, min(d, 3) if not unit else d)).astype(np.float32) for rows in (n, m)]
    if unit:
        sides = [side[rng.integers(len(side), size=len(side))] for side in sides]
        sides = [side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1) for side in sides]
    return *sides, rng.integers(0, 6, n), rng.integers(0, 6, m)


def exact_scores(queries: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """In whole numbers, which never round."""
    ours, theirs = ((on_grid(side).astype(np.float64) * 2.0**30).astype(np.int64) for side in (queries, gallery))
    return (ours @ theirs.T).astype(np.float64) / 2.0**60


@settings(max_examples=40)
@given(seeds, st.booleans(), st.integers(1, 200), blocks)
def test_nearest_equals_sorting_everything(seed: int, unit: bool, k: int, block: tuple[int, int]) -> None:
    queries, gallery, ours, theirs = people(seed, unit=unit)
    scores = exact_scores(queries, gallery)
    scores[ours[:, None] == theirs[None, :]] = -np.inf
    found, indices = nearest(queries, gallery, k, exclude=(ours, theirs), block=block)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    sorted_scores = np.take_along_axis(scores, order, axis=1)
    width = order.shape[1]
    assert (found[:, :width] == sorted_scores).all()
    assert (indices[:, :width] == np.where(sorted_scores > -np.inf, order, -1)).all()
    assert (indices[:, width:] == -1).all() and (found[:, width:] == -np.inf).all()


@settings(max_examples=40)
@given(seeds, st.booleans(), blocks)
def test_counts_equal_comparing_everything(seed: int, unit: bool, block: tuple[int, int]) -> None:
    queries, gallery, ours, theirs = people(seed, unit=unit)
    scores = exact_scores(queries, gallery)
    limits = scores[np.arange(len(queries)), np.arange(len(queries)) % len(gallery)]
    limits[0] = np.nan
    scores[ours[:, None] == theirs[None, :]] = -np.inf
    above, equal = count_above(queries, gallery, limits, exclude=(ours, theirs), block=block)
    assert (above == (scores > limits[:, None]).sum(axis=1)).all()
    assert (equal == (scores == limits[:, None]).sum(axis=1)).all()


def test_scores_are_inner_products_beyond_single_precision() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((200, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    left, right = rng.integers(200, size=(2, 500))
    truth = np.einsum("ij,ij->i", vectors[left].astype(float), vectors[right].astype(float))
    assert np.abs(score_pairs(vectors, vectors, left, right) - truth).max() < 2.0**-25


def test_no_result_depends_on_the_blocks() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((200, 96)).astype(np.float32)
    vectors[100:] = vectors[rng.integers(100, size=100)]  # copies tie, wherever they lie
    own = np.arange(200)
    limits = score_pairs(vectors, vectors, own, (own + 1) % 200)
    answers = [
        (*nearest(vectors, vectors, 5, exclude=own, block=block), *count_above(vectors, vectors, limits, block=block))
        for block in ((512, 4096), (1, 200), (200, 1), (37, 129))
    ]
    for answer in answers[1:]:
        assert all((one == other).all() for one, other in zip(answers[0], answer, strict=True))


def test_a_memory_mapped_gallery(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((9000, 16)).astype(np.float32)
    np.save(tmp_path / "gallery.npy", vectors)
    mapped = np.load(tmp_path / "gallery.npy", mmap_mode="r")
    queries = vectors[[8999, 17, 4100]]
    scores, indices = nearest(queries, mapped, 3, block=(2, 500))
    plain = np.argsort(-(queries @ vectors.T), axis=1)[:, :3]
    assert (indices == plain).all()
    assert (scores == nearest(queries, vectors, 3)[0]).all()


def test_a_collapsed_encoder_ties_with_everyone() -> None:
    vectors = np.full((600, 64), 0.125, np.float32)
    own = np.arange(600)
    scores, indices = nearest(vectors, vectors, 2, exclude=own)
    assert (scores == 1).all()
    assert (indices[2:] == [0, 1]).all() and (indices[0] == [1, 2]).all()
    above, equal = count_above(vectors, vectors, scores[:, 0], exclude=own)
    assert (above == 0).all() and (equal == 599).all()


def test_nothing_to_find() -> None:
    vectors = np.ones((3, 4), np.float32)
    assert (nearest(vectors, vectors, 2, exclude=np.zeros(3, int))[1] == -1).all()
    assert nearest(vectors, vectors[:0], 2)[1].tolist() == [[-1, -1]] * 3
    assert nearest(vectors[:0], vectors, 2)[1].shape == (0, 2)


def test_values_that_are_no_numbers_are_refused() -> None:
    vectors = np.ones((3, 4), np.float32)
    broken = vectors.copy()
    broken[1, 2] = np.nan
    with pytest.raises(InputError, match="not finite"):
        nearest(vectors, broken, 1)


def test_settings_of_torch_stay_as_they_were() -> None:
    import torch

    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    nearest(np.ones((3, 4), np.float32), np.ones((3, 4), np.float32), 1)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20))
def test_matching_pairs_equal_a_double_loop(rows: list[tuple[int, int]]) -> None:
    groups, studies = np.array(rows).T
    pairs = zip(*matching_pairs(groups, groups, studies), strict=True)
    n = range(len(rows))
    assert list(pairs) == [(i, j) for i in n for j in n if groups[i] == groups[j] and studies[i] != studies[j]]


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=25
)


def by_hand(vectors: np.ndarray, groups: np.ndarray, barred: np.ndarray, *, blind: bool) -> list[float]:
    """The definition, one row and one candidate at a time."""
    out = []
    for i in range(len(vectors)):
        candidates = [j for j in range(len(vectors)) if barred[j] != barred[i]]
        if not any(groups[j] == groups[i] for j in candidates):
            out.append(np.nan)
            continue
        scores = {j: 0.0 if blind else float(vectors[i] @ vectors[j]) for j in candidates}
        top = [j for j in candidates if scores[j] == max(scores.values())]
        out.append(sum(groups[j] == groups[i] for j in top) / len(top))
    return out


@given(rows, st.integers(1, 7))
def test_equals_brute_force_with_ties(case: list[tuple[int, int, int, int]], block: int) -> None:
    table = np.array(case)
    groups, barred = table[:, 0], table[:, 0] * 3 + table[:, 1]
    vectors = table[:, 2:].astype(np.float32)
    found = nearest_is_match(vectors, groups, barred, block=block)
    assert found == pytest.approx(by_hand(vectors, groups, barred, blind=False), nan_ok=True)
    assert chance_of_match(groups, barred) == pytest.approx(by_hand(vectors, groups, barred, blind=True), nan_ok=True)


def test_a_collapsed_encoder_scores_chance_not_perfection() -> None:
    groups = np.repeat(np.arange(10), 3)
    barred = np.arange(30)
    found = nearest_is_match(np.ones((30, 4), np.float32), groups, barred)
    assert found == pytest.approx(chance_of_match(groups, barred))

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN

from medveil.stats.bootstrap import unit_weights
from medveil.stats.retrieval import (
    Ties,
    best_match_ranks,
    blind_precisions_at_r,
    blind_ranks,
    cmc,
    mean_by_patient,
    precision_at_1,
    precisions_at_r,
)
from medveil.stats.search import chance_of_match, nearest_is_match

SIZES = (1, 2, 3, 5)
# person, study, and a vector of few values, so that ties abound
cases = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=7
)


def by_hand(relevant: list[bool], r: int) -> tuple[list[float], float, float]:
    """The definitions, on one list in its final order."""
    hits = [float(any(relevant[:k])) for k in SIZES]
    precisions = [sum(relevant[: i + 1]) / (i + 1) * relevant[i] for i in range(r)]
    return hits, sum(relevant[:r]) / r, sum(precisions) / r


def all_orders(scores: list[float], relevant: list[bool]) -> list[list[bool]]:
    """Every order that sorts the scores, ties in any order."""
    orders = []
    for order in permutations(range(len(scores))):
        ordered = [scores[i] for i in order]
        if ordered == sorted(ordered, reverse=True):
            orders.append([relevant[i] for i in order])
    return orders


@settings(max_examples=60)
@given(cases, st.sampled_from(["expected", "best", "worst"]))
def test_equals_brute_force_over_all_orders_of_ties(case: list[tuple[int, ...]], ties: Ties) -> None:
    table = np.array(case)
    groups, exclude = table[:, 0], table[:, 0] * 3 + table[:, 1]
    vectors = table[:, 2:].astype(np.float32)
    curve = cmc(best_match_ranks(vectors, vectors, groups, exclude=exclude), SIZES, ties=ties)
    r_precision, average = precisions_at_r(vectors, vectors, groups, exclude=exclude, ties=ties)
    over = {"expected": np.mean, "best": np.max, "worst": np.min}[ties]
    for i in range(len(case)):
        others = [j for j in range(len(case)) if exclude[j] != exclude[i]]
        relevant = [bool(groups[j] == groups[i]) for j in others]
        if not any(relevant):
            assert np.isnan([*curve[i], r_precision[i], average[i]]).all()
            continue
        orders = all_orders([float(vectors[i] @ vectors[j]) for j in others], relevant)
        results = [by_hand(order, sum(relevant)) for order in orders]
        assert curve[i] == pytest.approx(over([hits for hits, _, _ in results], axis=0))
        assert r_precision[i] == pytest.approx(over([one for _, one, _ in results]))
        assert average[i] == pytest.approx(over([one for _, _, one in results]))


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_equals_pytorch_metric_learning_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, rng.integers(1, 30) + 1, 60)
    vectors = rng.standard_normal((60, 8)) + rng.random() * rng.standard_normal((40, 8))[groups]
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    own = np.arange(60)
    calculator = AccuracyCalculator(
        include=("precision_at_1", "r_precision", "mean_average_precision_at_r"),
        k="max_bin_count",
        knn_func=CustomKNN(CosineSimilarity()),
        device=torch.device("cpu"),
    )
    theirs = calculator.get_accuracy(torch.from_numpy(vectors), torch.from_numpy(groups))
    r_precision, average = precisions_at_r(vectors, vectors, groups, exclude=own)
    first = precision_at_1(best_match_ranks(vectors, vectors, groups, exclude=own))
    assert np.nanmean(first) == pytest.approx(theirs["precision_at_1"])
    assert np.nanmean(r_precision) == pytest.approx(theirs["r_precision"])
    assert np.nanmean(average) == pytest.approx(theirs["mean_average_precision_at_r"])


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_with_ties_pytorch_metric_learning_lies_between_the_worst_and_the_best(seed: int) -> None:
    """It takes ties in whatever order they come; here they abound."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 6, 15), rng.integers(0, 6, 40)
    queries, gallery = (rng.choice([-0.5, 0.5], (len(each), 4)).astype(np.float32) for each in groups)
    calculator = AccuracyCalculator(
        include=("precision_at_1", "r_precision", "mean_average_precision_at_r"),
        k="max_bin_count",
        knn_func=CustomKNN(CosineSimilarity()),
        device=torch.device("cpu"),
    )
    theirs = calculator.get_accuracy(
        torch.from_numpy(queries), torch.from_numpy(groups[0]), torch.from_numpy(gallery), torch.from_numpy(groups[1])
    )
    ranks = best_match_ranks(queries, gallery, groups)
    bounds = []
    for ties in ("worst", "best"):
        r_precision, average = precisions_at_r(queries, gallery, groups, ties=ties)
        bounds.append([np.nanmean(cmc(ranks, (1,), ties=ties)), np.nanmean(r_precision), np.nanmean(average)])
    found = [theirs[name] for name in ("precision_at_1", "r_precision", "mean_average_precision_at_r")]
    assert (np.array(bounds[0]) <= np.array(found) + 1e-6).all()
    assert (np.array(found) <= np.array(bounds[1]) + 1e-6).all()


def test_a_collapsed_encoder_scores_chance() -> None:
    groups = np.repeat(np.arange(12), np.arange(1, 13))
    own = np.arange(len(groups))
    flat = np.ones((len(groups), 4), np.float32)
    ranks, blind = best_match_ranks(flat, flat, groups, exclude=own), blind_ranks(groups, exclude=own)
    assert cmc(ranks, SIZES) == pytest.approx(cmc(blind, SIZES), nan_ok=True)
    found, chance = precisions_at_r(flat, flat, groups, exclude=own), blind_precisions_at_r(groups, exclude=own)
    assert found[0] == pytest.approx(chance[0], nan_ok=True)
    assert found[1] == pytest.approx(chance[1], nan_ok=True)
    assert precision_at_1(blind) == pytest.approx(chance_of_match(groups, own), nan_ok=True)
    assert np.nanmean(chance[0]) < 0.2


def test_first_place_equals_the_nearest_neighbour() -> None:
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 20, 150)
    vectors = rng.integers(-1, 2, (150, 3)).astype(np.float32)
    own = np.arange(150)
    found = precision_at_1(best_match_ranks(vectors, vectors, groups, exclude=own))
    assert found == pytest.approx(nearest_is_match(vectors, groups, own), nan_ok=True)


def test_a_known_list() -> None:
    """Matches at places 1 and 3 of three matches: R-precision 2/3, average precision (1 + 2/3) / 3."""
    query = np.array([[1.0, 0.0]], np.float32)
    gallery = np.array([[0.9, 0], [0.8, 0], [0.7, 0], [0.6, 0], [0.5, 0]], np.float32)
    groups = np.zeros(1, int), np.array([0, 1, 0, 1, 0])
    r_precision, average = precisions_at_r(query, gallery, groups)
    assert r_precision[0] == pytest.approx(2 / 3)
    assert average[0] == pytest.approx((1 + 2 / 3) / 3)


def test_the_mean_leaves_out_queries_without_a_match() -> None:
    values = np.array([1.0, np.nan, 0.0, 1.0])
    found = mean_by_patient(values, np.array([0, 1, 2, 2]), unit_weights(3, seed=0), chance=np.full(4, 0.25))
    assert found.value == pytest.approx(2 / 3)
    assert (found.n, found.units, found.chance, found.control) == (3, 2, 0.25, None)

"""Closed forms against enumeration of every draw and every order of ties, and against scipy's distribution."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from medveil.errors import SettingsError
from medveil.stats.matched_pools import matched_pools
from medveil.stats.pools import METRICS, PLACES, chance, random_pools
from medveil.stats.ranks import Ranks

Shells = list[tuple[int, int, int]]  # above, equal and below in each
FORMS = {"random": random_pools, "matched": matched_pools}
TIES = ("expected", "best", "worst")


def enumerated(shells: Shells, drawn: int, *, protocol: str, ties: str) -> list[Fraction]:
    """The metrics of one query and its expected rank, over all pools there are."""
    groups = [["above"] * a + ["equal"] * e + ["below"] * b for a, e, b in shells]
    everyone = [candidate for group in groups for candidate in group]
    pools = list(matched(groups, drawn) if protocol == "matched" else combinations(everyone, drawn))
    each = [of_pool(pool, ties) for pool in pools]
    return [sum(column, Fraction(0)) / len(pools) for column in zip(*each, strict=True)]


def matched(groups: list[list[str]], drawn: int) -> Iterator[tuple[str, ...]]:
    inside: tuple[str, ...] = ()
    for group in groups:
        missing = drawn - len(inside)
        if len(group) > missing:
            yield from (inside + rest for rest in combinations(group, missing))
            return
        inside += tuple(group)
    yield inside


def of_pool(pool: tuple[str, ...], ties: str) -> list[Fraction]:
    above, equal = pool.count("above"), pool.count("equal")
    last = above + equal + 1
    places = {"expected": range(above + 1, last + 1), "best": [above + 1], "worst": [last]}[ties]
    recalls = [Fraction(sum(place <= k for place in places), len(places)) for k in PLACES]
    reciprocal = sum((Fraction(1, place) for place in places), Fraction(0)) / len(places)
    return [*recalls, reciprocal, Fraction(sum(places), len(places))]


def ranks_of(queries: list[Shells]) -> Ranks:
    table = np.array(queries, dtype=np.int64)
    return Ranks(table[..., 0], table[..., 1], table.sum(axis=2))


def one_shell(above: Any, equal: Any, others: Any) -> Ranks:
    columns = np.broadcast_arrays(*(np.atleast_1d(counts).astype(np.int64) for counts in (above, equal, others)))
    return Ranks(*(column[:, None].copy() for column in columns))


@pytest.mark.parametrize("protocol", FORMS)
@pytest.mark.parametrize("ties", TIES)
def test_equal_to_enumeration(protocol: str, ties: Any) -> None:
    rng = np.random.default_rng(5)
    checked = 0
    for _ in range(100):
        shells = int(rng.integers(1, 4))
        counts = rng.integers(0, 4, size=(3, shells, 3))
        queries = [[tuple(int(count) for count in shell) for shell in query] for query in counts]
        ranks = ranks_of(queries)
        candidates = ranks.others.sum(axis=1)
        if not 1 <= candidates.min() <= candidates.max() <= 10:
            continue
        for size in (None, *range(2, int(candidates.min()) + 2, 2)):
            found = FORMS[protocol](ranks, size, ties=ties)
            for row, shells_of in enumerate(queries):
                drawn = int(candidates[row]) if size is None else size - 1
                truth = [float(value) for value in enumerated(shells_of, drawn, protocol=protocol, ties=ties)]
                assert [*found.values[row], found.rank[row]] == pytest.approx(truth, abs=1e-12)
                assert found.size[row] == drawn + 1
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("copies", [1, 40])
def test_ways_of_computing_agree(copies: int) -> None:
    """Ties one by one, ties from a table, and sums over two numbers are the same thing."""
    shells = [(4, 5, 3), (2, 1, 2)]
    lone = [(0, 6, 6), (3, 0, 0)]
    ranks = ranks_of([shells, lone] * copies)
    for size in (5, 9, 14):
        for protocol, form in FORMS.items():
            found = form(ranks, size)
            for row, query in enumerate((shells, lone)):
                truth = enumerated(query, size - 1, protocol=protocol, ties="expected")
                for place in range(row, 2 * copies, 2):
                    assert found.values[place] == pytest.approx([float(value) for value in truth[:-1]], abs=1e-12)


@settings(max_examples=50)
@given(st.data())
@example(None)
def test_random_pools_follow_the_hypergeometric_distribution(data: Any) -> None:
    if data is None:
        others, above, size = 43_792, 17, 10_000
    else:
        others = data.draw(st.integers(1, 20_000))
        above = data.draw(st.integers(0, others))
        size = data.draw(st.integers(2, others + 1))
    found = random_pools(one_shell(above, 0, others), size)
    hits = hypergeom(others, above, size - 1)
    assert found.values[0, :3] == pytest.approx([hits.cdf(k - 1) for k in PLACES], rel=1e-7, abs=1e-12)
    number = np.arange(max(0, size - 1 + above - others), min(above, size - 1) + 1)
    assert found.values[0, 3] == pytest.approx((hits.pmf(number) / (number + 1)).sum(), rel=1e-6)
    assert found.rank[0] == pytest.approx(1 + (size - 1) * above / others)


@settings(max_examples=50)
@given(st.data())
def test_matched_pools_follow_it_on_top_of_whole_shells(data: Any) -> None:
    inner = data.draw(st.integers(0, 3_000))
    inner_above = data.draw(st.integers(0, inner))
    shell = data.draw(st.integers(1, 5_000))
    above = data.draw(st.integers(0, shell))
    drawn = data.draw(st.integers(1, shell))
    counts = np.array([[inner_above, above]]), np.zeros((1, 2), np.int64), np.array([[inner, shell]])
    found = matched_pools(Ranks(*counts), inner + drawn + 1)
    hits = hypergeom(shell, above, drawn)
    number = np.arange(max(0, drawn + above - shell), min(above, drawn) + 1)
    expected = (hits.pmf(number) / (inner_above + number + 1)).sum()
    assert found.values[0, 3] == pytest.approx(expected, rel=1e-7)
    recalls = [hits.cdf(k - 1 - inner_above) for k in PLACES]
    assert found.values[0, :3] == pytest.approx(recalls, rel=1e-6, abs=1e-12)


def test_exact_at_tens_of_millions() -> None:
    others = 20_000_000
    found = random_pools(one_shell([0, 1, 1000], 0, others), 2_000_000)
    share = (2_000_000 - 1) / others
    assert found.values[0] == pytest.approx([1, 1, 1, 1], rel=1e-12)
    assert found.values[1, 0] == pytest.approx(1 - share, rel=1e-12)
    assert found.values[1, 3] == pytest.approx(1 - share / 2, rel=1e-9)
    assert found.values[2, 0] == pytest.approx((1 - share) ** 1000, rel=1e-3)


def test_chance_is_exact() -> None:
    found = 100 * chance(np.array([100, 1_000, 10_000, 43_793]))
    assert found[:, 3] == pytest.approx([5.187, 0.749, 0.098, 0.026], abs=5e-4)
    assert found[:, 0] == pytest.approx([1, 0.1, 0.01, 100 / 43_793])
    assert found[:, 1] == pytest.approx([5, 0.5, 0.05, 500 / 43_793])
    assert chance(np.array([7]))[0, 2] == 1


@pytest.mark.parametrize("protocol", FORMS)
def test_who_sees_nothing_scores_chance(protocol: str) -> None:
    rng = np.random.default_rng(2)
    others = rng.integers(0, 30, size=(50, 4)) + 10
    blind = Ranks(np.zeros_like(others), others, others)
    for size in (2, 17, 40, None):
        found = FORMS[protocol](blind, size)
        assert found.values.mean(axis=0) == pytest.approx(found.chance, abs=1e-12)
        assert found.rank == pytest.approx((found.size + 1) / 2)


def test_a_collapsed_encoder_is_perfect_only_if_ties_are_counted_wrongly() -> None:
    tied = one_shell(0, 499, 499)
    assert random_pools(tied, 100, ties="best").values[0, 0] == 1
    assert random_pools(tied, 100, ties="worst").values[0, 0] == 0
    assert random_pools(tied, 100).values[0, 0] == pytest.approx(0.01)


@pytest.mark.parametrize("protocol", FORMS)
def test_tie_policies_are_ordered(protocol: str) -> None:
    rng = np.random.default_rng(3)
    others = rng.integers(5, 40, size=(60, 3))
    above = rng.integers(0, others + 1)
    ranks = Ranks(above, rng.integers(0, others - above + 1), others)
    best, expected, worst = (FORMS[protocol](ranks, 12, ties=ties) for ties in ("best", "expected", "worst"))
    assert (best.values >= expected.values - 1e-12).all() and (expected.values >= worst.values - 1e-12).all()
    assert (best.rank <= expected.rank).all() and (expected.rank <= worst.rank).all()


def test_queries_may_have_different_numbers_of_candidates() -> None:
    ranks = one_shell([0, 3, 5], [1, 0, 2], [6, 9, 12])
    whole = random_pools(ranks, None)
    assert list(whole.size) == [7, 10, 13]
    assert whole.rank == pytest.approx([1.5, 4, 7])
    assert whole.chance[0] == pytest.approx(np.mean([1 / 7, 1 / 10, 1 / 13]))
    assert random_pools(ranks, 7).chance[0] == pytest.approx(1 / 7)


@pytest.mark.parametrize("protocol", FORMS)
def test_pools_that_cannot_be_formed_are_refused(protocol: str) -> None:
    ranks = one_shell([0, 3], 0, [6, 9])
    with pytest.raises(SettingsError, match=r"pools of 8 are larger .* 7 candidates only"):
        FORMS[protocol](ranks, 8)
    with pytest.raises(SettingsError, match="at least two candidates"):
        FORMS[protocol](ranks, 1)


def test_metrics_are_named_in_order() -> None:
    assert METRICS == ("Recall@1", "Recall@5", "Recall@10", "MRR")

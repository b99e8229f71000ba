from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.attacks.identity.identification import Found
from medveil.attacks.identity.limits import Lessons, Limits
from medveil.attacks.identity.linkable import Best, Contest, Dealt, FalseMatches, Linkable, Returning
from medveil.attacks.identity.pairs import Side, same_person, two_persons
from medveil.stats.bootstrap import unit_weights
from medveil.stats.search import chance_of_match, nearest_is_match
from medveil.stats.shares import share


def side(people: int, visits: int, *, spread: float, seed: int, dim: int = 24) -> Side:
    """Everybody around a point of their own; `spread` is how far visits lie apart."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.normal(size=(people, dim)), visits, axis=0)
    vectors = own + spread * rng.normal(size=own.shape)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    patients = np.repeat(np.arange(people), visits)
    control = np.zeros((len(patients), 3), np.float32)
    control[np.arange(len(patients)), patients % 3] = 1
    return Side(vectors.astype(np.float32), control, patients, np.arange(len(patients)))


def returning(people: int, pairs: int, copied: int = 0) -> Returning:
    return Returning(np.arange(people), np.full(people, pairs), np.arange(people) < copied)


def contest(ours: Side, seed: int = 0, *, copied: int = 0) -> Contest:
    genuine, strangers = same_person(ours, None), two_persons(ours, None, seed=seed)
    people, visits = int(ours.patients.max()) + 1, int(np.bincount(ours.patients)[0])
    return Contest(
        ours,
        None,
        genuine,
        strangers,
        returning=returning(people, visits * (visits - 1) // 2, copied),
        dealt=Dealt.of(people, halves=False, seed=seed),
    )


def linkable(ours: Side, rate: float, seed: int = 0) -> Linkable:
    people = int(ours.patients.max()) + 1
    return contest(ours, seed).at(rate, unit_weights(people, redraws=100, seed=seed))


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_the_false_match_rate_holds_on_patients_it_was_not_learned_on(rate: float) -> None:
    found = [linkable(side(60, 3, spread=1.0, seed=k), rate, k).false for k in range(8)]
    assert np.mean([each.measured for each in found]) == pytest.approx(rate, rel=0.35)
    assert max(abs(each.measured - rate) for each in found) > rate / 100  # on its own lessons it would be the rate


def test_a_rate_that_so_few_patients_cannot_tell_is_not_aimed_at() -> None:
    few, many = contest(side(24, 2, spread=1.0, seed=1)), contest(side(200, 2, spread=1.0, seed=1))
    assert few.resolved(1e-3) == pytest.approx(3 / (18 * 17 / 2)) and few.resolved(0.1) == 0.1
    assert many.resolved(1e-3) == 1e-3


def test_chance_follows_the_measured_rate_not_the_one_aimed_at() -> None:
    """Patients of one group look alike, so a limit that others set lets more of them pass."""
    found = linkable(side(40, 2, spread=1.0, seed=3), 0.02)
    assert found.false.measured != found.false.aimed
    assert found.chance == pytest.approx(np.full(40, found.false.measured))


def test_at_the_limit_of_no_signal_linkable_is_chance() -> None:
    results = [linkable(side(60, 3, spread=1e6, seed=k), 0.05, k) for k in range(10)]
    values = np.concatenate([result.values for result in results])
    assert np.mean([result.chance[0] for result in results]) == pytest.approx(1 - 0.95**3, abs=0.02)
    assert values.mean() == pytest.approx(1 - 0.95**3, abs=0.03)


def test_the_control_knows_a_third_and_ties_count_by_expectation() -> None:
    """Three kinds of people look the same in the table, so 1 in 3 strangers ties with every true pair."""
    result = linkable(side(60, 2, spread=0.1, seed=1), 0.01)
    assert result.values.mean() == 1
    assert result.control.mean() == pytest.approx(0.01 / (1 / 3), rel=0.2)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.floats(0.001, 0.999))
def test_a_limit_leaves_room_for_exactly_its_rate(scores: list[int], rate: float) -> None:
    strangers = np.array(scores, dtype=float)
    people = np.arange(len(strangers))
    limit = Lessons(strangers, people, people + 1).limit(rate)
    assert limit.matches(strangers).mean() == pytest.approx(rate)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.floats(0.01, 0.99), st.integers(0, 99))
def test_a_redrawn_limit_is_that_of_the_pairs_drawn(scores: list[int], rate: float, seed: int) -> None:
    strangers = np.array(scores, dtype=float)
    left = np.arange(len(strangers))
    weights = unit_weights(len(strangers) + 1, redraws=3, seed=seed)
    redrawn = Lessons(strangers, left, left + 1).redrawn(rate, weights)
    for at, row in enumerate(weights):
        drawn = np.repeat(strangers, (row[left] * row[left + 1]).astype(int))
        if len(drawn):
            one = Limits(redrawn.score[at], redrawn.tied[at])
            assert one.matches(drawn).mean() == pytest.approx(rate)


def test_the_interval_holds_the_uncertainty_of_the_limit() -> None:
    """All patients are alike to themselves as the limit is: another sample's limit would link all, or nobody."""
    rng = np.random.default_rng(5)
    first, other = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.normal(size=(2, 60, 24)))
    other -= (other * first).sum(1, keepdims=True) * first
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    alike = (0.47 + 0.002 * rng.normal(size=60))[:, None]  # about what 1 in 100 strangers reach in 24 dimensions
    vectors = np.stack([first, alike * first + np.sqrt(1 - alike**2) * other], axis=1).reshape(120, 24)
    patients = np.repeat(np.arange(60), 2)
    ours = Side(vectors.astype(np.float32), np.ones((120, 1), np.float32), patients, np.arange(120))
    weights = unit_weights(60, redraws=400, seed=5)
    found = contest(ours, 5).at(0.01, weights)
    whole, fixed = found.estimate(weights), share(found.values, found.patients, weights)
    assert whole.value == fixed.value
    assert whole.low < 0.05 and whole.high > 0.95 and fixed.high - fixed.low < 0.4


def test_within_groups_the_same_share() -> None:
    best = Best(np.array([1.0, 1, -1, -1]), np.ones(4), np.zeros(4, dtype=np.intp))
    weights = unit_weights(4, seed=1)
    limits = Limits(np.zeros((len(weights), 1)), np.zeros((len(weights), 1)))
    false = FalseMatches(0.1, 0.1, 100)
    found = Linkable(returning(4, 1), np.array([1.0, 1, 0, 0]), np.zeros(4), false, best, limits)
    assert found.estimate(weights).value == 0.5
    assert found.estimate(weights, np.array([True, True, False, False])).value == 1


def test_a_copy_links_whoever_is_not_recognised() -> None:
    """The headline is over everybody who came twice; 900 of 1,000 copies once passed."""
    ours = side(100, 2, spread=1e6, seed=2)
    weights = unit_weights(100, seed=2)
    found = contest(ours, 2, copied=90).at(0.01, weights).estimate(weights)
    assert found.units == 100 and found.value >= 0.9 and found.low > 0.8


@pytest.mark.parametrize("seed", range(4))
def test_ranks_agree_with_the_plain_nearest_neighbour(seed: int) -> None:
    """An independent implementation, on vectors with many exact ties."""
    rng = np.random.default_rng(seed)
    patients = rng.integers(0, 12, 60)
    studies = patients * 3 + rng.integers(0, 3, 60)
    vectors = rng.integers(-1, 2, (60, 3)).astype(np.float32)
    ours = Side(vectors, vectors, patients, studies)
    found = Found.of(ours, None)
    assert found.attack[:, 0] == pytest.approx(nearest_is_match(vectors, patients, studies), nan_ok=True)
    assert found.chance[:, 0] == pytest.approx(chance_of_match(patients, studies), nan_ok=True)
    assert (np.diff(np.nanmean(found.attack, axis=0)) >= 0).all()
    theirs = Side(vectors[::2], vectors[::2], patients[::2], studies[::2])
    across = Found.of(ours, theirs)  # every image of the other side competes, also of the same study
    scores = vectors @ theirs.vectors.T
    best = scores == scores.max(axis=1, keepdims=True)
    same = patients[:, None] == theirs.patients
    hit = (best & same).sum(axis=1) / best.sum(axis=1)
    assert across.attack[:, 0] == pytest.approx(np.where(same.any(axis=1), hit, np.nan), nan_ok=True)


def test_pairs_are_all_pairs_once() -> None:
    ours = side(5, 3, spread=1, seed=0)
    genuine, strangers = same_person(ours, None), two_persons(ours, None, seed=0)
    assert len(genuine) == 5 * 3 and len(strangers) == 15 * 14 // 2 - 15
    assert (ours.patients[genuine.left] == ours.patients[genuine.right]).all()
    drawn = two_persons(ours, None, seed=0, most=50)
    assert (ours.patients[drawn.left] != ours.patients[drawn.right]).all() and (drawn.left < drawn.right).all()

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.attacks.identity.identification import Found
from medveil.attacks.identity.linkable import Contest, Limit, Linkable
from medveil.attacks.identity.pairs import Side, same_person, two_persons
from medveil.stats.bootstrap import unit_weights
from medveil.stats.search import chance_of_match, nearest_is_match


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


def contest(ours: Side, seed: int = 0) -> Contest:
    genuine, strangers = same_person(ours, None), two_persons(ours, None, seed=seed)
    return Contest(ours, None, genuine, strangers, count=int(ours.patients.max()) + 1, seed=seed)


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_the_false_match_rate_holds_on_patients_it_was_not_learned_on(rate: float) -> None:
    observed = [contest(side(60, 3, spread=1.0, seed=k), seed=k).at(rate).observed_rate for k in range(8)]
    assert np.mean(observed) == pytest.approx(rate, rel=0.35)
    assert max(abs(seen - rate) for seen in observed) > rate / 100  # on its own lessons it would be the rate itself


def test_at_the_limit_of_no_signal_linkable_is_chance() -> None:
    results = [contest(side(60, 3, spread=1e6, seed=k), seed=k).at(0.05) for k in range(10)]
    values = np.concatenate([result.values for result in results])
    assert results[0].chance[0] == pytest.approx(1 - 0.95**3)
    assert values.mean() == pytest.approx(1 - 0.95**3, abs=0.03)


def test_the_control_knows_a_third_and_ties_count_by_expectation() -> None:
    """Three kinds of people look the same in the table, so 1 in 3 strangers ties with every true pair."""
    result = contest(side(60, 2, spread=0.1, seed=1)).at(0.01)
    assert result.values.mean() == 1
    assert result.control.mean() == pytest.approx(0.01 / (1 / 3), rel=0.2)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.floats(0.001, 0.999))
def test_a_limit_leaves_room_for_exactly_its_rate(scores: list[int], rate: float) -> None:
    strangers = np.array(scores, dtype=float)
    assert Limit.at(strangers, rate).matches(strangers).mean() == pytest.approx(rate)


def test_within_groups_the_same_share() -> None:
    found = Linkable(np.arange(4), np.array([1.0, 1, 0, 0]), np.zeros(4), np.full(4, 0.1), 0.1, 100)
    weights = unit_weights(4, seed=1)
    assert found.estimate(weights).value == 0.5
    assert found.estimate(weights, np.array([True, True, False, False])).value == 1


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

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medveil.attacks.identity.pairs import Side
from medveil.attacks.identity.together import together
from medveil.stats.search import chance_of_match, nearest_is_match

PEOPLE, VISITS, DIM = 80, 3, 32


def films(*, own: float, common: float, seed: int = 0) -> Side:
    """Visits told apart by a point of their owner's, under a common offset and a few wide directions of the machine."""
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(PEOPLE), VISITS)
    vectors = own * np.repeat(rng.normal(size=(PEOPLE, DIM)), VISITS, axis=0) + rng.normal(size=(len(patients), DIM))
    vectors += common * (rng.normal(size=(len(patients), 2)) @ rng.normal(size=(2, DIM)) + rng.normal(size=DIM))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    control = np.ones((len(patients), 1), np.float32)
    return Side(vectors.astype(np.float32), control, patients, np.arange(len(patients)))


def found(side: Side) -> float:
    return float(np.nanmean(nearest_is_match(side.vectors, side.patients, side.studies)))


def of_one(side: Side) -> Side:
    seen = together(side, None)
    assert seen is not None and seen[1] is None
    return seen[0]


@pytest.mark.parametrize("seed", range(3))
def test_what_all_films_share_no_longer_hides_whose_they_are(seed: int) -> None:
    side = films(own=2, common=2, seed=seed)
    assert found(of_one(side)) > found(side) + 0.08


def test_two_films_alike_to_a_third_come_nearer_to_each_other() -> None:
    side = films(own=1.5, common=0)
    first, last = side.vectors[::VISITS], side.vectors[VISITS - 1 :: VISITS]
    moved = of_one(side).vectors
    before, after = (first * last).sum(axis=1), (moved[::VISITS] * moved[VISITS - 1 :: VISITS]).sum(axis=1)
    assert after.mean() > before.mean() + 0.1


def test_where_films_tell_nothing_nothing_is_found() -> None:
    sides = [films(own=0, common=common, seed=seed) for seed in range(10) for common in (0, 4)]
    chance = np.mean([np.nanmean(chance_of_match(side.patients, side.studies)) for side in sides])
    reached = [found(of_one(side)) for side in sides]
    assert abs(np.mean(reached) - chance) < 4 * np.std(reached) / len(reached) ** 0.5 + 1e-3


def test_shuffled_patients_are_found_by_chance() -> None:
    side = films(own=1.5, common=4)
    owners = [np.random.default_rng(seed).permutation(side.patients) for seed in range(10)]
    seen = of_one(side)
    reached = [found(replace(seen, patients=each)) for each in owners]
    chance = float(np.nanmean(chance_of_match(side.patients, side.studies)))
    assert abs(np.mean(reached) - chance) < 4 * np.std(reached) / len(reached) ** 0.5


def test_names_and_order_change_nothing_and_two_sides_are_one_folder() -> None:
    side = films(own=1, common=2)
    order = np.random.default_rng(1).permutation(len(side))
    other = Side(side.vectors[order], side.control, side.patients[order] * 0, side.studies)
    seen = of_one(side)
    np.testing.assert_allclose(of_one(other).vectors, seen.vectors[order], atol=1e-5)
    halves = [Side(side.vectors[rows], side.control, side.patients[rows], side.studies[rows]) for rows in (
        slice(None, 100), slice(100, None))]  # fmt: skip
    parted = together(*halves)
    assert parted is not None and parted[1] is not None
    np.testing.assert_allclose(np.concatenate([each.vectors for each in parted if each]), seen.vectors, atol=1e-5)


def test_equal_films_stay_equal() -> None:
    side = films(own=1.5, common=2)
    doubled = Side(*(np.repeat(values, 4, axis=0) for values in (side.vectors, side.control, side.patients)),
                   np.arange(4 * len(side)))  # fmt: skip
    vectors = of_one(doubled).vectors.reshape(len(side), 4, DIM)
    assert (vectors == vectors[:, :1]).mean() > 0.999


@pytest.mark.parametrize("count", [1, 2, 5])
def test_films_that_all_look_the_same_are_left_as_they_are(count: int) -> None:
    vectors = np.full((count, 4), 0.5, np.float32)
    assert together(Side(vectors, vectors, np.arange(count), np.arange(count)), None) is None


def test_two_films_are_enough() -> None:
    vectors = np.eye(2, 4, dtype=np.float32)
    seen = of_one(Side(vectors, vectors, np.arange(2), np.arange(2)))
    np.testing.assert_allclose(np.linalg.norm(seen.vectors, axis=1), 1, atol=1e-6)

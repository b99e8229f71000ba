from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.federated.aggregation import RULES, aggregation, fewest_sites, problem, refusal

Update = list[NDArray[np.float32]]
ROBUST = RULES[1:]


def _updates(sites: int, seed: int = 1) -> list[Update]:
    chance = np.random.default_rng(seed)
    return [
        [chance.normal(1, 0.1, (3, 4)).astype(np.float32), chance.normal(-1, 0.1, 5).astype(np.float32)]
        for _ in range(sites)
    ]


@pytest.mark.parametrize(("sites", "bad"), [(7, 1), (12, 1), (11, 2), (12, 2)])
def test_they_are_those_of_flower(sites: int, bad: int) -> None:
    flower = pytest.importorskip("flwr.server.strategy.aggregate")
    for seed in range(5):
        updates = _updates(sites, seed)
        theirs = [([layer.astype(np.float64) for layer in update], 1) for update in updates]
        expected = {
            "mean": flower.aggregate(theirs),
            "median": flower.aggregate_median(theirs),
            "trimmed-mean": flower.aggregate_trimmed_avg(theirs, (bad + 0.5) / sites),
            "krum": flower.aggregate_krum(theirs, bad, 0),
            "bulyan": flower.aggregate_bulyan(list(theirs), bad, flower.aggregate_krum, to_keep=0),
        }
        for name, arrays in expected.items():
            ours = aggregation(name, bad_sites=bad)(updates, [1.0] * sites)
            for mine, other in zip(ours, arrays, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ROBUST)
def test_poisoned_updates_do_not_pull_it_away(name: str) -> None:
    updates = _updates(11)
    for update in updates[:2]:
        update[0] *= -1000
    found = aggregation(name, bad_sites=2)(updates, [1e9, 1e9] + [1.0] * 9)
    assert np.abs(found[0] - 1).max() < 0.5
    assert np.abs(aggregation("mean")(updates, [1.0] * 11)[0] - 1).min() > 100


def test_the_mean_counts_by_weight_and_keeps_shapes() -> None:
    first, second = _updates(2)
    found = aggregation("mean")([first, second], [3.0, 1.0])
    np.testing.assert_allclose(found[1], 0.75 * first[1] + 0.25 * second[1], rtol=1e-6)
    assert [one.shape for one in found] == [(3, 4), (5,)] and all(one.dtype == np.float32 for one in found)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_never_chosen(name: str, bad: float) -> None:
    updates = _updates(7)
    updates[3][1][0] = bad
    with pytest.raises(InputError, match="not finite"):
        aggregation(name)(updates, [1.0] * 7)
    assert "not finite" in str(problem(updates[3], updates[0])) and problem(updates[2], updates[0]) is None
    assert "other sizes" in str(problem(updates[2][:1], updates[0]))


def test_too_few_sites_and_secure_sums_are_refused_in_plain_words() -> None:
    assert [fewest_sites(name, 1) for name in RULES] == [1, 3, 3, 5, 7]
    assert "at least 5 sites" in str(refusal("krum", 4, secure_sums=False))
    assert "at least 11 sites to withstand 2 poisoned" in str(refusal("bulyan", 10, secure_sums=False, bad_sites=2))
    assert all("secure sums hide" in str(refusal(name, 50, secure_sums=True)) for name in ROBUST)
    assert refusal("mean", 3, secure_sums=True) is None and refusal("bulyan", 7, secure_sums=False) is None
    with pytest.raises(SettingsError, match="at least 7 sites"):
        aggregation("bulyan")(_updates(6), [1.0] * 6)


def test_names_and_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(SettingsError, match="choose from mean"):
        aggregation("average")
    with pytest.raises(SettingsError, match="at least one"):
        aggregation("krum", bad_sites=0)
    with pytest.raises(InputError, match="not all zero"):
        aggregation("mean")(_updates(2), [0.0, 0.0])
    with pytest.raises(InputError, match="a weight for each"):
        aggregation("mean")(_updates(2), [1.0])


def test_pieces_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [aggregation(name)(_updates(8), [1.0] * 8) for name in RULES]
    monkeypatch.setattr("medveil.federated.aggregation._PIECE", 24)
    for name, expected in zip(RULES, whole, strict=True):
        for one, other in zip(aggregation(name)(_updates(8), [1.0] * 8), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_krum_takes_whoever_is_nearest_to_all_but_the_bad_and_two_more() -> None:
    places = [0.0, 0.3, 1.0, 1.2, 9.0, 9.0, 1.6]
    updates = [[np.array([place], np.float32)] for place in places]
    squares = np.sort(np.square(np.subtract.outer(places, places)), axis=1)
    near, all_others = squares[:, 1:4].sum(1), squares[:, 1:].sum(1)  # n − f − 2 = 3 others, or all of them
    assert places[int(near.argmin())] == 1.0 and places[int(all_others.argmin())] != 1.0
    assert aggregation("krum", bad_sites=2)(updates, [1.0] * 7)[0][0] == 1.0

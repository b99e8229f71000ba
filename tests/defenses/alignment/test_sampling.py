from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from medveil.defenses.alignment.sampling import StepRandomness, Units, poisson_sample


@given(st.lists(st.integers(0, 5), max_size=30))
def test_units_hold_every_row_once(codes: list[int]) -> None:
    units = Units.of(np.asarray(codes, dtype=np.int64))
    assert len(units) == len(set(codes))
    rows, places = units.rows(np.arange(len(units)))
    assert sorted(rows) == list(range(len(codes)))
    for place in range(len(units)):
        assert len({codes[row] for row in rows[places == place]}) == 1
    assert units.largest == max((codes.count(code) for code in codes), default=0)


def test_chosen_units_bring_all_their_rows() -> None:
    units = Units.of(np.asarray([3, 1, 3, 2, 1, 3]))
    rows, places = units.rows(np.asarray([0, 2]))
    assert rows.tolist() == [1, 4, 0, 2, 5]
    assert places.tolist() == [0, 0, 1, 1, 1]
    assert units.rows(np.empty(0, np.intp))[0].size == 0


def test_sampling_is_poisson() -> None:
    """Sizes are binomial, every unit is as likely as any other, and two units come together as if by chance."""
    rng, draws, count, probability = np.random.default_rng(0), 20_000, 12, 0.3
    sizes, taken, together = np.zeros(count + 1), np.zeros(count), 0
    for _ in range(draws):
        sample = poisson_sample(count, probability, rng)
        assert len(set(sample.tolist())) == len(sample)
        sizes[len(sample)] += 1
        taken[sample] += 1
        together += {0, 11} <= set(sample.tolist())
    expected = binom.pmf(np.arange(count + 1), count, probability) * draws
    few = expected < 5
    observed = np.append(sizes[~few], sizes[few].sum())
    assert chisquare(observed, np.append(expected[~few], expected[few].sum())).pvalue > 1e-3
    spread = np.sqrt(draws * probability * (1 - probability))
    assert np.abs(taken - draws * probability).max() < 4 * spread
    assert abs(together - draws * probability**2) < 4 * np.sqrt(draws * probability**2)


def test_samples_can_be_empty_and_whole() -> None:
    rng = np.random.default_rng(1)
    assert len(poisson_sample(5, 1.0, rng)) == 5
    assert any(len(poisson_sample(5, 0.05, rng)) == 0 for _ in range(50))


def test_steps_have_their_own_randomness() -> None:
    randomness = StepRandomness(7)
    first = randomness.of(3).standard_normal(4)
    np.testing.assert_array_equal(first, StepRandomness(7).of(3).standard_normal(4))
    assert not np.array_equal(first, randomness.of(4).standard_normal(4))
    assert not np.array_equal(first, StepRandomness(8).of(3).standard_normal(4))

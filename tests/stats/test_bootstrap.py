from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights


@example(["", "\x00"])
@given(st.lists(st.text(max_size=3), min_size=1, max_size=30))
def test_renaming_units_changes_no_code(units: list[str]) -> None:
    renamed = [f"{hash(u)}-{u}" for u in units]
    codes, count = unit_codes(np.array(units, dtype=object))
    again, _ = unit_codes(np.array(renamed, dtype=object))
    assert (codes == again).all()
    assert count == len(set(units))
    assert codes[0] == 0


def test_every_redraw_draws_as_many_units_as_there_are() -> None:
    weights = unit_weights(17, redraws=50, seed=3)
    assert (weights.sum(axis=1) == 17).all()
    assert (unit_weights(17, redraws=50, seed=3) == weights).all()
    assert (unit_weights(17, redraws=50, seed=4) != weights).any()


def test_means_equal_an_explicit_redraw() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(6, size=40)
    values = rng.normal(size=40)
    weights = unit_weights(6, redraws=20, seed=0)
    fast = mean_replicates(values, codes, weights)
    slow = [np.repeat(values, row[codes].astype(int)).mean() for row in weights]
    assert fast == pytest.approx(slow)


def test_resampling_by_patient_is_wider_than_by_image_when_patients_agree_with_themselves() -> None:
    rng = np.random.default_rng(2)
    patient_effect = rng.normal(size=30)
    codes = np.repeat(np.arange(30), 10)
    values = patient_effect[codes]
    by_patient = mean_replicates(values, codes, unit_weights(30, seed=0)).std()
    by_image = mean_replicates(values, np.arange(300), unit_weights(300, seed=0)).std()
    assert by_patient > 2 * by_image

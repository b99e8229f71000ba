from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort.splits import assign_splits, split_of

KNOWN = ["train", "test", "train", "test", "train", "val", "val", "test", "test", "train", "train", "val"]


@given(st.lists(st.text(min_size=1), min_size=1), st.lists(st.text(min_size=1)))
def test_a_patient_keeps_the_split_when_rows_are_added(some: list[str], more: list[str]) -> None:
    before = assign_splits(pd.Series(some))
    after = assign_splits(pd.Series(more + some))
    assert list(before) == list(after)[len(more) :]


def test_shares_are_80_20_and_a_tenth_of_train() -> None:
    shares = assign_splits(pd.Series([f"p{i}" for i in range(20_000)])).value_counts(normalize=True)
    assert shares["test"] == pytest.approx(0.2, abs=0.01)
    assert shares["val"] == pytest.approx(0.08, abs=0.01)
    assert shares["train"] == pytest.approx(0.72, abs=0.01)


def test_known_answers_never_change() -> None:
    """A changed hash would move patients between train and test of every earlier study."""
    assert [split_of(f"p{i}") for i in range(12)] == KNOWN
    assert [split_of(f"p{i}", salt="other") for i in range(12)] != KNOWN

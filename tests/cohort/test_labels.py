from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.labels import POLICIES
from medveil.cohort.schema import LABELS


@pytest.mark.parametrize(
    ("policy", "targets", "counts"),
    [
        # for the values 1, 0, -1, missing
        ("positive-only", [1, 0, 0, 0], [1, 1, 1, 1]),
        ("uncertain-negative", [1, 0, 0, 0], [1, 1, 1, 0]),
        ("uncertain-positive", [1, 0, 1, 0], [1, 1, 1, 0]),
        ("uncertain-missing", [1, 0, 0, 0], [1, 1, 0, 1]),
        ("masked", [1, 0, 0, 0], [1, 1, 0, 0]),
    ],
)
def test_every_policy_on_every_value(policy: str, targets: list[int], counts: list[int]) -> None:
    table = pd.DataFrame({label: [1, 0, -1, np.nan] for label in LABELS}).assign(Edema=1.0)
    others = [label != "Edema" for label in LABELS]
    got, mask = POLICIES[policy].apply(table)
    assert got.shape == mask.shape == (4, 14)
    assert (got[:, others] == np.array(targets)[:, None]).all()
    assert (mask[:, others] == np.array(counts, bool)[:, None]).all()


@pytest.mark.parametrize("policy", POLICIES)
def test_an_image_that_nobody_labelled_is_not_a_healthy_one(policy: str) -> None:
    table = pd.DataFrame({label: [np.nan, np.nan] for label in LABELS}).assign(Edema=[np.nan, 0.0])
    _, mask = POLICIES[policy].apply(table)
    assert not mask[0].any()
    assert mask[1].any()

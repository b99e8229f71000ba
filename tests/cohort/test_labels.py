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
    table = pd.DataFrame({label: [1, 0, -1, np.nan] for label in LABELS})
    got, mask = POLICIES[policy].apply(table)
    assert got.shape == mask.shape == (4, 14)
    assert (got == np.array(targets)[:, None]).all()
    assert (mask == np.array(counts, bool)[:, None]).all()

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from medveil.attacks.identity.limits import Limits
from medveil.attacks.identity.linkable import Best, FalseMatches, Linkable, Returning
from medveil.attacks.identity.subgroups import by_group, patient_groups
from medveil.cohort.schema import conform
from medveil.finding import SMALLEST_GROUP
from medveil.stats.bootstrap import unit_weights


def test_groups_are_of_patients_and_small_ones_and_names_stay_out() -> None:
    people = 40
    table = pd.DataFrame(
        {
            "image_id": [f"i{k}" for k in range(2 * people)],
            "patient_id": [f"p{k // 2}" for k in range(2 * people)],
            "study_id": [f"s{k}" for k in range(2 * people)],
            "path": "x.png",
            "sex": ["F" if k // 2 < 30 else "M" for k in range(2 * people)],
            "age": [25.0 if k // 2 < 15 else 65.0 for k in range(2 * people)],
            "view": ["PA" if k % 2 or k // 2 < 20 else "AP" for k in range(2 * people)],
            "site": ["Hospital of the Holy Ghost" if k // 2 < 20 else "Elsewhere" for k in range(2 * people)],
            "Edema": [1.0 if k == 0 or k // 2 > 25 else 0.0 for k in range(2 * people)],
        }
    )
    patients = np.repeat(np.arange(people), 2)
    measured = np.arange(people)
    groups = patient_groups(conform(table), patients, measured)
    sizes = {name: int(members.sum()) for name, members in groups.items()}
    assert sizes == {
        "sex F": 30,
        "age 18 to 39": 15,
        "age 60 to 74": 25,
        "view PA only": 20,
        "views PA and AP": 20,
        "site 1": 20,
        "site 2": 20,
        "Edema": 15,
    }
    assert min(sizes.values()) >= SMALLEST_GROUP
    values = (measured < 30).astype(float)
    weights = unit_weights(people, seed=0)
    limits = Limits(np.full((len(weights), 1), 0.5), np.zeros((len(weights), 1)))
    best = Best(values, np.ones(people), np.zeros(people, dtype=np.intp))
    everybody = Returning(measured, np.ones(people, dtype=np.int64), np.zeros(people, dtype=bool))
    found = Linkable(everybody, values, np.zeros(people), FalseMatches(0.01, 0.01, 1000), best, limits)
    (figure,) = by_group(found, groups, weights)
    shown = dict(zip(figure.series[0].x, figure.series[0].y, strict=True))
    assert shown["sex F"] == 1 and shown["Edema"] == pytest.approx(5 / 15)
    assert "Ghost" not in repr(figure)
    assert figure.note.startswith("Groups of fewer than 11 patients")
    assert by_group(found, {}, unit_weights(people, seed=0)) == []

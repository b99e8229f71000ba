from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.schema import conform


def made_table(people: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of studies: each person has sex, site, age, first day and the days between visits."""
    rows = []
    for number, person in enumerate(people):
        day = pd.Timestamp("2015-01-01") + pd.Timedelta(days=person["day"])
        for visit, gap in enumerate((0, *person["gaps"])):
            day += pd.Timedelta(days=gap)
            for image in range(person.get("images", 1)):
                rows.append(
                    {
                        "image_id": f"image-{number}-{visit}-{image}",
                        "patient_id": f"patient-{number}",
                        "study_id": f"study-{number}-{visit}",
                        "path": "x.png",
                        "age": person["age"],
                        "sex": person["sex"],
                        "site": person["site"],
                        "date": day,
                        "Edema": person.get("edema"),
                    }
                )
    return conform(pd.DataFrame(rows))


@pytest.fixture
def cohort_table() -> Callable[[int], pd.DataFrame]:
    """A larger table, drawn: one to four visits a person, four sites of unequal size."""

    def make(people: int, seed: int = 5) -> pd.DataFrame:
        draw = np.random.default_rng(seed)
        return made_table(
            [
                {
                    "age": float(draw.integers(20, 96)),
                    "sex": "FM"[draw.integers(2)],
                    "site": ("North House", "South House", "East House", "West House")[
                        min(int(draw.geometric(0.5)) - 1, 3)
                    ],
                    "day": int(draw.integers(0, 2000)),
                    "gaps": tuple(int(gap) for gap in draw.integers(1, 300, size=draw.integers(0, 4))),
                    "images": int(draw.integers(1, 3)),
                    "edema": float(draw.integers(2)),
                }
                for _ in range(people)
            ]
        )

    return make

"""Shares of right answers with intervals by image, and what one way of asking gains over the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.vqa.question import QuestionTable

SEED = 7
Floats = NDArray[np.float64]


def scores(table: QuestionTable, right: Mapping[str, Floats]) -> dict[str, Any]:
    """By kind of question; the first way is compared with each other one. `right` is 1 where an answer was right."""
    closed = np.array([question.closed for question in table.questions])
    images = np.array([question.image_id for question in table.questions])
    own, *others = right
    ways = {**right, **{f"gain over {other}": right[own] - right[other] for other in others}}
    parts = {"all": closed | True, "yes or no": closed, "open": ~closed}
    return {
        part: {way: _estimate(values[kept], images[kept]) for way, values in ways.items()}
        for part, kept in parts.items()
    }


def _estimate(values: Floats, images: NDArray[np.str_]) -> dict[str, float]:
    codes, count = unit_codes(images)
    draws = mean_replicates(values, codes, unit_weights(count, seed=SEED))
    one = Estimate.from_replicates(float(values.mean()), draws, n=len(values), units=count, unit="image")
    return {"value": round(one.value, 4), "low": round(one.low, 4), "high": round(one.high, 4)}

"""What the tables of a federation compare is the same patients."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
HOSPITALS, FILMS = 3, 60


@pytest.fixture(autouse=True)
def benchmarks() -> Iterator[None]:
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


def test_a_hospital_left_out_is_compared_patient_by_patient_where_both_models_left_it_out() -> None:
    rng = np.random.default_rng(1)
    targets = rng.integers(0, 2, (HOSPITALS * FILMS, 1)).astype(np.int8)
    packed = SimpleNamespace(targets=targets, patients=np.arange(len(targets)))

    def run(hospital: int, noise: float) -> dict[str, Any]:
        rows = np.arange(hospital * FILMS, (hospital + 1) * FILMS)
        return {"rows": rows, "scores": targets[rows] + noise * rng.standard_normal((FILMS, 1))}

    runs = {("phantom", "without", f"fedvlm@{one}"): {one: run(one, 0.5)} for one in range(HOSPITALS)}
    runs |= {("phantom", "without", f"central@{one}"): {one: run(one, 3.0)} for one in range(HOSPITALS - 1)}
    tables = importlib.import_module("federated_tables").Tables(packed, runs)
    lines = tables.without()
    told = tables.record["leave one hospital out"]
    assert told["fedvlm_minus"]["Centralised"]["interval"][0] > 0
    assert {one["units"] for one in told["models"].values()} == {(HOSPITALS - 1) * FILMS}
    assert any(line.startswith("2 hospitals, 120 patients") for line in lines)

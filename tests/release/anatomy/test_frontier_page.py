from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.identity.adversaries.attacked import Attacked
from medveil.release.anatomy.frontier import NOTHING, Judged, Point, judged
from medveil.release.anatomy.frontier_page import as_markdown, compared_table, published_table
from medveil.utility.diagnosis.diagnosing import Diagnosed

PATIENTS = np.repeat(np.arange(60), 2)


def point(method: str, level: float, *, found: float, blurred: float) -> Point:
    """So many are found; the classifier's scores follow the truth but for so much noise, the same for everybody."""
    chance = np.random.default_rng(3)
    shows = chance.random(120) < 0.5
    scores = (shows + blurred * chance.standard_normal(120))[:, None]
    hits = (np.arange(120) < 120 * found).astype(float)
    attacked = Attacked(
        PATIENTS,
        {("frozen", mode): hits for mode in ("dd", "do")},
        {"frozen": hits},
        {"frozen": hits},
        np.full(120, 0.02),
        {"frozen": np.ones(120)},
    )
    told = Diagnosed(scores, shows[:, None].astype(np.float32), np.ones((120, 1), bool), PATIENTS)
    return Point(method, level, None, attacked, told, told, np.zeros((1, 8, 8), np.uint8))


@pytest.fixture(scope="module")
def points() -> list[Judged]:
    settings = [(NOTHING, 0.0, 0.9, 0.3), ("coded", 8.0, 0.05, 0.5), ("blur", 5.0, 0.8, 1.5)]
    return judged([point(m, at, found=f, blurred=b) for m, at, f, b in settings], ["Edema"], seed=1)


def test_others_are_compared_on_the_same_patients(points: list[Judged]) -> None:
    table = compared_table(points, "coded 8")
    assert [row[0] for row in table.rows] == ["nothing", "blur 5"]
    original, blurred = (str(row[2]) for row in table.rows)
    assert original.startswith("-") and blurred.startswith("+")
    low = float(blurred.split("(")[1].split(" ")[0])
    assert low > 0  # paired: what is noise to both cancels out
    assert "| blur 5 |" in as_markdown(table)


def test_a_setting_is_not_compared_with_itself(points: list[Judged]) -> None:
    assert "blur 5" not in [row[0] for row in compared_table(points, "blur 5").rows]


def test_rates_as_published_stand_beside_each_other(points: list[Judged]) -> None:
    table = published_table(points, seed=1)
    assert table.columns == ("setting", "frozen, CMC-R1", "frozen, ID-R")
    blurred = next(row for row in table.rows if row[0] == "blur 5")
    assert all(str(cell).startswith("80.0") for cell in blurred[1:])

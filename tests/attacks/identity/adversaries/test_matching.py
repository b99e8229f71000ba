from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.matching import Contest
from medveil.attacks.identity.adversaries.reading import told_beside
from medveil.cohort.schema import conform

PEOPLE = 40


def test_films_and_rows_that_tell_little_each_tell_together_whose_a_film_is() -> None:
    """Films show one of five groups, rows one of eight, and no two people share both."""
    person = np.repeat(np.arange(PEOPLE), 2)
    films = np.random.default_rng(0).integers(0, 255, (2 * PEOPLE, 256, 256)).astype(np.uint8)
    rows = pd.DataFrame({"sex": np.where(person % 2, "M", "F"), "site": [f"s{one % 4}" for one in person // 2]})
    table = conform(rows.assign(patient_id=person.astype(str), study_id="", image_id="", path=""))
    contest = Contest(Films(films, films[::-1].copy(), person, told=told_beside(table)), "cpu")
    seen = torch.eye(PEOPLE // 8)[person // 8]
    found = contest.found(seen, seen, seen)
    assert found.dd.mean() < 0.2
    assert found.together.mean() == 1


def test_uncertain_findings_agree_half_and_views_are_the_film_s() -> None:
    rows = pd.DataFrame({"Edema": [1.0, 0.0, -1.0], "view": ["PA", "AP", "PA"], "age": [50.0, 50.0, 50.0]})
    rows = rows.assign(patient_id=list("abc"), study_id="", image_id="", path="")
    person, findings = told_beside(conform(rows))
    agree = findings @ findings.T
    assert agree[0, 1] < agree[0, 2] < agree[0, 0]
    assert person[0] @ person[1] == person[0] @ person[2]

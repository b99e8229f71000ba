from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.attacks.visit_intervals.attack import VisitIntervals
from medveil.attacks.visit_intervals.settings import VisitIntervalSettings
from medveil.cohort import Cohort
from medveil.errors import NothingToAttack, SettingsError
from medveil.finding import Finding, Verdict
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import Telling, Tellings
from medveil.testing import check_attack


def cohort(days: list[list[int | None]]) -> Cohort:
    """One patient a list, one study a day; None for a study without a date."""
    rows = [
        {
            "image_id": f"image-{patient}-{study}",
            "patient_id": f"patient-{patient}",
            "study_id": f"study-{patient}-{study}",
            "path": "x.png",
            "date": pd.NaT if day is None else pd.Timestamp("2015-01-01") + pd.Timedelta(days=day),
        }
        for patient, visits in enumerate(days)
        for study, day in enumerate(visits)
    ]
    return Cohort.of(pd.DataFrame(rows), Path())


def attack(released: Cohort, originals: Cohort, **settings: int) -> Finding:
    return VisitIntervals(VisitIntervalSettings(**settings)).run(released, originals, seed=1)


visits = st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=4), min_size=3, max_size=25)


@given(visits, st.integers(1, 300))
def test_exact_intervals_are_counted_as_by_hand(days: list[list[int]], moved: int) -> None:
    """A shift of everybody's own changes nothing: who shares all intervals shares the guess."""
    several = [sorted(each) for each in days if len(each) > 1]
    if len(several) < 2:
        return
    shifts = [moved + 7 * number % 60 for number in range(len(days))]
    released = cohort([[day - shift for day in each] for each, shift in zip(days, shifts, strict=True)])
    found = attack(released, cohort(days)).estimates
    prints = [tuple(np.diff(each)) for each in several]
    expected = np.mean([1 / prints.count(one) for one in prints])
    assert found["every interval to the day"].value == pytest.approx(expected)
    assert found["if intervals were kept"].value == pytest.approx(expected)
    assert found["success rate"].value >= expected - 1e-12
    counts = [len(each) for each in several]
    assert found["success rate"].control == pytest.approx(np.mean([1 / counts.count(count) for count in counts]))
    assert found["success rate"].chance == pytest.approx(1 / len(days))


def drawn(people: int, seed: int = 2) -> list[list[int | None]]:
    draw = np.random.default_rng(seed)
    return [
        [int(day) for day in draw.integers(0, 900) + np.cumsum(draw.integers(1, 400, size=draw.integers(2, 5)))]
        for _ in range(people)
    ]


def told(original: Cohort, dates: Any) -> Cohort:
    keys = Keys(b"\x05" * 32, tellings=Tellings(Telling(dates=dates)))
    people = {patient: Person(keys, patient) for patient in original.table["patient_id"].unique()}
    days = [
        people[patient].telling.day(people[patient].moved(day.date()))
        for patient, day in zip(original.table["patient_id"], original.table["date"], strict=True)
    ]
    return Cohort.of(original.table.assign(date=pd.to_datetime(pd.Series(days, dtype=object))), Path())


def test_the_less_is_told_of_dates_the_fewer_are_found() -> None:
    original = cohort(drawn(150))
    found = {dates: attack(told(original, dates), original).estimate for dates in ("day", "month", "year", "dropped")}
    values = [one.value for one in found.values()]
    assert values == sorted(values, reverse=True)
    assert found["day"].value > 0.9, "intervals are a fingerprint"
    assert found["dropped"].value == found["dropped"].control, "the number of visits is left"


def test_blurred_intervals_hide_some_and_not_all() -> None:
    original = cohort(drawn(150))
    blurred = attack(told(original, "blurred"), original).estimates
    assert blurred["every interval to the day"].value < 0.1
    assert blurred["every interval to the day"].value < blurred["least difference in proportion"].value < 0.9
    assert blurred["success rate"].value == blurred["least difference in proportion"].value, "the strongest counts"


def test_who_is_not_told_hides_among_others_who_are_not() -> None:
    days = drawn(40)
    some = [[None] * len(each) if number % 2 else each for number, each in enumerate(days)]
    found = attack(cohort(some), cohort(days)).estimate
    everybody = attack(cohort(days), cohort(days)).estimate
    assert found.value < everybody.value
    assert found.value > attack(cohort([[None] * len(each) for each in days]), cohort(days)).estimate.value


def test_what_lies_further_off_than_dates_are_moved_is_left_out() -> None:
    early, late = [[0, 10], [20, 30]], [[5000, 5010], [5020, 5030]]
    assert attack(cohort(early + late), cohort(early + late)).estimate.value == 0.5


def test_targets_are_drawn_by_the_seed() -> None:
    original = cohort(drawn(60))
    few = attack(original, original, targets=20).estimate
    assert (few.n, few.units) == (20, 20)
    assert attack(original, original, targets=20).estimate == few


@pytest.mark.parametrize("days", [[[1], [2], [3]], [[1, None], [2, None]], [[1, 5], [2]]])
def test_no_intervals_no_attack(days: list[list[int | None]]) -> None:
    with pytest.raises(NothingToAttack):
        attack(cohort(days), cohort(days))


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingsError):
        VisitIntervalSettings(within=0)
    with pytest.raises(SettingsError):
        VisitIntervalSettings(targets=1)


def test_conforms(hospital: Cohort) -> None:
    finding = check_attack(VisitIntervals(), hospital)
    assert finding.verdict is Verdict.FAIL, "a phantom's visits are a fingerprint"

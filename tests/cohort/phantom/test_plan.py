"""The plan: histories that hang together."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from medveil.cohort.phantom.plan import PatientPlan, plan_patient
from medveil.cohort.schema import LABELS


@pytest.fixture(scope="module")
def plans() -> list[PatientPlan]:
    return [plan_patient(7, number, 3) for number in range(500)]


def test_a_patient_follows_from_seed_and_number(plans: list[PatientPlan]) -> None:
    assert plan_patient(7, 123, 3) == plans[123]
    assert plan_patient(8, 123, 3) != plans[123]


def test_visits_follow_one_another(plans: list[PatientPlan]) -> None:
    for plan in plans:
        dates = [visit.date for visit in plan.visits]
        assert dates == sorted(set(dates))
        assert [visit.number for visit in plan.visits] == list(range(len(dates)))
    assert {plan.site for plan in plans} == {0, 1, 2}
    assert max(len(plan.visits) for plan in plans) <= 9


def test_ages_are_those_of_the_birthday(plans: list[PatientPlan]) -> None:
    for plan in plans:
        for visit in plan.visits:
            had = (visit.date.month, visit.date.day) >= (plan.birth.month, plan.birth.day)
            assert visit.age == visit.date.year - plan.birth.year - (not had)
    over = sum(any(visit.age > 89 for visit in plan.visits) for plan in plans)
    assert 10 < over < 60


def test_courses_tell_what_became_of_the_finding(plans: list[PatientPlan]) -> None:
    for plan in plans:
        before: dict[int, float] = {}
        for visit in plan.visits:
            for finding in visit.findings:
                old = before.get(finding.key)
                match finding.course:
                    case "new":
                        assert old is None
                    case "unchanged":
                        assert finding.extent == old
                    case "larger":
                        assert old is not None and finding.extent > old
                    case "smaller":
                        assert old is not None and finding.extent < old
            before = {finding.key: finding.extent for finding in visit.findings}


def test_every_label_occurs_at_a_believable_rate(plans: list[PatientPlan]) -> None:
    visits = [visit for plan in plans for visit in plan.visits]
    counts = Counter(label for visit in visits for label in visit.labels)
    assert set(counts) == set(LABELS)
    assert 0.25 < counts["No Finding"] / len(visits) < 0.7
    assert all(count / len(visits) > 0.02 for count in counts.values())
    for visit in visits:
        assert ("No Finding" in visit.labels) == (not visit.findings)
        assert all(0 <= finding.extent <= 1 for finding in visit.findings)


def test_dates_are_in_the_past_century(plans: list[PatientPlan]) -> None:
    assert min(plan.birth for plan in plans) > dt.date(1900, 1, 1)

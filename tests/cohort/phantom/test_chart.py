"""Invented people: unique numbers, recognisably fictional, of many origins."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort.phantom.chart import _STRIDE, Demographics, make_demographics, make_encounter
from medveil.cohort.phantom.invented_names import ORDINARY_WORDS, SURNAMES, fold, mistyped, surnames
from medveil.cohort.phantom.plan import PatientPlan, plan_patient
from medveil.cohort.phantom.sites import HABITS, MOST, make_site


@pytest.fixture(scope="module")
def people() -> list[tuple[PatientPlan, Demographics]]:
    plans = [plan_patient(7, number, 10) for number in range(600)]
    return [(plan, make_demographics(7, plan, make_site(7, plan.site))) for plan in plans]


def test_numbers_never_repeat(people) -> None:
    mrns = [person.mrn for _, person in people]
    assert len(set(mrns)) == len(mrns)
    accessions = [
        make_encounter(7, plan, visit, make_site(7, plan.site)).accession for plan, _ in people for visit in plan.visits
    ]
    assert len(set(accessions)) == len(accessions)
    assert max(map(len, accessions)) <= 16  # DICOM's SH
    assert math.gcd(_STRIDE, 10) == 1  # so that the numbers of the largest hospital differ too


def test_everyone_is_recognisably_fictional(people) -> None:
    for _, person in people:
        assert re.search(r"555[ .-]01\d\d$", person.phone)
        assert re.fullmatch(r"9\d\d-\d\d-\d{4}", person.ssn)
        assert re.fullmatch(r"[a-z.-]+\d+@mail\.example\.org", person.email)


def test_names_are_of_many_kinds(people) -> None:
    families = {person.family for _, person in people}
    for kind in (r"[^\x00-\x7f]", r"'", r"-", r" ", r"^van ", r"^O'"):
        assert any(re.search(kind, family) for family in families), kind
    assert sum(family.casefold() in ORDINARY_WORDS for family in families) > 15
    assert len(families) > 150


def test_a_person_is_the_same_at_every_visit_and_in_every_run(people) -> None:
    plan, person = people[5]
    assert make_demographics(7, plan_patient(7, 5, 10), make_site.__wrapped__(7, plan.site)) == person


def test_sites_have_formats_of_their_own() -> None:
    assert len(HABITS) == MOST
    first = HABITS[:3]
    for trait in ("style", "mrn", "accession", "date", "layout"):
        assert len({getattr(habits, trait) for habits in first}) == 3
    hospitals = [make_site(7, number).hospital for number in range(MOST)]
    assert len(set(hospitals)) == MOST


@given(st.sampled_from([name for origin in SURNAMES for name in surnames(origin)]), st.integers(0, 2**31))
def test_a_typing_error_is_one_slip(word: str, seed: int) -> None:
    slip = mistyped(np.random.default_rng(seed), word)
    assert slip != word
    assert slip[0] == word[0]
    assert _edits(word, slip) <= 2  # a swap counts twice


def test_folding_leaves_plain_letters() -> None:
    assert fold("Jürgen Groß Østergaard Dvořák Małgorzata") == "Jurgen Gross Ostergaard Dvorak Malgorzata"


def _edits(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, last = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
    return row[-1]

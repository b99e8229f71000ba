from __future__ import annotations

import pytest

from medveil.defenses.reports.told_ages import with_told_ages
from medveil.person.telling import Telling

TEN = Telling(ages=10)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A 56-year-old man.", "A 50-59-year-old man."),
        ("56 y/o F with cough", "50-59 y/o F with cough"),
        ("56yo woman", "50-59yo woman"),
        ("56 y.o. male", "50-59 y.o. male"),
        ("Fifty-six-year-old woman", "50-59-year-old woman"),
        ("56 year\nold man", "50-59 year\nold man"),
        ("The patient is 56 years of age.", "The patient is 50-59 years of age."),
        ("He is 56.", "He is 50-59."),
        ("Age: 56", "Age: 50-59"),
        ("Age/Sex:   56 / F", "Age/Sex:   50-59 / F"),
        ("56M, 28F chest tube", "50-59M, 28F chest tube"),
        ("56, male", "50-59, male"),
        ("a 7-month-old girl", "a 0-9-year-old girl"),
        ("a woman in her late 50s", "a woman in her 50s"),
        ("mother died at 61", "mother died at 60-69"),
        ("56-jährige Patientin", "50-59-jährige Patientin"),
        ("90-year-old", "90+-year-old"),
        ("children ages 6 and 8", "children ages 0-9 and 0-9"),
    ],
)
def test_ages_come_in_the_bands_of_the_table(text: str, told: str) -> None:
    assert with_told_ages(text, TEN)[0] == told
    assert with_told_ages(told, TEN)[0] == told, "and stay so"
    assert with_told_ages(text, Telling()) == (text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "smoked for 30 years, 40 pack-years, quit 5 years ago",
        "stable for 10 years",
        "5-year follow-up",
        "28F chest tube, an 8 F pigtail, 14 French drain",
        "temperature 98 F",
        "image 3/5, page 45, stage 2",
        "a 5 mm nodule, 12 months ago",
        "The angle is 56 degrees.",
        "T4 56 cm",
        "FEV1 56 %",
    ],
)
def test_what_is_no_age_stays(text: str) -> None:
    for ages in (5, 10, 20, 0):
        assert with_told_ages(text, Telling(ages=ages)) == (text, 0)


def test_other_bands_and_none() -> None:
    text = "A 56-year-old woman in her late 50s; her father is 93 years old."
    assert with_told_ages(text, Telling(ages=5))[0] == (
        "A 55-59-year-old woman in her 50s; her father is 90+ years old."
    )
    assert with_told_ages(text, Telling(ages=20)) == (
        "A 40-59-year-old woman aged 40-59; her father is 80+ years old.",
        3,
    )
    assert with_told_ages("A 90+-year-old, 90+ M, aged 90+.", Telling(ages=20))[0] == "A 80+-year-old, 80+ M, aged 80+."
    assert with_told_ages(text, Telling(ages=0))[0] == (
        "A [AGE]-year-old woman in her [AGE]; her father is [AGE] years old."
    )

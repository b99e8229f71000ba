from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.cohort import Cohort
from medveil.defenses.reports.defense import CleanReports
from medveil.defenses.table.application import applied
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import NOT_COVERED, PseudonymousRecords
from medveil.defenses.table.generalisation import AGES, STUDIES, Node
from medveil.defenses.table.plan import TablePlan
from medveil.defenses.table.search import plan_table
from medveil.errors import Quarantined, SettingsError
from medveil.part_settings import read_text, write_text
from medveil.parts import Subject, choose
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.testing import check_defense
from tests.defenses.table.conftest import made_table

KEYS = Keys.for_demonstration(7)
Settings = PseudonymousRecords.Settings


def row_by_row(table: pd.DataFrame, settings: Settings) -> tuple[pd.DataFrame, list[str | None]]:
    """What the defense makes of it, subject after subject."""
    defense = PseudonymousRecords(KEYS, settings)
    rows, reasons = [], []
    for row in table.to_dict("records"):
        subject = Subject(Person(KEYS, str(row["patient_id"])), row=dict(row))
        subject.begin(defense)
        try:
            rows.append(defense.apply(subject).row)
            reasons.append(None)
        except Quarantined as withheld:
            reasons.append(withheld.reason)
    return pd.DataFrame(rows, columns=[*table.columns]), reasons


def same(one: pd.Series, other: pd.Series) -> bool:
    return [None if pd.isna(v) else v for v in one] == [None if pd.isna(v) else v for v in other]


some_people = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from([0.5, 23.0, 38.9, 61.0, 95.0, None]),
            "sex": st.sampled_from(["F", "M", None]),
            "site": st.sampled_from(["north", "south", None]),
            "day": st.integers(0, 900),
            "gaps": st.lists(st.integers(0, 400), max_size=2).map(tuple),
        }
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60)
@given(
    some_people,
    st.sampled_from(AGES),
    st.sampled_from(["kept", "merged", "dropped"]),
    st.sampled_from(["day", "blurred", "month", "quarter", "year", "dropped"]),
    st.sampled_from(STUDIES),
    st.data(),
)
def test_row_by_row_is_the_plan_applied_to_the_table(
    drawn: list[dict[str, Any]], ages: int, sites: Any, dates: Any, studies: Any, data: st.DataObject
) -> None:
    table = made_table(drawn)

    def some(kind: str, column: str) -> frozenset[str]:
        ids = sorted(table[column].dropna().unique())
        return frozenset(KEYS.digest(kind, str(one)) for one in ids if data.draw(st.booleans()))

    plan = CarriedPlan(
        node=Node(ages, sites, dates, studies),
        withheld=some("patient", "patient_id"),
        later=some("study", "study_id"),
        no_age=some("patient", "patient_id"),
        no_site=some("patient", "patient_id"),
        no_date=some("patient", "patient_id"),
        pooled=some("site", "site") if sites == "merged" else frozenset(),
    )
    told, reasons = applied(table, plan, KEYS)
    settings = Settings(**plan.node._asdict(), plan=plan.written())
    rows, why = row_by_row(table, settings)
    assert why == [None if pd.isna(reason) else reason for reason in reasons]
    for column in ("age", "sex", "site", "date"):
        assert same(rows[column], told[column]), column
    assert same(rows["patient_id"], told["patient_id"].map(lambda one: KEYS.pseudonym("patient", one)))


def test_a_plan_travels_as_settings(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    plan = plan_table(cohort_table(100), KEYS, k=12)
    (table,) = plan.applied_to(choose("defenses", ["table:keep_columns=note"]))
    assert table.settings.keep_columns == ("note",)
    assert read_text(Settings, write_text(table.settings), of="it") == table.settings
    assert CarriedPlan.read(table.settings.plan) == plan.carried
    assert "at least 11 others" in table.build(keys=KEYS).guarantee.statement
    engine = Engine(KEYS, choose("defenses", [table.text]))
    assert Engine.as_told(KEYS, engine.told()).told() == engine.told()
    assert engine.keys.tellings == table.settings.tellings


def test_the_engine_tells_everyone_what_the_table_tells() -> None:
    engine = Engine(KEYS, choose("defenses", ["table:ages=10,dates=month,sites=dropped", "reports"]))
    person = engine.person("4711")
    assert (person.telling.ages, person.telling.dates, person.telling.sites) == (10, "month", False)
    text = engine.clean_text("A 56-year-old man. Compared with the film of 03/14/2019.", person)
    moved = person.moved(pd.Timestamp("2019-03-14").date())
    assert text == f"A 50-59-year-old man. Compared with the film of {moved:%B %Y}."


def test_what_the_plan_withholds_is_not_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cleaning a report and hiding an anatomy take long, and would be for nothing."""
    plan = CarriedPlan(withheld=frozenset({KEYS.digest("patient", "1")}), later=frozenset({KEYS.digest("study", "s")}))
    settings = Settings(plan=plan.written())
    engine = Engine(
        KEYS, (*choose("defenses", ["reports"]), replace(choose("defenses", ["table"])[0], settings=settings))
    )
    row = {"patient_id": "2", "study_id": "s", "image_id": "i"}

    def fail(*_: object) -> None:
        raise AssertionError("worked on in vain")

    monkeypatch.setattr(CleanReports, "apply", fail)
    for subject in (Subject(Person(KEYS, "1"), text="Normal."), Subject(Person(KEYS, "2"), text="Normal.", row=row)):
        with pytest.raises(Quarantined):
            engine.clean(subject)


def test_a_dicom_file_is_not_let_through_where_the_table_tells_less() -> None:
    from pydicom.dataset import FileDataset, FileMetaDataset

    dataset = FileDataset("x", {}, file_meta=FileMetaDataset())
    with pytest.raises(Quarantined, match=NOT_COVERED):
        PseudonymousRecords(KEYS, Settings(ages=10)).apply(Subject(Person(KEYS, "1"), dataset=dataset))
    plain = Subject(Person(KEYS, "1"), dataset=dataset)
    assert PseudonymousRecords(KEYS).apply(plain) is plain


@pytest.mark.parametrize(
    "changes",
    [
        {"sites": "merged"},
        {"studies": "first"},
        {"plan": "none of ours"},
        {"plan": "{}"},
        {"plan": CarriedPlan(Node(ages=10)).written()},
        {"ages": 10, "plan": CarriedPlan(Node(ages=10)).written().replace('"visits":"all"', '"withheld":"!"')},
    ],
)
def test_settings_that_no_plan_wrote_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        Settings(**changes)


def test_what_is_promised_follows_from_what_is_set() -> None:
    plain = PseudonymousRecords(KEYS)
    assert plain.guarantee is PseudonymousRecords.guarantee
    by_hand = PseudonymousRecords(KEYS, Settings(ages=20, dates="dropped"))
    assert "bands of 20 years" in by_hand.guarantee.statement
    assert "Dates are not released" in by_hand.guarantee.statement
    assert "others" not in by_hand.guarantee.statement, "nobody counted how many are alike"
    blurred = PseudonymousRecords(KEYS, Settings(dates="blurred"))
    assert any("measured" in limit for limit in blurred.limits)


def test_a_plan_that_is_damaged_is_refused(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    told = plan_table(cohort_table(40), KEYS, k=4).to_json()
    for broken in ({}, {**told, "plan": "x"}, {**told, "figures": {}}):
        with pytest.raises(SettingsError):
            TablePlan.of(broken)


def test_a_plan_needs_its_defense(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    plan = plan_table(cohort_table(40), KEYS, k=4)
    with pytest.raises(SettingsError):
        plan.applied_to(choose("defenses", ["reports"]))


@pytest.mark.parametrize("by_hand", [Settings(ages=10, dates="quarter", sites="dropped"), Settings(dates="blurred")])
def test_conforms(hospital: Cohort, by_hand: Settings) -> None:
    check_defense(PseudonymousRecords(KEYS, by_hand), hospital, images=3)


def test_a_planned_defense_conforms(hospital: Cohort) -> None:
    keys = Keys.for_demonstration(1)  # as the check has them
    plan = plan_table(hospital.table, keys, k=3, facts=("age", "sex"))
    check_defense(PseudonymousRecords(keys, plan.settings(Settings())), hospital, images=3)
    assert replace(plan, carried=plan.carried) == plan

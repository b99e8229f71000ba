from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.defenses.reports.told_ages import with_told_ages
from medveil.defenses.table.application import applied
from medveil.defenses.table.plan import TablePlan
from medveil.defenses.table.search import plan_table
from medveil.parts import choose
from medveil.person.keys import Keys
from medveil.person.telling import Telling
from medveil.person.written_dates import dates_in
from medveil.release import Settings, release
from medveil.release.verify.group_check import GroupChecker
from medveil.release.verify.run_record import RunRecord

KEYS = Keys.for_demonstration(1)
CHAIN = ("headers", "table", "reports")


@pytest.fixture(scope="module")
def source(hospital: Cohort, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    """Twelve patients of the hospital, some of them with more visits than anybody else."""
    folder = tmp_path_factory.mktemp("planned") / "in"
    some = hospital.where(hospital.table["patient_id"].isin(hospital.table["patient_id"].unique()[:12]))
    for path in some.table["path"]:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(hospital.root / path, folder / path)
    some.save(folder)
    return Cohort.open(folder)


@pytest.fixture(scope="module")
def plan(source: Cohort) -> TablePlan:
    return plan_table(source.table, KEYS, k=3, facts=("age", "sex", "date"), most_withheld=0.9)


@pytest.fixture(scope="module")
def out(source: Cohort, plan: TablePlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("planned") / "out"
    planned = plan.applied_to(choose("defenses", CHAIN))
    settings = Settings(
        defenses=tuple(choice.text for choice in planned),
        attacks=("singling-out:facts=age,facts=sex", "visit-intervals"),
        measures=("label-probe",),
    )
    release(source.root, out, keys=KEYS, settings=settings, workers=1)
    return out


def report(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "report.json").read_text())
    return found


def test_what_is_released_is_the_plan(out: Path, source: Cohort, plan: TablePlan) -> None:
    told, reasons = applied(source.table, plan.carried, KEYS)
    released = Cohort.open(out / "data").table
    expected = told.assign(image_id=[KEYS.pseudonym("image", one) for one in source.table["image_id"][told.index]])
    expected = expected.sort_values("image_id")
    for column in ("age", "sex", "date", "site"):
        ours, theirs = (
            table[column].astype(object).where(table[column].notna(), None) for table in (released, expected)
        )
        assert ours.tolist() == theirs.tolist(), column
    assert report(out)["subject"]["quarantined"] == dict(Counter(reasons.dropna()))
    assert plan.figures.withheld_images == reasons.notna().sum() > 0


def checked(out: Path, source: Cohort, *, find_afresh: bool = True) -> set[tuple[str, str, bool]]:
    """What `verify` finds in rows and texts, without reading the films."""
    record = RunRecord.of(out)
    keys = record.keys(KEYS)
    originals = record.originals(record.read(source.root, workers=1), keys)
    checker = GroupChecker(originals.root, out / "data", keys, record, read=frozenset(), find_afresh=find_afresh)
    found = [one for group in originals.groups for one in checker.discrepancies(group)]
    return {(one.place, one.found, one.leak) for one in found}


def test_the_checks_know_the_plan(out: Path, source: Cohort) -> None:
    assert report(out)["check"]["found"] == {}
    assert checked(out, source) == set()


def test_a_row_that_tells_more_than_the_plan_is_found(out: Path, source: Cohort, tmp_path: Path) -> None:
    copied = tmp_path / "out"
    shutil.copytree(out, copied)
    data = Cohort.open(copied / "data")
    changed = data.table.assign(age=51, date=pd.Timestamp("2017-05-05"))
    Cohort.of(changed, copied / "data").save(copied / "data")
    found = checked(copied, source, find_afresh=False)
    assert {("age", "another age", True), ("date", "another date", True)} <= found


def test_the_attacks_find_fewer_and_the_report_says_what_is_promised(out: Path, plan: TablePlan) -> None:
    found = {one["part"]: one for one in report(out)["comparisons"]}
    for part in ("singling-out", "visit-intervals"):
        before, after = (found[part][when]["estimates"]["success rate"]["value"] for when in ("before", "after"))
        assert after < before
        assert after <= 1 / 3 + 1e-9, "three are alike at least"
    (table,) = (one for one in report(out)["removals"] if one["defense"] == "table")
    assert f"at least {plan.carried.alike - 1} others" in table["guarantee"]["statement"]


def test_reports_tell_no_more_than_the_table(out: Path, plan: TablePlan) -> None:
    assert plan.node.dates == "dropped" and plan.node.ages != 1
    texts = " ".join(Cohort.open(out / "data").table["report"].dropna())
    assert "DOB" in texts and "[DATE]" in texts
    assert with_told_ages(texts, Telling(ages=plan.node.ages)) == (texts, 0)
    assert not [text for start, end, _ in dates_in(texts) if (text := texts[start:end]).count("/") == 2]

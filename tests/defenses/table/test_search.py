from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.attacks.singling_out.attack import SinglingOut
from medveil.attacks.visit_intervals.attack import VisitIntervals
from medveil.cohort import Cohort
from medveil.defenses.table.application import applied
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import LATER_STUDY, TOO_FEW_ALIKE
from medveil.defenses.table.generalisation import AGES, GRAINS, SITES, Fact, Lattice, Node
from medveil.defenses.table.plan import TablePlan
from medveil.defenses.table.search import _Search, _Wanted, plan_table
from medveil.defenses.table.settling import Known, Treatment
from medveil.defenses.table.visits import Visits
from medveil.errors import NotMeasurable, SettingsError
from medveil.person.keys import Keys
from tests.defenses.table.conftest import made_table

KEYS = Keys.for_demonstration(7)
FACTS: tuple[Fact, ...] = ("age", "sex", "site", "date")

people = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from([23.0, 27.0, 31.0, 38.0, 61.0, 95.0, None]),
            "sex": st.sampled_from(["F", "M"]),
            "site": st.sampled_from(["north", "south", "east", None]),
            "day": st.integers(0, 900),
            "gaps": st.lists(st.integers(0, 400), max_size=2).map(tuple),
            "images": st.integers(1, 2),
        }
    ),
    min_size=6,
    max_size=16,
)


def counted(told: pd.DataFrame, facts: tuple[str, ...], visits: Known) -> Counter[Any]:
    """The other way to count: tuples of what is told, compared one by one."""
    seen: dict[str, set[Any]] = {}
    for row in told.astype(object).where(told.notna(), None).to_dict("records"):
        seen.setdefault(row["patient_id"], set()).add((row["study_id"], *(row[fact] for fact in facts)))
    if visits == "one":
        return Counter(combination for one in seen.values() for combination in {visit[1:] for visit in one})
    return Counter(tuple(sorted((visit[1:] for visit in one), key=repr)) for one in seen.values())


@settings(max_examples=12)
@given(people, st.integers(2, 4), st.sampled_from(["one", "all"]), st.sampled_from([FACTS, FACTS[:3], ("age", "date")]))
def test_everybody_who_is_released_has_enough_people_alike(
    drawn: list[dict[str, Any]], k: int, visits: Known, facts: tuple[Fact, ...]
) -> None:
    table = made_table(drawn)
    try:
        plan = plan_table(table, KEYS, k=k, facts=facts, visits=visits, most_withheld=0.95, most_excepted=1)
    except SettingsError:
        return
    told, _ = applied(table, plan.carried, KEYS)
    fewest = min(counted(told, facts, visits).values())
    assert fewest >= k
    assert plan.figures.alike == fewest == plan.carried.alike


@settings(max_examples=5)
@given(people, st.integers(2, 4), st.sampled_from(["one", "all"]))
def test_no_other_generalisation_loses_less(drawn: list[dict[str, Any]], k: int, visits: Known) -> None:
    table = made_table(drawn)
    search = _Search(Visits.of(table, KEYS, FACTS), _Wanted(None, k, FACTS, visits, 0.9, 1.0), {})
    best = search.best()
    every = [found for _, node in search.ordered if (found := search.at(node)) is not None]
    assert (best is None) == (not every)
    if best is not None:
        assert best.loss == pytest.approx(min(found.loss for found in every))
        assert search.searched <= len(search.ordered)


@settings(max_examples=5)
@given(people, st.integers(2, 5), st.sampled_from(["one", "all"]))
def test_telling_less_never_makes_more_people_rare(drawn: list[dict[str, Any]], k: int, visits: Known) -> None:
    """What lets the search stop early, and more: who has enough people alike keeps them one step further up."""
    search = _Search(Visits.of(made_table(drawn), KEYS, FACTS), _Wanted(None, k, FACTS, visits, 0.9, 1.0), {})

    def fine(node: Node) -> np.ndarray:
        return search.people(node).settled(k).chosen == 0

    def loss(node: Node) -> float:
        return search.losses.generalisation(node)

    for steps, name in ((AGES, "ages"), (SITES, "sites"), (GRAINS, "dates")):
        nodes = [Node()._replace(**{name: step}) for step in steps]
        for less, more in pairwise(nodes):
            assert not (fine(less) & ~fine(more)).any(), (less, more)
            assert loss(less) <= loss(more) + 1e-12


@pytest.mark.parametrize("risk", [0.09, 0.3])
def test_a_stated_risk_is_met_by_the_attacks_themselves(
    cohort_table: Callable[[int], pd.DataFrame], risk: float
) -> None:
    table = cohort_table(240)
    plan = plan_table(table, KEYS, risk=risk)
    told, reasons = applied(table, plan.carried, KEYS)
    kept = reasons.isna().to_numpy()
    released = Cohort.of(table[kept].assign(**{name: told[name] for name in ("age", "site", "date")}), Path())
    originals = Cohort.of(table[kept], Path())
    found = SinglingOut().run(released, originals, seed=3).estimate
    assert found.high <= risk < SinglingOut().run(originals, originals, seed=3).estimate.high
    assert found.high <= plan.figures.upper <= risk
    if plan.figures.several_upper is not None:
        by_visits = VisitIntervals().run(released, originals, seed=3).estimate
        assert by_visits.high <= risk
        assert by_visits.value <= (plan.figures.several or 0) + 1e-12


def test_equal_tables_give_equal_plans_in_any_order(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    table = cohort_table(120)
    plan = plan_table(table, KEYS, k=15)
    other = table.sample(frac=1, random_state=3).reset_index(drop=True)
    assert plan_table(other, KEYS, k=15) == plan
    assert TablePlan.of(plan.to_json()) == plan


def test_a_plan_names_nobody(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    table = cohort_table(120)
    plan = plan_table(table, KEYS, k=15)
    assert plan.carried.withheld or plan.carried.later or plan.carried.no_age, "someone is an exception"
    text = repr(plan.to_json()) + repr(plan.told())
    for column in ("patient_id", "study_id", "site"):
        for value in table[column].unique():
            assert str(value) not in text
            assert KEYS.pseudonym("patient", str(value)) not in text


def test_what_is_withheld_has_a_reason_and_the_loss_counts_it(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    table = cohort_table(60)
    plan = plan_table(table, KEYS, k=9)
    assert plan.figures.withheld_images
    told, reasons = applied(table, plan.carried, KEYS)
    assert set(reasons.dropna()) <= {TOO_FEW_ALIKE, LATER_STUDY}
    assert len(told) + plan.figures.withheld_images == len(table)
    assert plan.figures.withheld_images / len(table) <= plan.figures.loss <= 1


def test_small_sites_are_merged_where_that_costs_least() -> None:
    large = [{"age": 50.0, "sex": "F", "site": "large", "day": 0, "gaps": ()} for _ in range(30)]
    small = [{"age": 50.0, "sex": "F", "site": f"small-{k % 4}", "day": 0, "gaps": ()} for k in range(12)]
    plan = plan_table(made_table([*large, *small]), KEYS, k=6, facts=("age", "sex", "site"))
    assert plan.node == Node(sites="merged")
    assert plan.figures.pooled_sites == 4
    assert plan.figures.alike == 12


def test_findings_are_counted_where_they_are_known() -> None:
    common = [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (), "edema": 0.0} for _ in range(20)]
    rare = [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (), "edema": 1.0} for _ in range(2)]
    table = made_table([*common, *rare])
    assert plan_table(table, KEYS, k=5, facts=("age", "sex")).figures.withheld_patients == 0
    assert plan_table(table, KEYS, k=5, facts=("age", "sex", "findings")).figures.withheld_patients == 2


def test_a_group_that_shares_its_findings_is_told() -> None:
    ill = [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (), "edema": 1.0} for _ in range(10)]
    others = [{"age": 50.0, "sex": "M", "site": "a", "day": 0, "gaps": (), "edema": float(k % 2)} for k in range(10)]
    figures = plan_table(made_table([*ill, *others]), KEYS, k=5, facts=("age", "sex")).figures
    assert (figures.same_findings, figures.fewest_findings) == (0.5, 1)


def test_who_has_more_visits_than_others_keeps_the_first_ones() -> None:
    usual = [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": ()} for _ in range(20)]
    often = [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (30, 40, 50)}]
    table = made_table([*usual, *often])
    plan = plan_table(table, KEYS, k=5, facts=("age", "sex"))
    assert (plan.node, plan.figures.fewer_studies, plan.figures.withheld_images) == (Node(), 1, 3)
    told, reasons = applied(table, plan.carried, KEYS)
    assert set(told[told["patient_id"] == "patient-20"]["study_id"]) == {"study-20-0"}
    assert set(reasons.dropna()) == {LATER_STUDY}
    many = [{**often[0], "gaps": (30,) * visits} for visits in range(9, 15)]
    plan = plan_table(made_table([*usual, *many]), KEYS, k=5, facts=("age", "sex"))
    assert (plan.figures.fewer_studies, plan.figures.withheld_images) == (6, sum(10 + n for n in range(6)) - 6 * 8)


def test_treatments_go_from_cells_to_studies() -> None:
    table = made_table([{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (3,)} for _ in range(4)])
    search = _Search(Visits.of(table, KEYS, FACTS), _Wanted(None, 2, FACTS, "all", 0.9, 1.0), {})
    assert search.people(Node(dates="dropped")).treatments() == (
        Treatment(),
        Treatment(("site",)),
        Treatment(("site", "age")),
        Treatment((), 1),
        Treatment(("site",), 1),
        Treatment(("site", "age"), 1),
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"k": 1},
        {"risk": 1.5},
        {"risk": 0.1, "k": 5},
        {"k": 5, "facts": ()},
        {"k": 5, "facts": ("age", "age")},
        {"k": 5, "facts": ("shoe size",)},
        {"k": 5, "visits": "some"},
        {"k": 5, "most_withheld": 1.0},
    ],
)
def test_what_makes_no_sense_is_refused(cohort_table: Callable[[int], pd.DataFrame], wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        plan_table(cohort_table(10), KEYS, **wrong)


def test_too_few_people_for_any_plan(cohort_table: Callable[[int], pd.DataFrame]) -> None:
    with pytest.raises(SettingsError, match="no way to release"):
        plan_table(cohort_table(8), KEYS, k=11)
    with pytest.raises(NotMeasurable):
        plan_table(cohort_table(1), KEYS, k=2)


def test_on_the_phantom_hospital(hospital: Cohort) -> None:
    plan = plan_table(hospital.table, KEYS, k=3, facts=("age", "sex", "site"), visits="one")
    told, _ = applied(hospital.table, plan.carried, KEYS)
    assert min(counted(told, ("age", "sex", "site"), "one").values()) >= 3
    assert plan.figures.success < plan.figures.success_before


def visits_far_apart(people: int) -> list[dict[str, Any]]:
    """Everybody has two visits, and no two people the same interval."""
    return [{"age": 50.0, "sex": "F", "site": "a", "day": 0, "gaps": (30 + 3 * k,)} for k in range(people)]


def test_blurred_intervals_are_tried_and_measured_where_a_risk_is_stated() -> None:
    table = made_table(visits_far_apart(90))
    visits = Visits.of(table, KEYS, ("sex", "date"))
    search = _Search(visits, _Wanted(0.5, None, ("sex", "date"), "all", 0.5, 0.2), {})
    node = Node(dates="blurred")
    assert node in [node for _, node in search.ordered]
    (_, (several, upper)) = search.risks(node, search.people(node).settled(2))
    told, _ = applied(table, CarriedPlan(node), KEYS)
    released, originals = (Cohort.of(one, Path()) for one in (table.assign(date=told["date"]), table))
    found = VisitIntervals().run(released, originals, seed=1).estimates
    by_attack = max(found["least difference in days"].value, found["least difference in proportion"].value)
    assert several == pytest.approx(by_attack)
    assert 0.02 < by_attack < 0.5
    vars(search).pop("ordered")
    vars(search)["lattice"] = Lattice(dates=("day", "blurred"), ages=(1,), sites=("kept",), studies=("all",))
    best = search.best()
    assert best is not None and best.node == node, "days are kept where their intervals give away little enough"
    assert search.carried(best).known == ("sex",), "alike is only what is counted"
    assert upper is not None and by_attack < upper <= 0.5
    strict = _Search(visits, _Wanted(0.05, None, ("sex", "date"), "all", 0.5, 0.2), {})
    assert strict.at(node) is None


def test_blurred_intervals_are_not_tried_where_people_are_to_be_alike() -> None:
    visits = Visits.of(made_table(visits_far_apart(9)), KEYS, ("sex", "date"))
    search = _Search(visits, _Wanted(None, 3, ("sex", "date"), "all", 0.5, 0.2), {})
    assert not any(node.dates == "blurred" for _, node in search.ordered)

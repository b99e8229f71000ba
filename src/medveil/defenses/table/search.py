"""`plan_table`: the least loss that meets a stated risk, found among all generalisations of a table.

A risk is stated as how many people at least are alike (`k`), or as the upper end of the interval of an attacker's
success (`risk`). Generalisations are taken in the order of what they cost by themselves. No exception makes one
cheaper, so the search ends, with the best there is, where the next costs as much as the best that was found; what
is more general than one that needs no exception is thus never looked at. Blurred intervals are tried where a risk
is stated: what they give away is measured on this table, with these keys, and not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.defenses.table.application import applied, group_codes, people_alike
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.generalisation import AGES, EVERYTHING, FACTS, GRAINS, SITES, STUDIES, Fact, Lattice, Node
from medveil.defenses.table.interval_risk import picked_by_intervals
from medveil.defenses.table.loss import Losses
from medveil.defenses.table.plan import Figures, TablePlan
from medveil.defenses.table.settling import CELLS, Known, People, Settled
from medveil.defenses.table.visits import Visits, present_findings
from medveil.errors import NotMeasurable, SettingsError
from medveil.person.keys import Keys
from medveil.person.telling import Dates
from medveil.stats.shares import exact_interval

USUAL: tuple[Fact, ...] = ("age", "sex", "site", "date")
ALIKE = (2, 3, 5, 7, 11, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500)  # tried where a risk is stated: never one
_SLACK = 1e-12


def plan_table(
    table: pd.DataFrame,
    keys: Keys,
    *,
    risk: float | None = None,
    k: int | None = None,
    facts: Sequence[Fact] = USUAL,
    visits: Known = "all",
    most_withheld: float = 0.5,
    most_excepted: float = 0.2,
    weights: Mapping[str, float] | None = None,
) -> TablePlan:
    """How to release the table of a cohort. Equal tables and keys give equal plans, in whatever order their rows are.

    The attacker knows these `facts` of one of a person's `visits`, or of all. At most the share `most_withheld` of the
    images is withheld, and `most_excepted` of the patients lose a cell that others keep.
    """
    wanted = _Wanted(risk, k, tuple(facts), visits, most_withheld, most_excepted)
    coded = Visits.of(table, keys, wanted.facts)
    if coded.people < 2:
        raise NotMeasurable("a plan of the table needs at least two patients")
    search = _Search(coded, wanted, weights or {})
    best = search.best()
    if best is None:
        raise SettingsError(
            f"no way to release this table meets {wanted.said} with at most {most_withheld:.0%} of the images "
            "withheld; allow a higher risk, let more be withheld, or bring more patients"
        )
    carried = search.carried(best)
    figures = _figures(table, keys, search, best, carried)
    return TablePlan(carried, figures)


@dataclass(frozen=True)
class _Wanted:
    """What is to be met."""

    risk: float | None
    k: int | None
    facts: tuple[Fact, ...]
    known: Known
    most_withheld: float
    most_excepted: float

    def __post_init__(self) -> None:
        if (self.risk is None) == (self.k is None):
            raise SettingsError("the risk of the table is stated as a risk or as k, as one of the two")
        if self.risk is not None and not 0 < self.risk < 1:
            raise SettingsError("the risk is a probability: give a number between 0 and 1, such as 0.09")
        if self.k is not None and self.k < 2:
            raise SettingsError("k is a number of people: give 2 or more, such as 11")
        if not self.facts or len(set(self.facts)) < len(self.facts) or not set(self.facts) <= set(FACTS):
            raise SettingsError(f"an attacker knows at least one of {', '.join(FACTS)}, each named once")
        if self.known not in ("one", "all"):
            raise SettingsError("an attacker knows one of a person's visits, or all")
        if not (0 <= self.most_withheld < 1 and 0 <= self.most_excepted <= 1):
            raise SettingsError("the shares of what may be withheld or excepted lie between 0 and 1, such as 0.5")

    @property
    def said(self) -> str:
        return f"k = {self.k}" if self.k else f"a risk of {self.risk:g}"

    @property
    def least(self) -> int:
        """People who are to be alike, or would be if all groups were equally large."""
        return self.k or math.ceil(1 / (self.risk or 1) - _SLACK)


@dataclass(frozen=True)
class _Found:
    node: Node
    settled: Settled
    least: int
    loss: float


class _Search:
    def __init__(self, visits: Visits, wanted: _Wanted, weights: Mapping[str, float]) -> None:
        self.visits, self.wanted = visits, wanted
        self.pooled = visits.pooled(wanted.least) if "site" in wanted.facts else np.zeros(1, dtype=bool)
        self.losses = Losses(visits, wanted.facts, self.pooled, weights)
        self.searched = 0

    @cached_property
    def lattice(self) -> Lattice:
        """Steps that would change nothing are left out."""
        told = {fact for fact in self.wanted.facts if self.visits.has(fact)}
        sites = ("kept", "dropped") if not self.pooled.any() or len(self.visits.sites) < 3 else SITES
        by_attack: tuple[Dates, ...] = ("blurred",) if self.wanted.risk and self.wanted.known == "all" else ()
        return Lattice(
            ages=AGES if "age" in told else AGES[:1],
            sites=sites if "site" in told and len(self.visits.sites) > 1 else SITES[:1],
            dates=(*GRAINS, *by_attack) if "date" in told else GRAINS[:1],
            studies=STUDIES if self.visits.several_studies.any() else STUDIES[:1],
        )

    @cached_property
    def ordered(self) -> list[tuple[float, Node]]:
        """By what they cost without exceptions; of equals, the one that changes less."""
        nodes = [(self.losses.generalisation(node), at, node) for at, node in enumerate(self.lattice.nodes())]
        return [(loss, node) for loss, _, node in sorted(nodes, key=lambda one: one[:2])]

    def best(self) -> _Found | None:
        best: _Found | None = None
        for bound, node in self.ordered:
            if best is not None and bound >= best.loss - _SLACK:
                break
            found = self.at(node)
            self.searched += 1
            if found is not None and (best is None or found.loss < best.loss - _SLACK):
                best = found
        return best

    def counted(self, node: Node) -> tuple[Fact, ...]:
        """The facts in which people are alike: blurred dates are alike for nobody, and are measured instead."""
        return tuple(fact for fact in self.wanted.facts if fact != "date" or node.dates != "blurred")

    def people(self, node: Node) -> People:
        told = self.visits.told(node, self.counted(node), self.pooled)
        return People(self.visits, told, self.wanted.known, first=node.studies == "first")

    def at(self, node: Node) -> _Found | None:
        """The exceptions that this generalisation needs; none where too much would have to be withheld."""
        if node.dates == "blurred" and node != self._most_blurred and self.at_most_blurred is None:
            return None  # with ages or sites told beside them, intervals fit fewer people
        people = self.people(node)
        for least in self._tried(node):
            if least > self.visits.people:
                return None
            settled = people.settled(least)
            if self._withheld(node, settled) > self.wanted.most_withheld * self.visits.images.sum():
                return None  # with more people alike, more is withheld
            if max(settled.having(cell).sum() for cell in CELLS) > self.wanted.most_excepted * self.visits.people:
                return None
            if self.wanted.k or self._meets_risk(node, settled):
                return _Found(node, settled, least, self.losses.of(node, settled))
        return None

    @property
    def _most_blurred(self) -> Node:
        """The generalisation that tells least beside blurred intervals."""
        return Node(self.lattice.ages[-1], self.lattice.sites[-1], "blurred", "all")

    @cached_property
    def at_most_blurred(self) -> _Found | None:
        return self.at(self._most_blurred)

    def _tried(self, node: Node) -> tuple[int, ...]:
        """How many people are to be alike; what is measured is tried with fewer numbers than what is counted."""
        if self.wanted.k:
            return (self.wanted.k,)
        return (2, self.wanted.least) if node.dates == "blurred" else ALIKE

    def _withheld(self, node: Node, settled: Settled) -> float:
        return float(self.visits.images[self.losses.gone(node, settled)].sum())

    def _meets_risk(self, node: Node, settled: Settled) -> bool:
        assert self.wanted.risk is not None
        highs = (upper for _, upper in self.risks(node, settled) if upper is not None)
        return all(upper <= self.wanted.risk for upper in highs)

    def risks(self, node: Node, settled: Settled) -> list[tuple[float | None, float | None]]:
        """How often the right patient is picked, and the upper end: of all, and of those with several studies."""
        alike, several = settled.alike, self.visits.several_studies & (settled.studies > 1) & (node.studies == "all")
        if "date" not in self.wanted.facts:
            return [_picked(1 / alike[settled.released])]
        with_several = 1 / alike[settled.released & several]
        if node.dates == "blurred" and len(with_several):
            with_several = picked_by_intervals(self.visits, settled)
        some = np.resize(with_several, (settled.released & several).sum())  # as many as there are, if few were tried
        return [_picked(np.r_[1 / alike[settled.released & ~several], some]), _picked(with_several)]

    def carried(self, found: _Found) -> CarriedPlan:
        visits, keys, settled = self.visits, self.visits.keys, found.settled

        def digests(kind: str, ids: NDArray[np.object_]) -> frozenset[str]:
            return frozenset(keys.digest(kind, str(one)) for one in ids)

        gone = self.losses.gone(found.node, settled) & settled.released[visits.patient]
        merged = visits.sites[self.pooled[1:]] if found.node.sites == "merged" else visits.sites[:0]
        return CarriedPlan(
            node=found.node,
            alike=int(settled.alike[settled.released].min()),
            known=tuple(fact for fact in FACTS if fact in self.counted(found.node)),
            visits=self.wanted.known,
            withheld=digests("patient", visits.patients[~settled.released]),
            later=digests("study", visits.studies[np.unique(visits.study[gone])]),
            no_age=digests("patient", visits.patients[settled.having("age")]),
            no_site=digests("patient", visits.patients[settled.having("site")]),
            no_date=digests("patient", visits.patients[settled.having("date")]),
            pooled=digests("site", merged),
        )


def _picked(chances: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if not len(chances):
        return None, None
    value = float(chances.mean())
    return value, exact_interval(value, len(chances))[1]


def _figures(table: pd.DataFrame, keys: Keys, search: _Search, found: _Found, carried: CarriedPlan) -> Figures:
    """Counted on the table itself, as the plan would release it."""
    told, reasons = applied(table, carried, keys)
    findings = pd.Series(present_findings(table), index=table.index)
    alike = people_alike(told, carried, findings.loc[told.index] if "findings" in carried.known else None)
    if int(alike.min()) < carried.alike:
        raise AssertionError("the plan of the table does not hold what the search found")
    settled, visits = found.settled, search.visits
    several: tuple[float | None, float | None]
    (success, upper), *more = search.risks(found.node, settled)
    several = more[0] if more else (None, None)
    plain = search.people(EVERYTHING).settled(1)
    (before, upper_before), *_ = search.risks(EVERYTHING, plain)
    assert success is not None and upper is not None and before is not None and upper_before is not None
    same, fewest = _shared_findings(told, carried, findings.loc[told.index])
    return Figures(
        patients=visits.people,
        images=len(table),
        alike=int(alike.min()),
        success=success,
        upper=upper,
        several=several[0],
        several_upper=several[1],
        success_before=before,
        upper_before=upper_before,
        loss=found.loss,
        withheld_patients=int((~settled.released).sum()),
        withheld_images=int(reasons.notna().sum()),
        fewer_studies=int((pd.Series(search.losses.gone(found.node, settled)).groupby(visits.patient).any()).sum())
        - int((~settled.released).sum()),
        cells=tuple((cell, int(settled.having(cell).sum())) for cell in CELLS if cell in carried.known),
        pooled_sites=len(carried.pooled),
        same_findings=same,
        fewest_findings=fewest,
        searched=search.searched,
        generalisations=len(search.ordered),
    )


def _shared_findings(told: pd.DataFrame, plan: CarriedPlan, findings: pd.Series) -> tuple[float, int]:
    """The share of patients whose likes all have the same findings, and the fewest sets of findings in a group."""
    patient, patients = pd.factorize(told["patient_id"])
    order = np.argsort(patient, kind="stable")
    starts = np.searchsorted(patient[order], np.arange(len(patients)))
    ever = pd.Series(np.bitwise_or.reduceat(findings.to_numpy()[order], starts))
    facts = tuple(fact for fact in plan.known if fact != "findings")
    if not facts:
        return 0.0, int(ever.nunique())
    group = group_codes(told, replace(plan, known=facts, visits="all"))
    sets = ever.groupby(group).transform("nunique")
    return float(((sets == 1) & (ever > 0)).mean()), int(sets.min())

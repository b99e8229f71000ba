"""`TablePlan`: how much of a table is released so that a stated risk is met, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import PseudonymousRecords
from medveil.defenses.table.generalisation import Node
from medveil.defenses.table.promise import promise
from medveil.errors import SettingsError
from medveil.parts import Choice


@dataclass(frozen=True)
class Figures:
    """What a plan reaches and costs, as counted on the whole table it was made for.

    `success` is how often an attacker picks out the right patient by what the plan counts as known, and `upper` the
    upper end of its interval; `several` and `several_upper` are the same of patients with several studies, of whom
    there may be none. Of patients with `fewer_studies`, later ones are withheld. `same_findings` is the share of
    patients whose likes all have the same findings, one at least being present, and `fewest_findings` how many
    different sets of findings the people of a group have at least.
    """

    patients: int
    images: int
    alike: int
    success: float
    upper: float
    several: float | None
    several_upper: float | None
    success_before: float
    upper_before: float
    loss: float
    withheld_patients: int
    withheld_images: int
    fewer_studies: int
    cells: tuple[tuple[str, int], ...]
    pooled_sites: int
    same_findings: float
    fewest_findings: int
    searched: int
    generalisations: int


@dataclass(frozen=True)
class TablePlan:
    """What to tell of everybody and of whom less, by keyed digests; no identifier, and nothing that leads to one."""

    carried: CarriedPlan
    figures: Figures

    @property
    def node(self) -> Node:
        return self.carried.node

    def applied_to(self, chosen: tuple[Choice, ...]) -> tuple[Choice, ...]:
        """The same defenses, with the table's set to this plan."""
        if not any(choice.name == PseudonymousRecords.name for choice in chosen):
            raise SettingsError("a plan of the table needs the defense table; do not leave it out")
        return tuple(
            replace(choice, settings=self.settings(choice.settings))
            if choice.name == PseudonymousRecords.name
            else choice
            for choice in chosen
        )

    def settings(self, others: PseudonymousRecords.Settings) -> PseudonymousRecords.Settings:
        return replace(others, **self.node._asdict(), plan=self.carried.written())

    def told(self) -> dict[str, Any]:
        """For the report: what is told, what is promised, what it reached and cost."""
        guarantee, limits = promise(self.node, self.carried)
        return {
            **self.node._asdict(),
            "known": list(self.carried.known),
            "visits": self.carried.visits,
            "guarantee": guarantee.statement,
            "limits": list(limits),
            **vars(self.figures),
            "cells": dict(self.figures.cells),
        }

    def to_json(self) -> dict[str, Any]:
        return {"plan": self.carried.written(), "figures": {**vars(self.figures), "cells": dict(self.figures.cells)}}

    @classmethod
    def of(cls, told: dict[str, Any]) -> TablePlan:
        """What `to_json` wrote."""
        try:
            figures = {**told["figures"]}
            figures["cells"] = tuple((str(cell), int(count)) for cell, count in figures["cells"].items())
            return cls(CarriedPlan.read(told["plan"]), Figures(**figures))
        except (KeyError, TypeError, AttributeError, ValueError):
            raise SettingsError("this is no plan of a table as medveil writes it") from None

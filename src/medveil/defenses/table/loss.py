"""What a generalisation and its exceptions cost: the share of what the table, its films and reports told that is lost.

A cell counts if it is one of the facts and was filled; it loses its normalised certainty penalty, all of it where it is
empty afterwards. A row that is withheld loses all of its cells and its film.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.table.generalisation import WEIGHTS, Fact, Node, age_loss, date_loss, site_loss
from medveil.defenses.table.settling import Settled
from medveil.defenses.table.visits import Mask, Visits

Floats = NDArray[np.float64]


class Losses:
    """Of one table, under the weights of its columns."""

    def __init__(self, visits: Visits, facts: Collection[Fact], pooled: Mask, weights: Mapping[str, float]) -> None:
        self._visits = visits
        self._facts = tuple(fact for fact in facts if fact in WEIGHTS)
        weights = {**WEIGHTS, **weights}
        self._worth = {fact: weights[fact] * visits.present(fact) * visits.images for fact in self._facts}
        self._pooled = pooled[visits.site]
        self._row: Floats = sum(self._worth.values(), start=weights["film"] * visits.images)
        self._whole = float(self._row.sum())

    def generalisation(self, node: Node) -> float:
        """With nobody treated in another way than the others: no exception makes it less."""
        return self._share(self._before_exceptions(node))

    def of(self, node: Node, settled: Settled) -> float:
        lost = self._before_exceptions(node)
        gone = self.gone(node, settled)
        for fact in self._facts:
            losing = settled.having(fact)[self._visits.patient]
            lost[losing] += (self._worth[fact] - self._cells(node, fact))[losing]
        lost[gone] = self._row[gone]
        return self._share(lost)

    def gone(self, node: Node, settled: Settled) -> Mask:
        """Visits that are not released."""
        most = np.minimum(settled.studies, 1) if node.studies == "first" else settled.studies
        return self._visits.place >= most[self._visits.patient]

    def _share(self, lost: Floats) -> float:
        return float(lost.sum()) / self._whole

    def _before_exceptions(self, node: Node) -> Floats:
        lost: Floats = sum((self._cells(node, fact) for fact in self._facts), start=np.zeros(len(self._visits)))
        if node.studies == "first":
            later = self._visits.place > 0
            lost[later] = self._row[later]
        return lost

    def _cells(self, node: Node, fact: Fact) -> Floats:
        worth = self._worth[fact]
        match fact:
            case "age":
                return worth * age_loss(node.ages)
            case "date":
                return worth * date_loss(node.dates, self._visits.span)
            case "site":
                merged = site_loss(node.sites, int(self._small), len(self._visits.sites))
                return worth * (merged if node.sites == "dropped" else np.where(self._pooled, merged, 0.0))
        return np.zeros(len(worth))

    @property
    def _small(self) -> int:
        return len(np.unique(self._visits.site[self._pooled]))

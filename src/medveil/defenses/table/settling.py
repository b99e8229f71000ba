"""Enough people alike, under one generalisation: who are too few lose cells, then their last studies, and then all.

People are alike whose released values are equal, missing ones included: of all their visits together, or of each
visit by itself where an attacker knows one. Nobody is counted who is not released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.defenses.table.generalisation import Fact
from medveil.defenses.table.visits import Codes, Hashes, Mask, Visits, mixed

Known = Literal["one", "all"]
EVERY = np.iinfo(np.int64).max
FIRST_STUDIES = (24, 16, 12, 8, 6, 4, 3, 2, 1)  # that a patient keeps who has more than others
CELLS: tuple[Fact, ...] = ("date", "site", "age")  # in this order; sex and findings are seen on the film anyway
WITHHELD = -1


class Treatment(NamedTuple):
    """What is taken from a patient: cells of every visit, and all but the first so many studies."""

    cells: tuple[Fact, ...] = ()
    studies: int = EVERY


@dataclass(frozen=True)
class Settled:
    """By patient: which treatment, or `WITHHELD`; how many released people are alike, 0 where withheld; and a number
    that people share who are alike in all visits."""

    treatments: tuple[Treatment, ...]
    chosen: NDArray[np.int64]
    alike: NDArray[np.int64]
    group: NDArray[np.int64]

    @property
    def released(self) -> Mask:
        return self.chosen != WITHHELD

    def having(self, cell: Fact) -> Mask:
        """Patients who lose this cell."""
        losing = [at for at, one in enumerate(self.treatments) if cell in one.cells]
        return np.isin(self.chosen, losing)

    @property
    def studies(self) -> NDArray[np.int64]:
        """How many studies at most are released of each patient."""
        most = np.array([*(one.studies for one in self.treatments), 0], dtype=np.int64)
        return most[self.chosen]  # the last is of those withheld


class People:
    """What one generalisation tells of everybody, ready to be compared."""

    def __init__(self, visits: Visits, told: dict[Fact, Codes], known: Known, *, first: bool) -> None:
        self._visits, self._known, self._first = visits, known, first
        self._columns = {fact: mixed(codes.astype(np.uint64) ^ _salt(fact)) for fact, codes in told.items()}
        self._nothing = {fact: mixed(np.zeros(1, np.uint64) ^ _salt(fact)) for fact in told}
        self._usable = tuple(cell for cell in CELLS if cell in told and told[cell].any())

    def treatments(self) -> tuple[Treatment, ...]:
        """From least to most: cells one after another, then the same with ever fewer studies."""
        cells = [self._usable[:count] for count in range(len(self._usable) + 1)]
        most = 0 if self._first else int(self._visits.place.max())  # a patient with one study loses none
        fewer = [Treatment(each, studies) for studies in FIRST_STUDIES if studies <= most for each in cells]
        return (*(Treatment(each) for each in cells), *fewer)

    def codes(self, who: Mask | None, treatment: Treatment) -> tuple[Codes, Hashes]:
        """Patients, each with the code of all their visits or with one a visit that is seen."""
        visits = self._visits
        chosen = np.ones(len(visits), dtype=bool) if who is None else who[visits.patient]
        if self._first or treatment.studies != EVERY:
            chosen = chosen & (visits.place < (1 if self._first else treatment.studies))
        owner = visits.patient[chosen]
        with np.errstate(over="ignore"):
            total = np.zeros(len(owner), dtype=np.uint64)
            for fact, column in self._columns.items():
                total += self._nothing[fact] if fact in treatment.cells else column[chosen]
            code = mixed(total)
            if self._known == "one":
                pairs = pd.DataFrame({"owner": owner, "code": code}).drop_duplicates()
                return pairs["owner"].to_numpy(), pairs["code"].to_numpy()
            starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]]) if len(owner) else np.zeros(0, np.int64)
            return owner[starts], np.add.reduceat(code, starts) if len(owner) else code

    def settled(self, least: int) -> Settled:
        """With at least so many people alike."""
        treatments = self.treatments()
        chosen = np.full(self._visits.people, WITHHELD, dtype=np.int64)
        enough = np.zeros(0, dtype=np.uint64)  # codes that so many released people have
        kept: list[tuple[Codes, Hashes]] = []
        for number, treatment in enumerate(treatments):
            waiting = chosen == WITHHELD
            owner, code = self.codes(None if number == 0 else waiting, treatment)
            fine = _peeled(owner, code, least, enough, len(chosen))
            chosen[fine] = number
            kept.append((owner[fine[owner]], code[fine[owner]]))
            if not (chosen == WITHHELD).any():
                break
            enough = np.union1d(enough, kept[-1][1])
        owners, codes = (np.concatenate(each) for each in zip(*kept, strict=True))
        numbers, _ = pd.factorize(codes)
        counts = np.bincount(numbers)[numbers] if len(numbers) else numbers
        alike = np.full(len(chosen), np.iinfo(np.int64).max, dtype=np.int64)
        np.minimum.at(alike, owners, counts)
        alike[chosen == WITHHELD] = 0
        group = np.full(len(chosen), WITHHELD, dtype=np.int64)
        group[owners] = numbers
        return Settled(treatments, chosen, alike, group)


def _peeled(owner: Codes, code: Hashes, least: int, enough: Hashes, people: int) -> Mask:
    """Who has only codes that enough people have, those of `enough` and the people here who are fine themselves."""
    numbers, values = pd.factorize(code)
    common = np.isin(values, enough)
    fine = np.zeros(people, dtype=bool)
    fine[owner] = True
    while True:
        counts = np.bincount(numbers[fine[owner]], minlength=len(values))
        rare = ((counts < least) & ~common)[numbers] & fine[owner]
        if not rare.any():
            return fine
        fine[owner[rare]] = False


def _salt(fact: Fact) -> np.uint64:
    return np.uint64(int.from_bytes(fact.encode().ljust(8, b"\0")))

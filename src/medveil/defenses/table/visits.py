"""The visits of a cohort in numbers: what the table would tell of each, at every step of every column.

A visit is a study of a patient; its images count as weights. A study whose images disagree on what is known counts as
several visits, for each is seen. In every column 0 stands for what is not told, whether it never was or is left out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import LABELS
from medveil.cohort.schema import conform
from medveil.defenses.table.generalisation import Fact, Node, Sites
from medveil.person.blurring import blurred
from medveil.person.keys import Keys
from medveil.person.telling import OLDEST_SHOWN, Dates

Codes = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]
_EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True)
class Visits:
    """Sorted by patient; `patients` and `studies` are the true ids."""

    patients: NDArray[np.object_]
    studies: NDArray[np.object_]
    patient: Codes
    study: Codes
    images: NDArray[np.float64]
    age: NDArray[np.float64]
    sex: Codes
    site: Codes
    day: Codes  # since 1970, true; `undated` where there is none
    dated: Mask
    findings: Codes
    place: Codes  # of the study among the patient's, the first being 0
    sites: NDArray[np.object_]
    keys: Keys

    @classmethod
    def of(cls, table: pd.DataFrame, keys: Keys, facts: Collection[Fact]) -> Visits:
        """What is no fact is not looked at: it stays as it is, and tells no visit from another."""
        table = table.assign(**{fact: None for fact in ("age", "site", "date") if fact not in facts})
        table = conform(table)
        seen = pd.DataFrame(
            {
                "patient": (patients := pd.factorize(table["patient_id"], sort=True))[0],
                "study": (studies := pd.factorize(table["study_id"], sort=True))[0],
                "age": np.floor(table["age"].to_numpy(np.float64)),
                "sex": table["sex"].cat.codes.to_numpy(np.int64) + 1 if "sex" in facts else 0,
                "site": (sites := pd.factorize(table["site"], sort=True))[0] + 1,
                "day": (days := table["date"].to_numpy("datetime64[D]")).astype(np.int64),
                "findings": present_findings(table) if "findings" in facts else 0,
            }
        )
        seen["dated"] = ~np.isnat(days)
        seen.loc[~seen["dated"], "day"] = 0
        visits = seen.groupby(list(seen.columns), dropna=False, sort=True, as_index=False).size()
        patient = visits["patient"].to_numpy(np.int64)
        study = visits["study"].to_numpy(np.int64)
        return cls(
            patients=np.asarray(patients[1], dtype=object),
            studies=np.asarray(studies[1], dtype=object),
            patient=patient,
            study=study,
            images=visits["size"].to_numpy(np.float64),
            age=visits["age"].to_numpy(np.float64),
            sex=visits["sex"].to_numpy(np.int64),
            site=visits["site"].to_numpy(np.int64),
            day=visits["day"].to_numpy(np.int64),
            dated=visits["dated"].to_numpy(bool),
            findings=visits["findings"].to_numpy(np.int64),
            place=_place_of_study(visits),
            sites=np.asarray(sites[1], dtype=object),
            keys=keys,
        )

    def __len__(self) -> int:
        return len(self.patient)

    @property
    def people(self) -> int:
        return len(self.patients)

    def has(self, fact: Fact) -> bool:
        """Whether the table says anything in this column at all."""
        return bool(self.present(fact).any())

    def present(self, fact: Fact) -> Mask:
        match fact:
            case "age":
                return ~np.isnan(self.age)
            case "date":
                return self.dated
            case "findings":
                return np.ones(len(self), dtype=bool)
        return (self.sex if fact == "sex" else self.site) > 0

    @cached_property
    def span(self) -> int:
        """Days from the first to the last date."""
        days = self.day[self.dated]
        return int(days.max() - days.min()) + 1 if len(days) else 1

    @cached_property
    def several_studies(self) -> Mask:
        """By patient: whether there is more than one."""
        several = np.zeros(self.people, dtype=bool)
        several[self.patient[self.place > 0]] = True
        return several

    def pooled(self, least: int) -> Mask:
        """By site (from 1; place 0 is nobody's): those with fewer patients, and as many more that together they have
        enough. None where no site is small."""
        patients = pd.Series(self.patient).groupby(self.site).nunique()
        patients = patients[patients.index > 0].sort_values(kind="stable")
        small = np.zeros(len(self.sites) + 1, dtype=bool)
        for site, count in patients.items():
            inside = len(np.unique(self.patient[small[self.site]]))
            if count >= least and (inside >= least or inside == 0):
                break
            small[site] = True
        return small

    def ages(self, width: int) -> Codes:
        if not width:
            return np.zeros(len(self), dtype=np.int64)
        band = np.minimum(self.age, OLDEST_SHOWN) // width * width
        return np.where(np.isnan(band), 0, band + 1).astype(np.int64)

    def site_codes(self, sites: Sites, pooled: Mask) -> Codes:
        if sites == "dropped":
            return np.zeros(len(self), dtype=np.int64)
        return np.where(pooled[self.site], len(pooled), self.site) if sites == "merged" else self.site

    def dates(self, dates: Dates) -> Codes:
        """As released: moved, then coarsened."""
        if dates == "dropped":
            return np.zeros(len(self), dtype=np.int64)
        told = moved = self.moved(blur=dates == "blurred")
        if dates not in ("day", "blurred"):
            months = moved.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
            told = months // {"month": 1, "quarter": 3, "year": 12}[dates]
        return np.where(self.dated, told + 2**40, 0)  # 0 is not told

    def moved(self, *, blur: bool) -> Codes:
        """The days that stand for the true ones."""
        return (self._blurred if blur else self.day) - self._shifts[self.patient]

    def told(self, node: Node, facts: Collection[Fact], pooled: Mask) -> dict[Fact, Codes]:
        """What an attacker reads in the columns he knows."""
        columns: dict[Fact, Codes] = {
            "age": self.ages(node.ages),
            "sex": self.sex,
            "site": self.site_codes(node.sites, pooled),
            "date": self.dates(node.dates) if "date" in facts else self.sex,
            "findings": self.findings + 1,
        }
        return {fact: codes for fact, codes in columns.items() if fact in facts}

    @cached_property
    def _shifts(self) -> Codes:
        return np.array([self.keys.date_shift(patient) for patient in self.patients], dtype=np.int64)

    @cached_property
    def _blurred(self) -> Codes:
        found = self.day.copy()
        for at in np.flatnonzero(self.dated):
            day = _EPOCH + dt.timedelta(days=int(self.day[at]))
            found[at] = (blurred(day, self.patients[self.patient[at]], self.keys) - _EPOCH).days
        return found


def mixed(values: Hashes) -> Hashes:
    """Numbers that look drawn, another for each (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        values = values + np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def present_findings(table: pd.DataFrame) -> Codes:
    """By row, the findings that are present, as bits."""
    found = np.zeros(len(table), dtype=np.int64)
    for place, label in enumerate(LABELS):
        found |= (table[label].to_numpy() == 1).astype(np.int64) << place
    return found


def _place_of_study(visits: pd.DataFrame) -> Codes:
    """By date, then by age, then by the study's id."""
    order = visits.assign(undated=~visits["dated"], old=visits["age"].fillna(np.inf))
    order = order.sort_values(["patient", "undated", "day", "old", "study"], kind="stable")
    studies = order.drop_duplicates("study")
    places = studies.groupby("patient", sort=False).cumcount().set_axis(studies["study"])
    return places.reindex(visits["study"]).to_numpy(np.int64)

"""A plan applied to a whole table at once: what the defense makes of it row by row, and how many are then alike.

Counted anew and in another way than the search does, so that a plan is not believed on the search's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import LATER_STUDY, POOLED, TOO_FEW_ALIKE
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import Telling, Tellings

Codes = NDArray[np.int64]


def applied(table: pd.DataFrame, plan: CarriedPlan, keys: Keys) -> tuple[pd.DataFrame, pd.Series]:
    """Age, sex, site and date as they are released, with the true ids; and by row the reason, where it is withheld."""
    node = plan.node
    keys = _telling(keys, plan)
    patient, patients = pd.factorize(table["patient_id"])
    digests = [keys.digest("patient", one) for one in patients.tolist()]
    withheld = np.array([digest in plan.withheld for digest in digests])[patient]
    study, studies = pd.factorize(table["study_id"])
    later = np.zeros(len(table), dtype=bool)
    if plan.later:
        later = np.array([keys.digest("study", one) in plan.later for one in studies.tolist()])[study]
    reasons = pd.Series(None, index=table.index, dtype=object)
    reasons[later], reasons[withheld] = LATER_STUDY, TOO_FEW_ALIKE

    def among(digests_of: frozenset[str]) -> NDArray[np.bool_]:
        return np.array([digest in digests_of for digest in digests])[patient]

    told = table.loc[:, ["patient_id", "study_id", "age", "sex", "site", "date"]].copy()
    ages = np.minimum(np.floor(told["age"].astype("float64")), 90.0)
    told["age"] = (
        (ages // node.ages * node.ages if node.ages else ages * np.nan).mask(among(plan.no_age)).astype("float32")
    )
    names = {site: _site(str(site), plan, keys) for site in told["site"].dropna().unique()}
    told["site"] = told["site"].map(names).mask(among(plan.no_site) | (node.sites == "dropped"))
    told["date"] = _dates(told["date"], [Person(keys, one) for one in patients.tolist()], patient).mask(
        among(plan.no_date)
    )
    return told[reasons.isna()], reasons


def people_alike(told: pd.DataFrame, plan: CarriedPlan, findings: pd.Series | None = None) -> pd.Series:
    """By patient of a table as it is released: how many have the same in all visits, or in the rarest one."""
    if plan.visits == "all":
        code = group_codes(told, plan, findings)
        return pd.Series(np.bincount(code)[code], index=told["patient_id"].unique())
    patient, combination = _seen(told, plan, findings)
    pairs = pd.DataFrame({"patient": patient, "combination": combination}).drop_duplicates()
    counts = pairs.groupby("combination")["patient"].transform("size")
    return counts.groupby(pairs["patient"]).min().set_axis(told["patient_id"].unique())


def group_codes(told: pd.DataFrame, plan: CarriedPlan, findings: pd.Series | None = None) -> Codes:
    """By patient, in order of appearance: a number for all that is seen of all visits, equal for those alike."""
    patient, combination = _seen(told, plan, findings)
    return _sequences(patient, combination, int(patient.max()) + 1)


def _seen(told: pd.DataFrame, plan: CarriedPlan, findings: pd.Series | None) -> tuple[Codes, Codes]:
    """By visit: the patient, and what is told of what is known."""
    columns = [fact for fact in plan.known if fact != "findings"]
    if findings is not None:
        told, columns = told.assign(findings=findings), [*columns, "findings"]
    told = told.assign(patient=pd.factorize(told["patient_id"])[0])
    seen = told.drop_duplicates(["patient", "study_id", *columns])
    combination = seen.groupby(columns, dropna=False, observed=True, sort=False).ngroup()
    return seen["patient"].to_numpy(), combination.to_numpy()


def _sequences(patient: Codes, combination: Codes, patients: int) -> Codes:
    """By patient: a number for all that is seen in any order, equal for equals and for nobody else."""
    order = np.lexsort((combination, patient))
    patient, combination = patient[order], combination[order]
    starts = np.searchsorted(patient, np.arange(patients))
    counts = np.bincount(patient, minlength=patients)
    code = np.zeros(patients, dtype=np.int64)
    for place in range(int(counts.max())):
        has = np.flatnonzero(counts > place)
        pairs = pd.MultiIndex.from_arrays([code[has], combination[starts[has] + place]])
        code[has] = pd.factorize(pairs)[0] + 1 + code.max()
    return pd.factorize(code)[0]


def _telling(keys: Keys, plan: CarriedPlan) -> Keys:
    usual = Telling(plan.node.ages, plan.node.dates, plan.node.sites == "kept")
    return replace(keys, tellings=Tellings(usual, plan.no_age, plan.no_date, plan.no_site))


def _site(site: str, plan: CarriedPlan, keys: Keys) -> str:
    pooled = keys.digest("site", site) in plan.pooled
    return POOLED if pooled else "site-" + keys.pseudonym("site", site)[:6]


def _dates(dates: pd.Series, people: Sequence[Person], patient: Codes) -> pd.Series:
    """Of everybody as the usual; whole columns at once where days move by a shift, a blurred one by itself."""
    usual = people[0].keys.tellings.usual.dates
    if usual == "dropped":
        return pd.Series(pd.NaT, index=dates.index, dtype="datetime64[s]")
    if usual == "blurred":
        known = zip(dates, patient, strict=True)
        days = [pd.NaT if pd.isna(day) else people[who].moved(day.date()) for day, who in known]
        return pd.to_datetime(pd.Series(days, index=dates.index, dtype=object)).astype("datetime64[s]")
    shifts = np.array([person.shift.days for person in people])[patient]
    moved = (dates.dt.normalize() - pd.to_timedelta(shifts, unit="D")).astype("datetime64[s]")
    period = {"month": "M", "quarter": "Q", "year": "Y"}.get(usual)
    return moved.dt.to_period(period).dt.start_time.astype("datetime64[s]") if period else moved

"""The image-report pairs under attack: who they belong to, who competes with whom, and which findings they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.linkage.settings import LinkageSettings, Match
from medveil.cohort.schema import LABELS
from medveil.errors import InputError, NotMeasurable
from medveil.stats.bootstrap import unit_codes
from medveil.stats.kernels.grid import Codes

FEWEST_PAIRS = 20  # with fewer, every number would be luck

_COLUMN: dict[Match, str] = {"study": "study_id", "patient": "patient_id", "text": "report"}


@dataclass(frozen=True)
class Cases:
    """Pairs in order. Patients are numbered over the whole subject, so that a change to some rows keeps the draws."""

    table: pd.DataFrame  # one row a pair
    rows: NDArray[np.intp]  # in the subject's table
    patients: Codes | None
    patient_count: int
    match: Match
    exclude: Codes | None
    profiles: NDArray[np.bool_] | None  # n x labels; None where findings are not labelled

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def candidates(self) -> NDArray[np.int64]:
        """How many every query has, its own answer included."""
        if self.exclude is None:
            return np.full(len(self), len(self))
        return len(self) - np.bincount(self.exclude)[self.exclude] + 1

    @classmethod
    def of(cls, subject: pd.DataFrame, rows: NDArray[np.intp], settings: LinkageSettings) -> Cases:
        table = subject.iloc[rows].reset_index(drop=True)
        check_enough(len(table))
        patients, count = None, 0
        if "patient_id" in subject:
            if subject["patient_id"].isna().any():
                raise InputError("the column patient_id is empty for some pairs; fill it, or leave the column out")
            codes, count = unit_codes(subject["patient_id"].to_numpy())
            patients = codes[rows]
            if len(np.unique(patients)) < 2:
                raise NotMeasurable("linkage needs pairs from at least two patients")
        match = settings.match or ("study" if "study_id" in subject else "pair")
        cases = cls(table, rows, patients, count, match, _exclude(table, match), _profiles(table, settings.matched))
        if cases.candidates.min() < 2:
            raise NotMeasurable(f"matching by {match} leaves some X-rays without any other report that could compete")
        return cases


def check_enough(pairs: int) -> None:
    """Refuse what is too little to measure."""
    if pairs < FEWEST_PAIRS:
        raise NotMeasurable(
            f"linkage needs at least {FEWEST_PAIRS} frontal images with a report, and there are {pairs}"
        )


def _exclude(table: pd.DataFrame, match: Match) -> Codes | None:
    """Pairs with the same code do not compete: the one's answer is no wrong answer for the other."""
    if match == "pair":
        return None
    column = _COLUMN[match]
    if match == "text" and "report" not in table and "report_code" in table:
        column = "report_code"  # where vectors were kept without the text
    if column not in table or table[column].isna().any():
        raise InputError(
            f"matching by {match} needs a column {column} that is filled for every pair; add it or match by pair"
        )
    values = table[column].astype(str)
    if column == "report":
        values = values.str.split().str.join(" ")
    return pd.factorize(values)[0].astype(np.intp)


def _profiles(table: pd.DataFrame, matched: bool | None) -> NDArray[np.bool_] | None:
    """A finding counts as present if it was labelled so; uncertain, absent and unknown count as not present."""
    missing = [label for label in LABELS if label not in table]
    if missing and len(missing) < len(LABELS):
        raise InputError(
            f"the label column {missing[0]} is missing; add all {len(LABELS)} (empty where unknown), or leave out all"
        )
    labelled = not missing and bool(table[list(LABELS)].notna().to_numpy().any())
    if matched and not labelled:
        raise InputError(
            "pathology-matched pools need the label columns of the findings; add them, or ask for random pools only"
        )
    if not labelled or matched is False:
        return None
    values = table[list(LABELS)].apply(pd.to_numeric, errors="coerce")
    if (values.isna() & table[list(LABELS)].notna()).to_numpy().any():
        raise InputError("a label column holds something that is not a number; labels are 1, 0, -1 or empty")
    return np.asarray(values == 1)

"""What is in a cohort, in counts: patients, studies, views, ages, labels, reports, and what was set aside."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from medveil.cohort.cohort import Cohort
from medveil.cohort.input import OWN
from medveil.cohort.schema import LABELS, SPLITS
from medveil.runtime.storage import write_bytes


def describe(cohort: Cohort) -> dict[str, Any]:
    """Counts and quantiles only; no id, name or path."""
    table = cohort.table
    # masks instead of smaller tables: a table's reports are most of its memory
    new_study = ~table["study_id"].duplicated()
    new_patient = ~table["patient_id"].duplicated()
    per_patient = table["patient_id"][new_study].value_counts()
    known = set(table["split"].dropna())
    return {
        "name": cohort.name,
        "patients": len(per_patient),
        "studies": int(per_patient.sum()),
        "images": len(table),
        "images of nobody known": int(table["patient_id"].str.startswith(OWN).sum()),
        "patients with two or more studies": int((per_patient >= 2).sum()),
        "sites": int(table["site"].nunique()),
        "views": _counts(table["view"]),
        "sex (patients)": _counts(table["sex"][new_patient]),
        "age (patients, years)": _quantiles(table["age"][new_patient]),
        "dates": _range(table["date"]),
        "splits": _counts(table["split"]),
        "by split": {name: _part(table[table["split"] == name], new_patient) for name in SPLITS if name in known},
        "labels": {label: _label(table[label]) for label in LABELS},
        "report length (characters)": _quantiles(_lengths(table["report"])[new_study]),
        "set aside": _counts(pd.Series([problem.reason for problem in cohort.problems], dtype=str)),
    }


def _part(table: pd.DataFrame, new_patient: pd.Series) -> dict[str, Any]:
    """One part as papers tell of it: sizes, shares in percent. A finding is present only where it is labelled so."""
    first = table[new_patient[table.index]]
    ages = first["age"].dropna()
    return {
        "patients": len(first),
        "images": len(table),
        "views (%)": _shares(table["view"]),
        "sex (patients, %)": _shares(first["sex"]),
        "age (patients, years)": {"known": len(ages), **({} if ages.empty else _moments(ages))},
        "findings (% of images)": {label: _percent(float((table[label] == 1).mean())) for label in LABELS},
    }


def _moments(ages: pd.Series) -> dict[str, float]:
    told = {
        "mean": ages.mean(),
        "sd": ages.std(ddof=0),
        "median": ages.median(),
        "least": ages.min(),
        "most": ages.max(),
    }
    return {name: round(float(value), 2) for name, value in told.items()}


def _shares(values: pd.Series) -> dict[str, float]:
    return {name: _percent(count / len(values)) for name, count in _counts(values).items()}


def _percent(share: float) -> float:
    return round(100 * share, 2)


def write_problems(cohort: Cohort, path: Path) -> None:
    """What was set aside, as CSV that only its owner can read: file names may identify people."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("path", "reason"))
    writer.writerows((problem.path, problem.reason) for problem in cohort.problems)
    write_bytes(path, text.getvalue().encode(), private=True)


def _counts(values: pd.Series) -> dict[str, int]:
    counts = values.value_counts()
    found = {str(name): int(count) for name, count in counts.items() if count}
    missing = int(values.isna().sum())
    return {**found, "missing": missing} if missing else found


def _quantiles(values: pd.Series) -> dict[str, float]:
    known = values.dropna()
    summary: dict[str, float] = {"known": len(known), "missing": int(values.isna().sum())}
    if len(known):
        names = ("least", "lower quarter", "median", "upper quarter", "most")
        summary |= dict(zip(names, map(float, known.quantile([0, 0.25, 0.5, 0.75, 1])), strict=True))
    return summary


def _lengths(reports: pd.Series) -> pd.Series:
    lengths = pc.utf8_length(pa.array(reports, from_pandas=True))
    return lengths.to_pandas()


def _range(dates: pd.Series) -> dict[str, Any]:
    """The years covered; single dates could tell whose they are."""
    known = dates.dropna()
    summary: dict[str, Any] = {"known": len(known), "missing": int(dates.isna().sum())}
    if len(known):
        summary |= {"first year": int(known.min().year), "last year": int(known.max().year)}
    return summary


def _label(values: pd.Series) -> dict[str, int]:
    return {
        "positive": int((values == 1).sum()),
        "negative": int((values == 0).sum()),
        "uncertain": int((values == -1).sum()),
        "not mentioned": int(values.isna().sum()),
    }

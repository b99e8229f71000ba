"""What the cells of a table mean, in the words of the cohort: sexes, views, ages, splits, labels, frames."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from medveil.cohort.dicom.metadata import view_of
from medveil.cohort.schema import OLDEST

# What stands in a cell that says nothing.
NOTHING = (
    "",
    "na",
    "n/a",
    "n.a.",
    "nan",
    "nat",
    "none",
    "null",
    "nil",
    "-",
    "--",
    "?",
    "unknown",
    "not available",
    "missing",
)
_SEXES = {
    "m": "M",
    "male": "M",
    "f": "F",
    "female": "F",
    "o": "O",
    "other": "O",
    "d": "O",
    "divers": "O",
    "w": "F",
    "weiblich": "F",
    "männlich": "M",
}
_SPLITS = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validate": "val",
    "validation": "val",
    "dev": "val",
    "test": "test",
    "testing": "test",
    "external": "test",
}
_LABELS = {
    "true": 1.0,
    "yes": 1.0,
    "y": 1.0,
    "positive": 1.0,
    "pos": 1.0,
    "present": 1.0,
    "x": 1.0,
    "false": 0.0,
    "no": 0.0,
    "n": 0.0,
    "negative": 0.0,
    "neg": 0.0,
    "absent": 0.0,
    "uncertain": -1.0,
    "equivocal": -1.0,
    "u": -1.0,
}
_AGE = r"^[<>≥]?\s*(\d+(?:[.,]\d+)?)\s*(Y|M|W|D|YEARS?|YRS?|MONTHS?|WEEKS?|DAYS?)?\+?\s*(?:OLD)?$"


def looked_up(values: pd.Series, words: Mapping[str, str | None]) -> pd.Series:
    """Each value's entry as text, missing where there is none (also where there is none at all)."""
    return values.map(words).astype("str")


def translated(values: pd.Series, words: Mapping[str, str]) -> pd.Series:
    """Known words, whatever their case, in the contract's spelling; others are missing."""
    return looked_up(values.str.strip().str.lower(), words)


def said(values: pd.Series) -> pd.Series:
    """Whether each cell says anything."""
    return values.notna() & ~values.str.strip().str.lower().isin(NOTHING)


def sexes(values: pd.Series) -> pd.Series:
    return translated(values, _SEXES)


def splits(values: pd.Series) -> pd.Series:
    return translated(values, _SPLITS)


def views(values: pd.Series) -> pd.Series:
    return looked_up(values, {value: view_of(value) for value in values.dropna().unique()})


def ages(values: pd.Series, oldest: int = OLDEST) -> pd.Series:
    """Years as numbers, also from "058Y", "006M" or "45 years"; impossible ones are missing."""
    parts = values.str.strip().str.upper().str.extract(_AGE)
    units = parts[1].str[:1].fillna("Y").map({"Y": 1.0, "M": 1 / 12, "W": 1 / 52.1775, "D": 1 / 365.2425})
    years = pd.to_numeric(parts[0].str.replace(",", ".")) * units.astype(float)
    return years.where(years <= oldest)


def labels(values: pd.Series) -> pd.Series:
    """1, 0, -1 (uncertain) or missing, also from words."""
    numbers = pd.to_numeric(values.str.strip().str.replace(",", "."), errors="coerce")
    words = values.str.strip().str.lower().map(_LABELS).astype("float64")
    numbers = numbers.fillna(words)
    return numbers.where(numbers.isin((-1, 0, 1)))


def frames(values: pd.Series) -> pd.Series:
    """Whole numbers from 0."""
    numbers = pd.to_numeric(values.str.strip(), errors="coerce")
    return numbers.where((numbers >= 0) & (numbers < 1 << 31) & (numbers % 1 == 0))

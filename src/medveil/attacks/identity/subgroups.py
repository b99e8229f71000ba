"""Who is recognised more easily than others, and when: patients by group, and pairs by what changed between images.

Sites are numbered, for their names come from the data; groups of fewer than eleven patients are left out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.identification import compared
from medveil.attacks.identity.linkable import Linkable
from medveil.attacks.identity.pairs import PairSet
from medveil.cohort.schema import LABELS
from medveil.finding import AGE_BANDS, SMALLEST_GROUP, Figure
from medveil.stats.kernels.grid import Codes

GAPS = ((0, 1, "up to 1 year"), (1, 5, "1 to 5 years"), (5, 10, "5 to 10 years"), (10, np.inf, "over 10 years"))

MOST_YEARS = 12  # pairs further apart are few in the published data

Members = dict[str, NDArray[np.bool_]]


def patient_groups(table: pd.DataFrame, patients: Codes, measured: Codes) -> Members:
    """For every group, which of the measured patients belong to it; facts of a patient's first image."""
    first = table.groupby(patients).first().reindex(measured)
    groups: Members = {f"sex {sex}": (first["sex"] == sex).to_numpy() for sex in ("F", "M", "O")}
    groups |= {
        f"age {name}": first["age"].between(low, high, inclusive="left").to_numpy() for low, high, name in AGE_BANDS
    }
    views = table.groupby(patients)["view"].agg(lambda view: "/".join(sorted(set(view.dropna())))).reindex(measured)
    groups |= {"view PA only": (views == "PA").to_numpy(), "view AP only": (views == "AP").to_numpy()}
    groups |= {"views PA and AP": (views == "AP/PA").to_numpy()}
    sites, _ = pd.factorize(table["site"])
    site = pd.Series(sites).groupby(patients).first().reindex(measured)
    groups |= {f"site {number + 1}": (site == number).to_numpy() for number in range(int(sites.max(initial=-1)) + 1)}
    ever = (table[list(LABELS)] == 1).groupby(patients).any().reindex(measured)
    groups |= {label: ever[label].to_numpy(bool) for label in LABELS}
    return {name: members for name, members in groups.items() if members.sum() >= SMALLEST_GROUP}


def by_group(found: Linkable, groups: Members, weights: NDArray[np.float64]) -> list[Figure]:
    """One figure with every group's interval, control and chance; none where no group is large enough."""
    if not groups:
        return []
    estimates = [found.estimate(weights, members) for members in groups.values()]
    figure = Figure(
        title="Linkable patients by group",
        kind="interval",
        x_title="group",
        y_title="share of patients",
        series=compared(tuple(groups), estimates, "linkable"),
        note=f"Groups of fewer than {SMALLEST_GROUP} patients are left out. Findings overlap.",
    )
    return [figure]


def pair_slices(table: pd.DataFrame, pairs: PairSet) -> dict[str, Members]:
    """For every question, which pairs fall under each answer; what is unknown falls under none."""
    first, second = (table.iloc[rows].reset_index(drop=True) for rows in (pairs.left, pairs.right))
    return {
        "time between": _gaps(first, second),
        "findings": _findings(first, second),
        "view": _views(first, second),
        "support devices": _devices(first, second),
        "new finding": _one_sided(first, second),
        "sex": {sex: (first["sex"] == sex).to_numpy() for sex in ("F", "M", "O")},
        "age": _ages(first),
    }


def published_slices(table: pd.DataFrame, pairs: PairSet, findings: pd.DataFrame) -> dict[str, Members]:
    """The slices of the paper's figure 4: years between the images, a finding that appears, and the views.

    `findings` has a column a finding, 1 or 0 or missing, row by row of the table.
    """
    first, second = (table.iloc[rows].reset_index(drop=True) for rows in (pairs.left, pairs.right))
    later = _second_is_later(first, second)
    before, after = np.where(later, pairs.left, pairs.right), np.where(later, pairs.right, pairs.left)
    appears = {
        str(finding): (findings[finding].to_numpy(float)[before] == 0) & (findings[finding].to_numpy(float)[after] == 1)
        for finding in findings
    }
    return {"years between": _single_years(first, second), "finding appears": appears, "view": _views(first, second)}


def query_slices(table: pd.DataFrame) -> dict[str, Members]:
    """For every question about one image, which images fall under each answer."""
    return {
        "sex": {sex: (table["sex"] == sex).to_numpy() for sex in ("F", "M", "O")},
        "age": _ages(table),
        "view": {view: (table["view"] == view).to_numpy() for view in ("PA", "AP")},
        "support devices": {
            answer: (table["Support Devices"] == value).to_numpy() for answer, value in (("present", 1), ("absent", 0))
        },
    }


def _gaps(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    years = np.abs(_years(first, second))
    return {name: ((low < years) | (low == 0)) & (years <= high) for low, high, name in GAPS}


def _years(first: pd.DataFrame, second: pd.DataFrame) -> NDArray[np.float64]:
    """By date where both have one, else by age, which only counts whole years."""
    by_date = (second["date"] - first["date"]).dt.total_seconds() / (365.25 * 86_400)
    return by_date.fillna((second["age"] - first["age"]).astype(float)).to_numpy(float)


def _single_years(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    """As the paper bins them: a year or less, then every year begun, up to twelve."""
    years = np.ceil(np.abs(_years(first, second)))
    return {"1 or less": years <= 1, **{f"{year}": years == year for year in range(2, MOST_YEARS + 1)}}


def _second_is_later(first: pd.DataFrame, second: pd.DataFrame) -> NDArray[np.bool_]:
    """By date or age; where neither tells, in the order of the table, in which follow-ups are listed."""
    return np.asarray(np.nan_to_num(_years(first, second)) >= 0)


def _findings(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    """The whole label vectors; a pair counts if every label is known on both or missing on both."""
    ours, theirs = (side[list(LABELS)].to_numpy(float) for side in (first, second))
    known = (np.isnan(ours) == np.isnan(theirs)).all(axis=1) & ~np.isnan(ours).all(axis=1)
    equal = ((ours == theirs) | np.isnan(ours)).all(axis=1)
    return {"the same": known & equal, "changed": known & ~equal}


def _one_sided(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    """For every finding, the pairs in which one image has it and the other is known not to."""
    changes = {}
    for label in LABELS:
        ours, theirs = first[label].to_numpy(float), second[label].to_numpy(float)
        changes[label] = ((ours == 1) & (theirs == 0)) | ((ours == 0) & (theirs == 1))
    return changes


def _views(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    ours, theirs = (side["view"].astype(object).to_numpy() for side in (first, second))
    pa, ap = (ours == "PA", theirs == "PA"), (ours == "AP", theirs == "AP")
    return {
        "PA and PA": pa[0] & pa[1],
        "AP and AP": ap[0] & ap[1],
        "PA and AP": (pa[0] & ap[1]) | (ap[0] & pa[1]),
    }


def _devices(first: pd.DataFrame, second: pd.DataFrame) -> Members:
    ours, theirs = (side["Support Devices"].to_numpy(float) for side in (first, second))
    return {
        "in both": (ours == 1) & (theirs == 1),
        "in one": ((ours == 1) & (theirs == 0)) | ((ours == 0) & (theirs == 1)),
        "in none": (ours == 0) & (theirs == 0),
    }


def _ages(table: pd.DataFrame) -> Members:
    return {name: table["age"].between(low, high, inclusive="left").to_numpy() for low, high, name in AGE_BANDS}

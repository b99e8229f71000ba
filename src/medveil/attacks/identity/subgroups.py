"""Who is linked more easily than others: the same share by sex, age, view, site and finding.

Sites are numbered, for their names come from the data; groups of fewer than eleven patients are left out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.identification import compared
from medveil.attacks.identity.linkable import Linkable
from medveil.attacks.identity.slices import AGES, FEWEST
from medveil.cohort.schema import LABELS
from medveil.finding import Figure
from medveil.stats.kernels.grid import Codes

Groups = dict[str, NDArray[np.bool_]]


def patient_groups(table: pd.DataFrame, patients: Codes, measured: Codes) -> Groups:
    """For every group, which of the measured patients belong to it; facts of a patient's first image."""
    first = table.groupby(patients).first().reindex(measured)
    groups: Groups = {f"sex {sex}": (first["sex"] == sex).to_numpy() for sex in ("F", "M", "O")}
    groups |= {f"age {name}": first["age"].between(low, high, inclusive="left").to_numpy() for low, high, name in AGES}
    views = table.groupby(patients)["view"].agg(lambda view: "/".join(sorted(set(view.dropna())))).reindex(measured)
    groups |= {"view PA only": (views == "PA").to_numpy(), "view AP only": (views == "AP").to_numpy()}
    groups |= {"views PA and AP": (views == "AP/PA").to_numpy()}
    sites, _ = pd.factorize(table["site"])
    site = pd.Series(sites).groupby(patients).first().reindex(measured)
    groups |= {f"site {number + 1}": (site == number).to_numpy() for number in range(int(sites.max(initial=-1)) + 1)}
    ever = (table[list(LABELS)] == 1).groupby(patients).any().reindex(measured)
    groups |= {label: ever[label].to_numpy(bool) for label in LABELS}
    return {name: members for name, members in groups.items() if members.sum() >= FEWEST}


def by_group(found: Linkable, groups: Groups, weights: NDArray[np.float64]) -> list[Figure]:
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
        note=f"Groups of fewer than {FEWEST} patients are left out. Findings overlap.",
    )
    return [figure]

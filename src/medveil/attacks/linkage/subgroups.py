"""Who is linked more easily than others: Recall@1 by sex, age, view, site, finding and length of the report.

Sites are numbered, for their names come from the data; groups of fewer than eleven patients are left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.estimates import Units
from medveil.attacks.linkage.settings import LinkageSettings
from medveil.cohort.schema import LABELS
from medveil.finding import AGE_BANDS, SMALLEST_GROUP
from medveil.stats.bootstrap import Means, Redraws
from medveil.stats.estimate import Estimate
from medveil.stats.pools import Doubles, PoolScores, chance

WORDS = (
    (0, 30, "under 30 words"),
    (30, 60, "30 to 59 words"),
    (60, np.inf, "60 words and more"),
)

Groups = dict[str, NDArray[np.bool_]]


def case_groups(cases: Cases, units: Units) -> Groups:
    """For every group which pairs belong to it; what is unknown belongs to none."""
    table = cases.table
    groups: Groups = {}
    if "sex" in table:
        groups |= {f"sex {sex}": (table["sex"] == sex).to_numpy(bool) for sex in ("F", "M", "O")}
    if "age" in table:
        age = pd.to_numeric(table["age"], errors="coerce")
        groups |= {
            f"age {name}": age.between(low, high, inclusive="left").to_numpy(bool) for low, high, name in AGE_BANDS
        }
    if "view" in table:
        groups |= {f"view {view}": (table["view"] == view).to_numpy(bool) for view in ("PA", "AP")}
    if "site" in table:
        codes, sites = pd.factorize(table["site"])
        groups |= {f"site {number + 1}": codes == number for number in range(len(sites))}
    if cases.profiles is not None:
        groups |= dict(zip(LABELS, cases.profiles.T, strict=True))
    words = _report_words(table)
    if words is not None:
        groups |= {f"report {name}": (words >= low) & (words < high) for low, high, name in WORDS}
    told = {name: held for name, held in groups.items() if not held.all()}  # a group of everybody says nothing new
    return {name: held for name, held in told.items() if units.held_by(held) >= SMALLEST_GROUP}


def _report_words(table: pd.DataFrame) -> NDArray[np.integer] | None:
    """The length of every report; vectors may be kept with it and without the text."""
    if "report" in table:
        return np.asarray(table["report"].astype(str).str.split().str.len())
    return np.asarray(table["report_words"]) if "report_words" in table else None


def by_group(
    groups: Groups, scores: PoolScores, control: Doubles, units: Units, settings: LinkageSettings, seed: int
) -> dict[str, Estimate]:
    """Recall@1 of every group, under the same redraws as everything else."""
    if not groups:
        return {}
    members = np.stack(list(groups.values()), axis=1)
    values = np.repeat(scores.values[:, :1], members.shape[1], axis=1)
    means = Means([values], units.codes, units.count, members=members)
    redraws = Redraws(units.count, redraws=settings.redraws, seed=seed)
    (drawn,) = redraws.of(means)
    estimates = Estimate.from_columns(means.value, drawn, n=len(members), units=units.held, unit=units.name)
    blind = chance(scores.size)[:, 0]
    found = {}
    for (name, held), one, spread in zip(groups.items(), estimates, means.spread.tolist(), strict=True):
        of_group = replace(
            one,
            n=int(held.sum()),
            units=units.held_by(held),
            chance=float(blind[held].mean()),
            control=float(control[held].mean()),
        )
        found[name] = of_group.as_share(spread=spread)
    return found

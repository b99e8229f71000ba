"""How often an attacker who knows all visits picks out the right patient where intervals are blurred and not coarsened.

Blurred dates are alike for nobody, so that what they give away is measured and not counted: among the people who are
alike in everything else, the one whose intervals fit best is picked.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.defenses.table.settling import Settled
from medveil.defenses.table.visits import Codes, Visits
from medveil.stats.interval_matching import matched

TARGETS = 1000  # patients who are looked for; more would change little
_WITHIN = 7  # days, as the attack on what is released has it
_MATCHERS = ("nearest", "in proportion")


def picked_by_intervals(visits: Visits, settled: Settled) -> NDArray[np.float64]:
    """Of patients with several dated studies, the chance that each is picked; of some of them, where they are many."""
    several = (settled.studies > 1) & visits.several_studies
    chosen = visits.dated & several[visits.patient] & (visits.place < settled.studies[visits.patient])
    columns = (visits.patient, visits.study, visits.day, visits.moved(blur=True))
    seen = pd.DataFrame(
        dict(zip(("patient", "study", "known", "released"), (one[chosen] for one in columns), strict=True))
    )
    studies = seen.groupby(["patient", "study"], as_index=False).min()
    studies["count"] = studies.groupby("patient")["study"].transform("size")
    studies = studies[studies["count"] > 1]
    people = studies["patient"].unique()
    drawn = np.random.default_rng(len(people)).permutation(people)[:TARGETS]
    by_matcher = [
        np.concatenate(
            [_picked(of, settled, drawn, int(str(count)), matcher) for count, of in studies.groupby("count")]
        )
        for matcher in _MATCHERS
        if len(people)
    ]
    return max(by_matcher, key=np.mean, default=np.zeros(0))


def _picked(studies: pd.DataFrame, settled: Settled, drawn: Codes, count: int, matcher: str) -> NDArray[np.float64]:
    known, released = (
        studies.sort_values(["patient", column], kind="stable")[column].to_numpy(np.float64).reshape(-1, count)
        for column in ("known", "released")
    )
    patients = np.sort(studies["patient"].unique())
    targets = np.flatnonzero(np.isin(patients, drawn))
    groups = settled.group[patients]
    return matched(known, released, targets, matcher, within=_WITHIN, groups=groups)  # type: ignore[arg-type]

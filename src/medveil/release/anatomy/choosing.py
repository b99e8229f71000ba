"""How many bits a film may be coded in, for a stated risk.

A coded film is drawn from its code and from chance alone, so whoever attacks films does no better than someone who is
shown the codes themselves. That attacker needs no film drawn and no network trained: people are matched by the longest
common beginning of their codes, a rare one counting more. The attackers on the films have the last word afterwards.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.defenses.anatomy.coded import bound
from medveil.defenses.anatomy.coded.codebook import LONGEST
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.method import Film, load_method
from medveil.errors import SettingsError
from medveil.release.anatomy.sweep import read_films
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

MOST_FILMS = 4000  # enough to tell one bit from the next; of whole patients, drawn at random

Codes = NDArray[np.int64]


def bits_for(cohort: Cohort, risk: float, weights: Path | None, *, seed: int) -> int:
    """The most bits at which the attacker who sees the codes keeps below the risk, the upper end of the interval.

    Where nobody returns there is nobody to match; then the bound alone must keep the risk, for all films of a person.
    """
    counts = cohort.table["patient_id"].value_counts()
    if cohort.table.groupby("patient_id")["study_id"].nunique().max() < 2:
        return _by_bound(risk, counts)
    films, _ = read_films(_sample(cohort, seed))
    side = films.side
    if len(np.unique(side.patients)) == len(side.patients):  # only one film of each can be read
        return _by_bound(risk, counts)
    method = cast(Coded, load_method("coded", weights=weights))
    shown = [Film(pixels, fields) for pixels, fields in zip(side.pixels, side.fields, strict=True)]
    codes = np.array(method.codes(shown, LONGEST), np.int64)
    half = np.random.default_rng(seed).integers(0, 2, int(side.patients.max()) + 1)[side.patients]
    for bits in range(LONGEST, 0, -1):
        if matched(codes >> (LONGEST - bits), bits, side.patients, half, seed=seed).high <= risk:
            return bits
    raise _too_few(risk)


def _by_bound(risk: float, films: pd.Series) -> int:
    """By the number of films of each person."""
    bits = min(LONGEST, bound.bits_for(risk, len(films)) // int(films.max()))
    if not bits:
        raise _too_few(risk)
    return bits


def _too_few(risk: float) -> SettingsError:
    return SettingsError(
        f"with so few patients no code is short enough to show a risk below {risk:g}; protect a larger cohort, or "
        "state a higher risk"
    )


def matched(codes: Codes, bits: int, patients: Codes, half: Codes | None = None, *, seed: int) -> Estimate:
    """Precision@1 of the attacker who sees the codes: how often the best match of a film is of the same patient.

    With halves, films are sought in their own half alone, as the attackers who learn from the other half seek them.
    """
    sought = np.ones((len(codes), len(codes)), bool) if half is None else half[:, None] == half[None]
    np.fill_diagonal(sought, False)
    closeness = np.where(sought, _closeness(codes, bits), -np.inf)
    best = closeness == closeness.max(1, keepdims=True)
    same = (patients[:, None] == patients[None]) & sought
    searched = same.any(1)
    hits = ((best & same).sum(1) / best.sum(1))[searched]
    units = np.unique(patients[searched], return_inverse=True)[1]
    chance = float((same.sum(1) / sought.sum(1).clip(1))[searched].mean())
    return share(hits, units, unit_weights(int(units.max()) + 1, seed=seed), chance=chance)


def _closeness(codes: Codes, bits: int) -> NDArray[np.float32]:
    """How telling the longest common beginning of two codes is: the logarithm of how rare it is."""
    found = np.zeros((len(codes), len(codes)), np.float32)
    for length in range(1, bits + 1):
        start = codes >> (bits - length)
        _, place, counts = np.unique(start, return_inverse=True, return_counts=True)
        rarity = -np.log(counts[place] / len(codes)).astype(np.float32)
        found = np.where(start[:, None] == start[None], np.maximum(found, rarity[:, None]), found)
    return found


def _sample(cohort: Cohort, seed: int) -> Cohort:
    patients = cohort.table["patient_id"]
    if len(patients) <= MOST_FILMS:
        return cohort
    order = np.random.default_rng(seed).permutation(np.sort(patients.unique()))
    counts = patients.value_counts()[order].cumsum()
    return cohort.where(patients.isin(order[: max(2, int((counts <= MOST_FILMS).sum()))]).tolist())

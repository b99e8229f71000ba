"""Who is guessed about: members, others who were not trained on, and the attacker's own crowd, who are in neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from medveil.attacks.membership.success import FEWEST
from medveil.cohort import Cohort
from medveil.errors import InputError, NotMeasurable

CROWD = 1 / 3  # of the others, where no split names a crowd
CROWD_FEWEST = 10  # patients


def check_enough(members: int, others: int, crowd: int) -> None:
    if min(members, others) < FEWEST or crowd < CROWD_FEWEST:
        raise NotMeasurable(
            f"the attack needs at least {FEWEST} members, {FEWEST} non-members and {CROWD_FEWEST} further people who "
            f"are neither, and there are {members}, {others} and {crowd}"
        )


@dataclass(frozen=True)
class Groups:
    """Three cohorts without a patient in common. The crowd's pairs compete, and stand for people in general."""

    members: Cohort
    others: Cohort
    crowd: Cohort

    def __post_init__(self) -> None:
        counted = [len(patients_of(each)) for each in (self.members, self.others, self.crowd)]
        check_enough(*counted)

    @classmethod
    def of_split(cls, cohort: Cohort, *, seed: int) -> Groups:
        """By the column `split`: train are members, test are not, val are the attacker's crowd."""
        split = cohort.table["split"]
        members, others, crowd = (cohort.where(split == name) for name in ("train", "test", "val"))
        if not len(members) or not len(others) + len(crowd):
            raise InputError(
                "the column split names no members (train), or nobody else (test, val); say who was trained on, or "
                "give members and non-members as two data sets"
            )
        _check_apart(members, cohort.where(split != "train"))
        if len(patients_of(crowd)) < CROWD_FEWEST or not len(others):
            others, crowd = _dealt(cohort.where(split.isin(("test", "val"))), seed)
        return cls(members, others, crowd)

    @classmethod
    def of_two(cls, members: Cohort, others: Cohort, *, seed: int) -> Groups:
        _check_apart(members, others)
        return cls(members, *_dealt(others, seed))


def patients_of(cohort: Cohort) -> list[str]:
    """In order of first appearance."""
    return [str(name) for name in cohort.table["patient_id"].unique()]


def _check_apart(members: Cohort, others: Cohort) -> None:
    both = len(set(patients_of(members)) & set(patients_of(others)))
    if both:
        raise InputError(
            f"patients are both members and non-members ({both}); the attack is about patients, so each must be one or "
            "the other"
        )


def _dealt(others: Cohort, seed: int) -> tuple[Cohort, Cohort]:
    names = patients_of(others)
    order = np.random.default_rng([seed, 31]).permutation(len(names))
    apart = {names[place] for place in order[: round(len(names) * CROWD)]}
    crowd = others.table["patient_id"].isin(apart).to_numpy(bool)
    return others.where(~crowd), others.where(crowd)

"""All films of a release summed up: figures with intervals by patient, the worst films, and whether a person must look.

A release is counted, not sampled: its shares are judged as they are. The intervals say what to expect of more films
from the same place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.finding import Threshold, Verdict, percent
from medveil.stats.bootstrap import mean_replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.utility.pixel_damage.film import FilmDamage
from medveil.weights.bundled import bundled

HEADLINE = "films changed inside the lungs"
WORST = 20  # films that are named
MOST_FILMS = 0.005
MOST_AREA = 0.01

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Worst:
    """A film by the name it is released under."""

    name: str
    film: FilmDamage


@dataclass(frozen=True)
class FindingChange:
    """How far the network's probability of a finding moved at most, and in how many films it crossed its threshold."""

    finding: str
    largest: float
    crossed: int


@dataclass(frozen=True)
class Damage:
    """What was done to the films, in figures."""

    films: int
    patients: int
    estimates: dict[str, Estimate]
    findings: tuple[FindingChange, ...]
    worst: tuple[Worst, ...]  # of the films changed inside the lungs
    lungs_not_found: int  # among the films that were changed
    over_area: int  # films of whose lungs more than may be was changed
    most_films: float
    most_area: float

    @property
    def threshold(self) -> Threshold:
        name = f"{percent(self.most_films)} of the films changed inside the lungs"
        return Threshold(name, self.most_films, "set by medveil, to spare what matters", counted=True)

    @property
    def concerns(self) -> tuple[str, ...]:
        """What a person must look at, whatever the share of films."""
        if not self.over_area:
            return ()
        many = f"{self.over_area:,} film{'s' if self.over_area > 1 else ''}"
        return (f"More than {percent(self.most_area)} of the lungs was changed in {many}.",)

    @property
    def verdict(self) -> Verdict:
        judged = self.threshold.judge(self.estimates[HEADLINE])
        return Verdict.worst([judged, *[Verdict.REVIEW] * bool(self.concerns)])

    @property
    def answer(self) -> str:
        """Plain sentences, the worst films by name."""
        films = self.estimates["films changed"].value
        lungs = self.estimates[HEADLINE].value
        told = (
            f"{round(films * self.films):,} of {self.films:,} films were changed anywhere, "
            f"{round(lungs * self.films):,} ({percent(lungs)}) inside the lungs."
        )
        if self.concerns:
            told += " " + " ".join(self.concerns)
        if self.worst:
            few = [one.name for one in self.worst[:3]]
            told += f" The worst: {', '.join(few)}."
        return told

    def to_json(self, withheld: int | None = None) -> dict[str, Any]:
        """As the check of an output writes it; shares as they are, 0 to 1."""
        return {
            "verdict": self.verdict,
            "told": self.answer,
            "films": self.films,
            "patients": self.patients,
            "withheld": withheld,
            "lungs_not_found": self.lungs_not_found,
            "limits": {"films_changed_inside_the_lungs": self.most_films, "lung_area_of_a_film": self.most_area},
            "films_over_the_area": self.over_area,
            "estimates": {name: estimate.to_json() for name, estimate in self.estimates.items()},
            "findings": [vars(one) for one in self.findings],
            "worst": [
                {"file": one.name, "lungs": one.film.inside, "film": one.film.changed, "outside": one.film.outside}
                for one in self.worst
            ],
        }


def damage_of(
    films: Sequence[FilmDamage],
    names: Sequence[str],
    patients: Sequence[str],
    *,
    seed: int,
    most_films: float = MOST_FILMS,
    most_area: float = MOST_AREA,
) -> Damage:
    """`names` are those the films are released under; `patients` say whose each is."""
    from medveil.utility.findings.network import read_calling  # it brings PyTorch

    codes, count = unit_codes(np.asarray(patients, object))
    weights = unit_weights(count, seed=seed)
    inside = np.array([film.inside for film in films])
    calling = read_calling(bundled("findings"))
    moved, crossed = _moves(films, np.array(calling.thresholds))

    def shared(hits: NDArray[np.bool_]) -> Estimate:
        return share(hits.astype(np.float64), codes, weights, chance=0.0)

    def mean(values: Floats) -> Estimate:
        draws = mean_replicates(values, codes, weights)
        return Estimate.from_replicates(float(values.mean()), draws, n=len(values), units=count, chance=0.0)

    estimates = {
        HEADLINE: shared(np.asarray(inside > 0)),
        "films changed": shared(np.array([film.changed > 0 for film in films])),
        "pixels changed": mean(np.array([film.changed for film in films])),
        "lung pixels changed": mean(inside),
        "other pixels changed": mean(np.array([film.outside for film in films])),
        "films in which a finding crosses its threshold": shared(np.asarray(crossed.any(1))),
        "largest change of a finding's probability": mean(moved.max(1)),
    }
    touched = np.flatnonzero(inside > 0).tolist()
    order = sorted(touched, key=lambda row: (films[row].badness, names[row]), reverse=True)
    return Damage(
        films=len(films),
        patients=count,
        estimates=estimates,
        findings=tuple(
            FindingChange(finding, round(float(moved[:, k].max()), 4), int(crossed[:, k].sum()))
            for k, finding in enumerate(calling.findings)
        ),
        worst=tuple(Worst(names[row], films[row]) for row in order[:WORST]),
        lungs_not_found=sum(not film.lungs_found for film in films),
        over_area=int((inside > most_area).sum()),
        most_films=most_films,
        most_area=most_area,
    )


def _moves(films: Sequence[FilmDamage], thresholds: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Films × findings: how far each probability moved, and whether over its threshold."""
    nothing = np.zeros(len(thresholds))
    before, after = (
        np.array([getattr(film, when) or nothing for film in films], np.float64).reshape(len(films), len(thresholds))
        for when in ("before", "after")
    )
    return np.abs(after - before), (after >= thresholds) != (before >= thresholds)

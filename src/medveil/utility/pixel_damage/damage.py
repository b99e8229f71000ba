"""All films of a release summed up: figures with intervals by patient, the worst films, and whether a person must look.

A release is counted, not sampled: its shares are judged as they are. The intervals say what to expect of more films
from the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.finding import Threshold, Verdict, percent
from medveil.stats.bootstrap import Redraws, unit_codes
from medveil.stats.estimate import Estimate
from medveil.stats.shares import spread_of
from medveil.utility.pixel_damage.film import FilmDamage
from medveil.weights.bundled import bundled

HEADLINE = "films changed inside the lungs"
WORST = 20  # films that are named
MOST_FILMS = 0.005
MOST_AREA = 0.01
_CHUNK = 2**14  # patients, whose weights are widened at a time
_DIGITS = 9

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
    from medveil.encoders.findings.network import read_calling  # it brings PyTorch

    calling = read_calling(bundled("findings"))
    moved, crossed, findings = _moves(films, calling.findings, np.array(calling.thresholds))
    inside, changed, outside = (
        np.array([getattr(film, part) for film in films]) for part in ("inside", "changed", "outside")
    )
    values = {
        HEADLINE: inside > 0,
        "films changed": changed > 0,
        "pixels changed": changed,
        "lung pixels changed": inside,
        "other pixels changed": outside,
        "films in which a finding crosses its threshold": crossed,
        "largest change of a finding's probability": moved,
    }
    touched = np.flatnonzero(inside > 0).tolist()
    order = sorted(touched, key=lambda row: (films[row].badness, names[row]), reverse=True)
    estimates, count = mean_estimates(values, patients, seed)
    return Damage(
        films=len(films),
        patients=count,
        estimates=estimates,
        findings=findings,
        worst=tuple(Worst(names[row], films[row]) for row in order[:WORST]),
        lungs_not_found=sum(not film.lungs_found for film in films),
        over_area=int((inside > most_area).sum()),
        most_films=most_films,
        most_area=most_area,
    )


def mean_estimates(
    values: Mapping[str, NDArray[Any]], patients: Sequence[str], seed: int
) -> tuple[dict[str, Estimate], int]:
    """Means of shares (of films, of pixels, of certainty) with bounds by patient, and the number of patients: where
    little was changed, no redraw has more, and yet more may come."""
    codes, count = unit_codes(np.asarray(patients, object))
    columns = np.stack([*values.values()], axis=1).astype(np.float64)
    (draws,) = Redraws(count, seed=seed).of(_Means(columns, codes, count))
    found = Estimate.from_columns(np.round(columns.mean(0), _DIGITS), draws, n=len(codes), units=count, chance=0.0)
    spreads = [round(spread_of(column, codes), _DIGITS) for column in columns.T]
    told = [one.as_share(spread=spread) for one, spread in zip(found, spreads, strict=True)]
    return dict(zip(values, told, strict=True)), count


class _Means:
    """Means of columns in redraws of patients, in double precision and to so many digits that a second check finds the
    very same: how a product is shared between cores shows in its last ones."""

    def __init__(self, columns: Floats, codes: NDArray[np.intp], count: int) -> None:
        ones = np.ones((len(codes), 1))
        self._sums = np.stack(
            [np.bincount(codes, column, minlength=count) for column in np.hstack([columns, ones]).T], axis=1
        )

    def __call__(self, weights: NDArray[np.float32]) -> Floats:
        drawn = np.zeros((len(weights), self._sums.shape[1]))
        for start in range(0, len(self._sums), _CHUNK):
            part = slice(start, start + _CHUNK)
            drawn += weights[:, part].astype(np.float64) @ self._sums[part]
        return np.asarray(np.round(drawn[:, :-1] / drawn[:, -1:], _DIGITS))


def _moves(
    films: Sequence[FilmDamage], findings: Sequence[str], thresholds: Floats
) -> tuple[Floats, NDArray[np.bool_], tuple[FindingChange, ...]]:
    """By film the largest move and whether any finding crossed its threshold; by finding the same over all films."""
    moved, crossed = np.zeros(len(films)), np.zeros(len(films), bool)
    largest, crossings = np.zeros(len(thresholds)), np.zeros(len(thresholds), int)
    for row, film in enumerate(films):
        if film.before:
            before, after = np.array(film.before), np.array(film.after)
            moves, crosses = np.abs(after - before), (after >= thresholds) != (before >= thresholds)
            moved[row], crossed[row] = moves.max(), crosses.any()
            largest, crossings = np.maximum(largest, moves), crossings + crosses
    changes = zip(findings, largest.tolist(), crossings.tolist(), strict=True)
    return moved, crossed, tuple(FindingChange(name, round(most, 4), count) for name, most, count in changes)

"""What came out of a site's updates, in words and numbers: unprotected, and under each protection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.inversion.judging import found_in_gallery, identification, likeness
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Power, Series, Table, percent
from medveil.stats.bootstrap import mean_replicates, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import strongest

Codes = NDArray[np.intp]
Vectors = NDArray[np.float32]
HEADLINE = "Reconstructions that find their patient"


@dataclass(frozen=True)
class Gallery:
    """Other films of the same patients and of strangers, as a recogniser sees them."""

    vectors: Vectors
    people: Codes


@dataclass(frozen=True)
class Drawn:
    """What one way made of every update under one protection: `films` (updates × n × side × side, 0..1), how the
    recogniser sees them (updates · n × dim), the attacked site's own films, and whose films were in what was seen."""

    films: NDArray[np.float32]
    vectors: Vectors
    own: NDArray[np.floating]  # updates × films × side × side
    people: Codes  # updates × everybody in it


@dataclass(frozen=True)
class Judged:
    found: Estimate
    alike: Estimate


def judge(drawn: Drawn, gallery: Gallery, *, seed: int) -> Judged:
    """The control looks the same reconstructions up for the people of the other updates."""
    count, each = drawn.films.shape[:2]
    updates = np.repeat(np.arange(count), each)

    def hits(people: Codes) -> NDArray[np.bool_]:
        return found_in_gallery(
            drawn.vectors, gallery.vectors, gallery.people, [people[update].tolist() for update in updates]
        )

    there = len(np.unique(gallery.people))
    chance = float(np.mean([len(np.intersect1d(one, gallery.people)) for one in drawn.people])) / there
    control = float(np.mean([hits(np.roll(drawn.people, by, 0)).mean() for by in range(1, count)]))
    found = identification(hits(drawn.people), updates, chance=chance, control=control, seed=seed)
    alike = np.array([likeness(own, films).mean() for own, films in zip(drawn.own, drawn.films, strict=True)])
    redrawn = mean_replicates(alike, np.arange(count), unit_weights(count, seed=seed))
    likely = Estimate.from_replicates(
        float(alike.mean()), redrawn, n=count * drawn.own.shape[1], units=count, unit="update"
    )
    return Judged(found, likely)


def inversion_finding(
    judged: Mapping[str, Mapping[str, Judged]], protection: str, *, network: str, noise: float, sites: int, films: int
) -> Finding:
    """`judged` by protection and way; `protection` is what the plan has."""
    likest = {name: sorted(ways, key=lambda way: -ways[way].alike.value) for name, ways in judged.items()}
    best = {name: strongest({way: ways[way].found for way in likest[name]}) for name, ways in judged.items()}
    (way, found), like = best[protection], judged[protection][likest[protection][0]].alike
    return Finding(
        part="inversion",
        kind="attack",
        question="Can whoever receives a site's update draw its patients' films from it?",
        answer=(
            f"With {_named(protection)}, {percent(found.value)} of the films drawn from updates ({way}) find a patient "
            f"who was in them among {found.n:,} tries; by chance {percent(found.chance)} do. The drawings most like "
            f"the films ({likest[protection][0]}) have a likeness (SSIM) of {like.value:.2f} ({like.low:.2f} to "
            f"{like.high:.2f}), where 1 is the film itself."
        ),
        headline=HEADLINE,
        estimates={HEADLINE: found, **_estimates(judged)},
        threshold=ONE_IN_ELEVEN,
        method=(
            f"In each of {found.units:,} updates a site takes one step of the image network ({network}) on {films} "
            f"film{'s' * (films > 1)}, not varied, from the weights that all share at the beginning, and the gradient "
            "itself is sent: the most that an update can show. The attacker knows weights, labels and how many films "
            f"there were. With secure sums the mean over {sites} sites is seen; with privacy each patient's gradient "
            f"is clipped and noise of {noise:g} times the clipping norm is added. A bundled network that recognises "
            "people looks each reconstruction up among other films; the control looks it up for the people of other "
            "updates. Likeness (SSIM) is told after brightness and contrast are made equal."
        ),
        limits=(
            "An attacker who searches longer, or knows what chests look like, would draw more.",
            "Secure sums hide a site among others, and nothing of the sum: with all other sites silent or on the "
            "server's side, or with very few, the sum is the site's own update. They change nothing in the released "
            "model.",
        ),
        figures=(_figure(judged, best),),
        tables=(_table(judged),),
        glossary={
            HEADLINE: "The share of reconstructions whose most similar film, in a gallery of other films, is of a "
            "patient whose film was in the update.",
            "SSIM": "Likeness of two pictures by brightness, contrast and structure: 1 if they are the same.",
        },
        power=_power(best["none"]),
    )


def _estimates(judged: Mapping[str, Mapping[str, Judged]]) -> dict[str, Estimate]:
    told = {}
    for protection, ways in judged.items():
        for way, one in ways.items():
            told[f"{protection}, {way}: found"] = one.found
            told[f"{protection}, {way}: SSIM"] = one.alike
    return told


def _power(unprotected: tuple[str, Estimate]) -> Power:
    way, found = unprotected
    works = found.low > (found.chance or 0.0)
    shown = (
        f"From unprotected updates of the same step, {percent(found.value)} of the reconstructions ({way}) find their "
        f"patient ({percent(found.low)} to {percent(found.high)}; chance {percent(found.chance)})"
    )
    shown += "." if works else ": nobody was seen to be recognised in them, however like the films they are."
    control = found.control if found.control is not None else 0.0
    return Power(shown, f"For people of other updates they are found in {percent(control)}.", works)


def _figure(judged: Mapping[str, Mapping[str, Judged]], best: Mapping[str, tuple[str, Estimate]]) -> Figure:
    names = tuple(judged)
    found = [best[name][1] for name in names]
    values, low, high = (tuple(getattr(one, part) for one in found) for part in ("value", "low", "high"))
    series = (
        Series("found by the strongest way", names, values, low, high),
        Series("chance", names, tuple(one.chance or 0.0 for one in found)),
    )
    return Figure("Patients found in reconstructions, by protection", "interval", "", HEADLINE, series)


def _table(judged: Mapping[str, Mapping[str, Judged]]) -> Table:
    rows = tuple(
        (protection, way, _shown(one.alike), _shown(one.found), f"{one.found.chance:.3f}", f"{one.found.control:.3f}")
        for protection, ways in judged.items()
        for way, one in ways.items()
    )
    columns = ("protection", "way", "SSIM", "finds its patient", "chance", "for other people")
    return Table("What can be drawn from an update", columns, rows)


def _shown(one: Estimate) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _named(protection: str) -> str:
    return {"none": "no protection", "both": "secure sums and privacy"}.get(protection, protection)

"""A released cohort beside its originals: who can still be diagnosed, cross-fitted by patient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import LABELS, Cohort
from medveil.cohort.features import demographics
from medveil.cohort.labels import POLICIES
from medveil.errors import NotMeasurable
from medveil.finding import Figure, Finding, Series, Table, percent
from medveil.stats.estimate import Estimate
from medveil.utility.diagnosis.comparison import MACRO, aurocs, share_kept
from medveil.utility.diagnosis.diagnosing import Diagnosed, Effort, folds
from medveil.utility.diagnosis.features import features_of, fit_layer
from medveil.utility.diagnosis.films import LabelledFilms
from medveil.utility.diagnosis.fine_tuning import FineTuned
from medveil.utility.film_rows import frontal_pair, patients_of, prepared_films

WAYS = {
    "originals": "learned from originals, tried on originals",
    "learned from released": "learned from released films, tried on originals",
    "clean on released": "learned from originals, tried on released films",
}
HEADLINE = f"{MACRO}, learned from released"
Floats = NDArray[np.float64]
Shown = NDArray[Any]  # of all films: pixels, or features


class SeenOriginals:
    """What a classifier is shown of the originals: they are looked at once, before the defenses and after them."""

    def __init__(self) -> None:
        self._known: tuple[Cohort, int, Shown] | None = None

    def of(self, originals: Cohort, seed: int, look: Callable[[], Shown]) -> Shown:
        if self._known is None or self._known[0] is not originals or self._known[1] != seed:
            self._known = originals, seed, look()
        return self._known[2]


def compare_cohorts(
    part: str,
    released: Cohort,
    originals: Cohort,
    *,
    effort: Effort,
    parts: int,
    fewest: int,
    most: int,
    device: str,
    seed: int,
    progress: Callable[[int, int], None],
    seen: SeenOriginals,
) -> Finding:
    whole, untouched = originals, released is originals
    released, originals = frontal_pair(released, originals, most=most, seed=seed)
    total, truth = 2 * len(originals), _Truth(originals)
    if not truth.counts.any():
        raise NotMeasurable("a diagnosis needs films with labels")
    before = seen.of(whole, seed, lambda: _shown(originals, effort, device, lambda done: progress(done, total)))
    after = before
    if not untouched:
        after = _shown(released, effort, device, lambda done: progress(len(originals) + done, total))
    fold = folds(truth.patients, parts, seed=seed)
    learn = _layer if effort == "small" else _network
    scores = {way: np.zeros(truth.targets.shape) for way in WAYS} | {"control": np.zeros(truth.targets.shape)}
    known = demographics(originals.table)
    for k in np.unique(fold):
        rest, here = fold != k, fold == k
        clean = learn(before, truth, rest, device, seed)
        scores["originals"][here] = clean(before[here])
        scores["clean on released"][here] = clean(after[here])
        scores["learned from released"][here] = learn(after, truth, rest, device, seed)(before[here])
        scores["control"][here] = _layer(known, truth, rest, device, seed)(known[here])
    found = {way: aurocs(truth.diagnosed(given), LABELS, seed=seed, fewest=fewest) for way, given in scores.items()}
    return _finding(part, found, f"{_HOW[effort]} {parts} folds by patient", fewest)


class _Truth:
    """What the originals' table says of every film."""

    def __init__(self, originals: Cohort) -> None:
        self.targets, self.counts = POLICIES["uncertain-missing"].apply(originals.table)
        self.patients = patients_of(originals)

    def diagnosed(self, scores: Floats) -> Diagnosed:
        return Diagnosed(scores, self.targets, self.counts, self.patients)


def _shown(cohort: Cohort, effort: Effort, device: str, progress: Callable[[int], None]) -> Shown:
    films = prepared_films(cohort, progress)
    return features_of(films, device=device) if effort == "small" else np.stack(list(films))


def _layer(shown: Shown, truth: _Truth, rows: NDArray[np.bool_], device: str, seed: int) -> Callable[[Shown], Floats]:
    return fit_layer(shown[rows], truth.targets[rows], truth.counts[rows], truth.patients[rows], seed=seed).scores


def _network(shown: Shown, truth: _Truth, rows: NDArray[np.bool_], device: str, seed: int) -> Callable[[Shown], Floats]:
    films = LabelledFilms(shown[rows], truth.targets[rows], truth.counts[rows], truth.patients[rows])
    return FineTuned.learned(films, device=device, seed=seed).scores


def _finding(part: str, found: dict[str, dict[str, Estimate]], how: str, fewest: int) -> Finding:
    macro = {way: found[way][MACRO] for way in WAYS}
    control = found["control"][MACRO].value
    estimates = {f"{MACRO}, {way}": _beside(one, control) for way, one in macro.items()}
    for way in ("learned from released", "clean on released"):
        estimates[f"change of the macro AUROC, {way}"] = macro[way].minus(macro["originals"])
    kept = _kept(macro)
    estimates |= {f"share kept, {way}": one for way, one in kept.items()}
    names = [name for name in found["originals"] if name != MACRO]
    main = estimates[HEADLINE]
    told = (
        f", {percent(kept['learned from released'].value)} of what the originals give above chance"
        if kept
        else "; the originals give too little above chance to say what share of it is left"
    )
    return Finding(
        part=part,
        kind="measure",
        question="Is the diagnosis still in the films?",
        answer=(
            f"A classifier that learned from released films reached a mean AUROC of {main.value:.3f} on originals of "
            f"other patients, against {macro['originals'].value:.3f} for one that learned from originals{told}. Age, "
            f"sex, view and site alone give {control:.3f}, a coin toss 0.5."
        ),
        headline=HEADLINE,
        scale="score",
        estimates=estimates,
        method=(
            f"{how}: no film is looked at by a classifier that "
            "learned from its patient. Redraws are by patient, the same for all: differences and shares are paired. "
            "Uncertain labels left out, labels not mentioned taken as absent; findings with fewer than "
            f"{fewest} patients on either side left out."
        ),
        limits=(
            "Labels come from reports and are noisy: what the films could give is more than is measured, before and "
            "after.",
        ),
        figures=(_figure(found, names),),
        tables=(_table(found, names),),
        glossary={
            "AUROC": "The chance that a film with the finding is ranked above one without it; 0.5 is a coin toss.",
            "share kept": "The AUROC above 0.5, of what the originals have above 0.5.",
        },
    )


_HOW = {
    "small": "Features of the identity network, which was never told a finding, and logistic regression.",
    "full": "A network that starts from the identity network, which was never told a finding, taught as a whole.",
}


def _beside(one: Estimate, control: float) -> Estimate:
    return replace(one, control=control)


def _kept(macro: dict[str, Estimate]) -> dict[str, Estimate]:
    try:
        return {way: share_kept(one, macro["originals"]) for way, one in macro.items() if way != "originals"}
    except NotMeasurable:
        return {}


def _figure(found: dict[str, dict[str, Estimate]], names: list[str]) -> Figure:
    series = []
    for way, title in WAYS.items():
        rows = [found[way][name] for name in names]
        values, lows, highs = (tuple(getattr(one, end) for one in rows) for end in ("value", "low", "high"))
        series.append(Series(title, tuple(names), values, lows, highs))
    return Figure(title="AUROC by finding", kind="interval", x_title="", y_title="AUROC", series=tuple(series))


def _table(found: dict[str, dict[str, Estimate]], names: list[str]) -> Table:
    rows: list[tuple[str | float | int | None, ...]] = [
        (name, *(round(found[way][name].value, 3) for way in WAYS), found["originals"][name].n) for name in names
    ]
    return Table("AUROC by finding", ("finding", *WAYS.values(), "films"), tuple(rows))

"""Patients of one half teach the adversary, those of the other are attacked, and the reverse."""

from __future__ import annotations

import numpy as np

from medveil.attacks.refit.correlation import as_they_are
from medveil.attacks.refit.pairs import SeenPairs
from medveil.attacks.refit.refitting import FEWEST, Target, recalls, refit
from medveil.attacks.refit.settings import RefitSettings
from medveil.cohort import Cohort
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding, Power, percent
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

HEADLINE = "Recall@1 after a refit"


def link_after_refit(
    part: str, cohort: Cohort, embeddings: Embeddings, settings: RefitSettings, *, seed: int
) -> Finding:
    """Recall@1 among all reports of the half under attack; the control compares the vectors as they are."""
    patients, count = unit_codes(cohort.table["patient_id"].to_numpy())
    studies, _ = unit_codes(cohort.table["study_id"].to_numpy())
    seen = SeenPairs(embeddings.images, embeddings.reports, patients[embeddings.rows])
    half = (np.random.default_rng([seed, 13]).permutation(count) % 2)[seen.patients]
    if min((half == 0).sum(), (half == 1).sum()) < FEWEST:
        raise NotMeasurable(f"a refit needs at least {FEWEST} pairs in either half of the patients")
    weights = unit_weights(count, seed=seed)
    found, plain, chances = np.zeros((3, len(seen)))
    means = []
    for attacked in (0, 1):
        rows = half == attacked
        target = Target(seen.take(rows), weights, exclude=studies[embeddings.rows][rows])
        heads, what = refit(seen.take(~rows), settings=settings, seed=seed)
        ((found[rows], chances[rows]),) = recalls(heads, target, (None,))
        ((plain[rows], _),) = recalls(as_they_are(seen), target, (None,))
        means.append(what)
    recall = share(found, seen.patients, weights, chance=float(chances.mean()), control=float(plain.mean()))
    return _finding(part, recall, means)


def _finding(part: str, recall: Estimate, means: list[str]) -> Finding:
    return Finding(
        part=part,
        kind="attack",
        question="Can someone who has other patients' X-rays with their reports learn to link these?",
        answer=(
            f"Of {recall.n:,} X-rays, {percent(recall.value)} were linked to their own report at the first try; "
            f"blind guessing succeeds in {percent(recall.chance)}, without any learning "
            f"{percent(recall.control)} are linked."
        ),
        headline=HEADLINE,
        estimates={HEADLINE: recall},
        threshold=ONE_IN_ELEVEN,
        method=(
            "Patients are dealt into two halves. On the pairs of the one, the adversary fits heads behind the frozen "
            "encoder, in closed form and by contrast, and keeps what links a fifth of them best; with it, every X-ray "
            "of the other half is compared with all reports of that half, those of its own study aside. Then the "
            f"halves change places. What was kept: {', then '.join(means)}."
        ),
        limits=("An adversary with more pairs, or with a network trained from the start, would link more.",),
        glossary={HEADLINE: "The share of X-rays whose own report is ranked first by heads fitted to other patients."},
        power=_power(recall),
    )


def _power(recall: Estimate) -> Power:
    """Of a refit on untouched pairs: enough if it surely beats luck, and learning did not make it worse."""
    works = recall.low > (recall.chance or 0.0)
    shown = (
        f"On untouched X-rays and reports of these patients, heads fitted to one half of them link "
        f"{percent(recall.value)} of the other's ({percent(recall.low)} to {percent(recall.high)}; chance "
        f"{percent(recall.chance)})"
    )
    shown += "." if works else ": they were never shown to work on such data."
    below = recall.value < (recall.control or 0.0)
    held = "more than with it: the attack is below its own control" if below else "no more than with it"
    return Power(shown, f"Without any learning {percent(recall.control)} are linked, {held}.", works and not below)

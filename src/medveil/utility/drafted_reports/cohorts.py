"""A released cohort beside its originals: reports drafted from the films of both, by networks that learned from the
originals of other patients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.finding import Finding, Table
from medveil.utility.diagnosis.comparison import share_kept
from medveil.utility.diagnosis.diagnosing import folds
from medveil.utility.diagnosis.features import features_of
from medveil.utility.drafted_reports.drafter import CELLS, learn_drafter
from medveil.utility.drafted_reports.drafting import HEADLINE, MEASURES, bleu_estimates, typical
from medveil.utility.drafted_reports.words import words_of
from medveil.utility.film_rows import frontal_pair, patients_of, prepared_films

FEWEST = 40  # films with a report; a network learns to write from no fewer


def compare_cohorts(
    part: str,
    released: Cohort,
    originals: Cohort,
    *,
    steps: int,
    parts: int,
    most: int,
    device: str,
    seed: int,
    progress: Callable[[int, int], None],
) -> Finding:
    told = originals.table["report"].notna().to_numpy()
    if told.sum() < FEWEST:
        raise NotMeasurable(f"drafted reports need at least {FEWEST} films with a report")
    released, originals = frontal_pair(released.where(told), originals.where(told), most=most, seed=seed)
    patients, reports = patients_of(originals), [words_of(str(report)) for report in originals.table["report"]]
    total = 2 * len(reports)
    before = features_of(prepared_films(originals, lambda n: progress(n, total)), device=device, cells=CELLS)
    after = features_of(
        prepared_films(released, lambda n: progress(len(reports) + n, total)), device=device, cells=CELLS
    )
    drafts = _drafts(before, after, reports, patients, steps, parts, device, seed)
    control = bleu_estimates(drafts["typical"], reports, patients, seed=seed)
    plain, hidden = (
        bleu_estimates(drafts[way], reports, patients, seed=seed, control=control) for way in ("originals", "released")
    )
    estimates = {f"{HEADLINE}, released": hidden[HEADLINE], f"{HEADLINE}, originals": plain[HEADLINE]}
    estimates[f"change of {HEADLINE}"] = hidden[HEADLINE].minus(plain[HEADLINE])
    for name in MEASURES[:-1]:
        estimates |= {f"{name}, released": hidden[name], f"{name}, originals": plain[name]}
    limits = ["BLEU counts words, not truth: a draft with the wrong side loses one word. Compare with the control."]
    try:
        kept = share_kept(hidden[HEADLINE], plain[HEADLINE], chance=control[HEADLINE])
        estimates[f"share of {HEADLINE} above the typical report's kept"] = kept
    except NotMeasurable:
        limits.append("Drafts from originals come no nearer than the typical report: what is lost cannot be told.")
    return Finding(
        part=part,
        kind="measure",
        question="Do the films still say what their reports say?",
        answer=(
            f"Reports drafted from released films reach a BLEU-4 of {hidden[HEADLINE].value:.3f}, from originals "
            f"{plain[HEADLINE].value:.3f}; the same typical report for everybody {control[HEADLINE].value:.3f}."
        ),
        headline=f"{HEADLINE}, released",
        scale="score",
        estimates=estimates,
        method=(
            f"A small network that learned from originals and reports of other patients ({parts} folds, "
            f"{steps} steps) writes a report for every film, before and after; BLEU against the true report's "
            "words from its findings on, without numbers. Redraws are by patient, the same for all."
        ),
        limits=tuple(limits),
        tables=(
            Table(
                "BLEU",
                ("runs of up to", "released", "originals", "the typical report"),
                tuple(
                    (n, *(round(one[name].value, 4) for one in (hidden, plain, control)))
                    for n, name in enumerate(MEASURES, 1)
                ),
            ),
        ),
        glossary={"BLEU": "The share of a draft's runs of words that the true report has too; short drafts lose."},
    )


def _drafts(
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    reports: list[list[str]],
    patients: NDArray[np.str_],
    steps: int,
    parts: int,
    device: str,
    seed: int,
) -> dict[str, list[list[str]]]:
    """For every film, by a network that never saw its patient: from the original, from the released film, and the most
    typical report of those that the network learned from."""
    written: dict[str, list[list[str]]] = {way: [[]] * len(reports) for way in ("originals", "released", "typical")}
    fold = folds(patients, parts, seed=seed)
    for k in np.unique(fold):
        rest, here = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        known = [reports[row] for row in rest]
        drafter = learn_drafter(before[rest], known, patients[rest], steps=steps, device=device, seed=seed)
        same = list(typical(known, seed=seed))
        for row, plain, hidden in zip(here, drafter.drafts(before[here]), drafter.drafts(after[here]), strict=True):
            written["originals"][row], written["released"][row], written["typical"][row] = plain, hidden, same
    return written

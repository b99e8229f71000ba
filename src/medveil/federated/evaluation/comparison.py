"""Models against one another on the same patients: macro AUROC over several trainings, and paired differences.

Each redraw of patients is the same for every model and every training (seed), so a difference is paired by patient, and
what luck in training adds is averaged over the seeds within the redraw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.auc import WeightedAUC
from medveil.stats.bootstrap import REDRAWS, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.paired import Change, changes

FEWEST = 10  # patients with, and without, a finding; fewer say nothing about it
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TestFilms:
    """What is known of the films that models are compared on."""

    __test__ = False  # not a test itself

    targets: NDArray[np.bool_]  # films × findings
    known: NDArray[np.bool_]
    patients: NDArray[np.object_] | NDArray[np.str_]

    def measurable(self) -> list[int]:
        """The findings that enough patients have, and have not."""
        return [
            finding
            for finding in range(self.targets.shape[1])
            if all(
                len(np.unique(self.patients[self.known[:, finding] & (self.targets[:, finding] == there)])) >= FEWEST
                for there in (True, False)
            )
        ]


def macro_auc(
    trainings: Sequence[NDArray[np.floating]],
    films: TestFilms,
    *,
    findings: Sequence[int] | None = None,
    redraws: int = REDRAWS,
    seed: int = 0,
) -> Estimate:
    """The mean AUROC over findings and trainings (scores are films × findings each), with redraws by patient.

    A finding without a score (NaN) in any training, or too rare to measure, does not count.
    """
    chosen = films.measurable() if findings is None else list(findings)
    chosen = [one for one in chosen if all(np.isfinite(scores[:, one]).all() for scores in trainings)]
    if not chosen or not trainings:
        raise NotMeasurable("no finding occurs often enough to compare models on")
    codes, units = unit_codes(films.patients)
    weights = unit_weights(units, redraws=redraws, seed=seed)
    values, columns = [], []
    for scores in trainings:
        for finding in chosen:
            known = films.known[:, finding]
            auc = WeightedAUC(scores[known, finding].astype(np.float64), films.targets[known, finding])
            mine = codes[known]
            values.append(auc())
            columns.append([auc(row[mine]) for row in weights])
    replicates = np.nanmean(np.array(columns), axis=0)
    return Estimate.from_replicates(
        float(np.mean(values)), replicates, n=len(codes), units=units, chance=0.5, unit="patient"
    )


def against(reference: Estimate, others: Mapping[str, Estimate]) -> dict[str, Change]:
    """How much better the reference is than each of the others, with p-values corrected for looking that often."""
    return changes(others, dict.fromkeys(others, reference), correction="holm")


def at_prevalence(
    scores: NDArray[np.floating], films: TestFilms, prevalence: Floats, findings: Sequence[int]
) -> tuple[float, float]:
    """Accuracy and F1, macro: as many films are called positive as had the finding in training. No label of the test
    decides where the line is drawn."""
    accuracy, f1 = [], []
    for finding in findings:
        known = films.known[:, finding]
        truth, score = films.targets[known, finding], scores[known, finding].astype(np.float64)
        called = score >= np.quantile(score, 1 - prevalence[finding])
        accuracy.append(float((called == truth).mean()))
        both = float((called & truth).sum())
        f1.append(2 * both / max(float(called.sum() + truth.sum()), 1.0))
    return float(np.mean(accuracy)), float(np.mean(f1))

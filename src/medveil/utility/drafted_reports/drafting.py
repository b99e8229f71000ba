"""Reports drafted from films, and how near they come to the true ones: BLEU, with intervals by patient.

A draft that ignores the film can come near, for reports are alike: the most typical report, the same for everybody,
is the control without which BLEU means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.drafted_reports.bleu import LONGEST, Words, bleu, counts

MEASURES = tuple(f"BLEU-{length}" for length in range(1, LONGEST + 1))
HEADLINE = MEASURES[-1]
COMPARED = 150  # reports among which the most typical one is sought


def typical(reports: Sequence[Words], *, seed: int) -> Words:
    """The report that comes nearest to the others, of some that are drawn."""
    rng = np.random.default_rng([seed, len(reports)])
    drawn = [reports[row] for row in rng.permutation(len(reports))[:COMPARED]]
    reached = [bleu(counts([one] * len(drawn), drawn).sum(0))[-1] for one in drawn]
    return drawn[int(np.argmax(reached))]


def bleu_estimates(
    drafts: Sequence[Words],
    reports: Sequence[Words],
    patients: NDArray[Any],
    *,
    seed: int,
    redraws: int = 1000,
    control: dict[str, Estimate] | None = None,
) -> dict[str, Estimate]:
    """BLEU-1 to BLEU-4 of the whole corpus; those of the same patients and seed are paired."""
    codes, units = unit_codes(patients)
    found = counts(drafts, reports)
    by_unit = np.stack([np.bincount(codes, column, minlength=units) for column in found.T], axis=1)
    values, draws = bleu(found.sum(0)), bleu(unit_weights(units, redraws=redraws, seed=seed) @ by_unit)
    return {
        name: Estimate.from_replicates(
            float(values[k]),
            draws[:, k],
            n=len(found),
            units=units,
            chance=control[name].value if control else None,
            control=control[name].value if control else None,
        )
        for k, name in enumerate(MEASURES)
    }

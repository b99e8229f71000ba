"""Does a film find its report among those of other patients, and a report its film?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.retrieval import best_match_ranks, blind_ranks, cmc, mean_by_patient

Vectors = NDArray[np.float32]


def recall(
    films: Vectors, reports: Vectors, *, first: Sequence[int] = (1, 5, 10), seed: int = 0
) -> dict[str, Estimate]:
    """Recall among the first k, film to report and back; row i of both is one patient's pair. Ties count by
    expectation, so that a model which tells nothing apart has chance."""
    if len(films) != len(reports) or len(films) < 2:
        raise NotMeasurable("retrieval needs at least two pairs, a film and a report each")
    people = np.arange(len(films))
    weights = unit_weights(len(people), seed=seed)
    blind = cmc(blind_ranks((people, people)), first)
    found = {}
    for name, queries, gallery in (("film to report", films, reports), ("report to film", reports, films)):
        hits = cmc(best_match_ranks(queries, gallery, (people, people)), first)
        for column, k in enumerate(first):
            found[f"{name}, recall@{k}"] = mean_by_patient(hits[:, column], people, weights, chance=blind[:, column])
    return found

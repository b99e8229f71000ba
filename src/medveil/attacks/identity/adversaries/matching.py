"""Whom an attacker finds: every film's most similar others, by inner product, ties by expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.attacks.identity.adversaries.films import Films, content_codes

Doubles = NDArray[np.float64]
ROWS = 1024  # queries at a time
COPY = 2.0  # a film with the very same bytes is more alike than any other
STRANGERS = 1e-3  # of pairs of two persons may pass the limit at which a film counts as its own original's


@dataclass(frozen=True)
class Found:
    """One attacker's success with each query, n each; NaN where there is nobody to find.

    `cmc` is rank 1 among all originals, the film's own too; `own` is whether the film is as alike to its own original
    as one in a thousand pairs of two persons. `together` is `dd` with what the rows tell beside the films.
    """

    dd: Doubles
    do: Doubles
    cmc: Doubles
    own: Doubles
    together: Doubles


class Contest:
    """The films under attack: who is whose, which may be found in which, and which have the same bytes."""

    def __init__(self, films: Films, device: str) -> None:
        self.n = len(films)
        self.told = [torch.from_numpy(each).to(device) for each in films.told]
        codes = content_codes(films.defended, films.original)
        every = [np.unique(films.patients, return_inverse=True)[1], films.visit_codes, *codes]
        self.patients, self.visits, self.defended, self.original = (
            torch.from_numpy(np.asarray(each, dtype=np.int64)).to(device) for each in every
        )

    def found(self, queries: Tensor, defended: Tensor, originals: Tensor) -> Found:
        """`defended` is what the queries are compared with among the released, `originals` among the originals."""
        dd, do, cmc, together = (np.full(self.n, np.nan) for _ in range(4))
        for rows in self._blocks():
            among = self._scores(queries[rows], defended, self.defended[rows], self.defended)
            together[rows] = self._first(self._with_rows(among, rows), rows)
            dd[rows] = self._first(among, rows)
            among = self._scores(queries[rows], originals, self.defended[rows], self.original)
            do[rows] = self._first(among, rows)
            cmc[rows] = self._first(among, rows, all_visits=True)
        return Found(dd, do, cmc, self._own(queries, originals), together)

    def first_among(self, vectors: Tensor, *, content: Tensor | None = None) -> Doubles:
        """Precision@1 of each, by vectors compared with one another."""
        found = np.full(self.n, np.nan)
        for rows in self._blocks():
            codes = None if content is None else content[rows]
            found[rows] = self._first(self._scores(vectors[rows], vectors, codes, content), rows)
        return found

    def chance(self) -> Doubles:
        """What an attacker who sees nothing finds; the same among defended films and among originals."""
        return self.first_among(torch.zeros((self.n, 1), device=self.patients.device))

    def _with_rows(self, films: Tensor, rows: slice) -> Tensor:
        """How alike films are and what is told beside them, each in its own spread, added up."""
        alike = [films, *(each[rows] @ each.T for each in self.told)]
        return torch.stack([_spread(each.double()) for each in alike]).sum(0)

    def _blocks(self) -> list[slice]:
        return [slice(start, min(start + ROWS, self.n)) for start in range(0, self.n, ROWS)]

    def _scores(self, queries: Tensor, gallery: Tensor, ours: Tensor | None, theirs: Tensor | None) -> Tensor:
        scores = queries.float() @ gallery.float().T
        if ours is None or theirs is None:
            return scores
        return scores.masked_fill_(ours[:, None] == theirs[None], COPY)

    def _first(self, scores: Tensor, rows: slice, *, all_visits: bool = False) -> Doubles:
        """The share of true matches among the most similar that may be found."""
        same = self.patients[rows, None] == self.patients[None]
        if not all_visits:
            own_visit = self.visits[rows, None] == self.visits[None]
            scores = scores.masked_fill(own_visit, -torch.inf)
            same = same & ~own_visit
        best = scores == scores.amax(1, keepdim=True)
        share = (best & same).sum(1).double() / best.sum(1)
        return torch.where(same.any(1), share, torch.nan).cpu().numpy()

    def _own(self, queries: Tensor, originals: Tensor) -> Doubles:
        strangers = []
        for rows in self._blocks():
            scores = self._scores(queries[rows], originals, self.defended[rows], self.original)
            strangers.append(scores[self.patients[rows, None] != self.patients[None]])
        others = torch.cat(strangers)
        if not len(others):
            return np.full(self.n, np.nan)
        room = STRANGERS * len(others)
        limit = torch.topk(others, max(1, int(np.ceil(room)))).values[-1]
        above, equal = (others > limit).sum(), (others == limit).sum()
        tied = ((room - above) / equal).clamp(0, 1).double()
        mine = (queries.float() * originals.float()).sum(1)
        mine = torch.where(self.defended == self.original, COPY, mine)
        return torch.where(mine == limit, tied, (mine > limit).double()).cpu().numpy()


def _spread(scores: Tensor) -> Tensor:
    """From its middle, in standard deviations, row by row."""
    deviation, mean = torch.std_mean(scores, dim=1, keepdim=True, correction=0)
    return (scores - mean) / deviation.clamp(min=1e-9)

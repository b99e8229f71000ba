"""The vectors of words met before: most words of a report have been read in the last one."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from medveil.defenses.reports.tagger.model_file import TaggerModel
from medveil.defenses.reports.tagger.word_batches import word_batch

_REMEMBERED = 30_000  # words; in memory alone, and forgotten together


class WordMemory:
    def __init__(self, model: TaggerModel) -> None:
        self._model = model
        self._forget(_REMEMBERED)

    def _forget(self, room: int) -> None:
        width = self._model.network.words.narrow.out_features
        self._rows: dict[str, int] = {}
        self.vectors = torch.zeros(room + 1, width)  # row 0 is no word at all

    def learn(self, words: Iterable[str]) -> None:
        """Makes the vectors of these words ready; rows given before may be void afterwards."""
        asked = dict.fromkeys(words)
        new = [word for word in asked if word not in self._rows]
        if not new:
            return
        if len(self._rows) + len(new) >= len(self.vectors):
            new = list(asked)
            self._forget(max(_REMEMBERED, len(new)))
        batch = word_batch(new, self._model.vocabulary, self._model.buckets)
        first = len(self._rows) + 1
        self.vectors[first : first + len(new)] = self._model.network.words(batch)
        self._rows.update(zip(new, range(first, first + len(new)), strict=True))

    def rows(self, words: list[str]) -> list[int]:
        return [self._rows[word] for word in words]

"""The vectors of words met before: most words of a report have been read in the last one."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from medveil.defenses.reports.tagger.model_file import TaggerModel
from medveil.defenses.reports.tagger.word_batches import word_batch

_REMEMBERED = 30_000  # words; in memory alone, and forgotten together


class WordMemory:
    def __init__(self, model: TaggerModel) -> None:
        self._model = model
        self._forget()

    def _forget(self) -> None:
        width = self._model.network.words.narrow.out_features
        self._rows: dict[str, int] = {}
        self._vectors = torch.zeros(1, width)  # row 0 is no word at all

    def learn(self, words: Iterable[str]) -> None:
        """Makes the vectors of these words ready; rows given before may be void afterwards."""
        asked = dict.fromkeys(words)
        new = [word for word in asked if word not in self._rows]
        if not new:
            return
        if len(self._rows) + len(new) > _REMEMBERED:
            self._forget()
            new = list(asked)
        batch = word_batch(new, self._model.vocabulary, self._model.buckets)
        with torch.inference_mode():
            vectors = self._model.network.words(batch)
        self._rows.update(zip(new, range(len(self._vectors), len(self._vectors) + len(new)), strict=True))
        self._vectors = torch.cat((self._vectors, vectors))

    def rows(self, words: list[str]) -> list[int]:
        return [self._rows[word] for word in words]

    @property
    def vectors(self) -> Tensor:
        return self._vectors

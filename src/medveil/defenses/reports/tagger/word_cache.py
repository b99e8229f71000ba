"""What the network makes of words met before: most words of a report have been read in the last one."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import torch
from torch import Tensor

from medveil.defenses.reports.tagger.inference import taken_from
from medveil.defenses.reports.tagger.model_file import TaggerModel
from medveil.defenses.reports.tagger.network import Mixing
from medveil.defenses.reports.tagger.word_features import word_batch

_REMEMBERED = 10_000  # words; in memory alone, and forgotten together

Met = tuple[str, int]  # a word and the kind of space before it


class CachedWords(NamedTuple):
    """Words by their rows in `vectors` and in what the network's first layer takes from each; row 0 is no word."""

    rows: list[int]
    vectors: Tensor
    taken: Tensor


class WordCache:
    """Threads may share it: what was looked up stays as it is, whatever is learned or forgotten meanwhile."""

    def __init__(self, model: TaggerModel) -> None:
        self._model = model
        first = model.network.layers[0]
        assert isinstance(first, Mixing)
        self._first = first
        self._lock = Lock()
        self._forget(_REMEMBERED)

    def _forget(self, room: int) -> None:
        width = self._model.network.words.narrow.out_features
        self._rows: dict[Met, int] = {}
        self._vectors = torch.zeros(room + 1, width)
        self._taken = torch.zeros(3, room + 1, 2 * width)

    def look_up(self, words: Sequence[Met]) -> CachedWords:
        """These words, learned where they are new. Rows once given are never written again, only left behind."""
        with self._lock:
            new = dict.fromkeys([word for word in words if word not in self._rows])
            if new and len(self._rows) + len(new) >= len(self._vectors):
                new = dict.fromkeys(words)
                self._forget(max(_REMEMBERED, len(new)))
            if new:
                self._learn(list(new))
            return CachedWords([self._rows[word] for word in words], self._vectors, self._taken)

    def _learn(self, new: list[Met]) -> None:
        batch = word_batch([word for word, _ in new], self._model.vocabulary, self._model.buckets)
        own = slice(len(self._rows) + 1, len(self._rows) + 1 + len(new))
        network = self._model.network
        vectors = network.words(batch).add_(network.gaps(torch.tensor([gap for _, gap in new])))
        self._vectors[own] = vectors
        self._taken[:, own] = taken_from(self._first, vectors)
        self._rows.update(zip(new, range(own.start, own.stop), strict=True))

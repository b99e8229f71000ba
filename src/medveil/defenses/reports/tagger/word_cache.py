"""What the networks make of words met before: most words of a report have been read in the last one."""

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


class Table(NamedTuple):
    """What one network makes of words, and what its first layer takes from each; row 0 is no word."""

    vectors: Tensor
    taken: Tensor


class CachedWords(NamedTuple):
    """Words by their rows in a table a network."""

    rows: list[int]
    tables: list[Table]


class WordCache:
    """Threads may share it: what was looked up stays as it is, whatever is learned or forgotten meanwhile."""

    def __init__(self, model: TaggerModel) -> None:
        self._model = model
        self._lock = Lock()
        self._forget(_REMEMBERED)

    def _forget(self, room: int) -> None:
        widths = [network.words.narrow.out_features for network in self._model.networks]
        self._rows: dict[Met, int] = {}
        self._room = room
        self._tables = [Table(torch.zeros(room + 1, width), torch.zeros(3, room + 1, 2 * width)) for width in widths]

    def look_up(self, words: Sequence[Met]) -> CachedWords:
        """These words, learned where they are new. Rows once given are never written again, only left behind."""
        with self._lock:
            new = dict.fromkeys([word for word in words if word not in self._rows])
            if new and len(self._rows) + len(new) > self._room:
                new = dict.fromkeys(words)
                self._forget(max(_REMEMBERED, len(new)))
            if new:
                self._learn(list(new))
            return CachedWords([self._rows[word] for word in words], self._tables)

    def _learn(self, new: list[Met]) -> None:
        batch = word_batch([word for word, _ in new], self._model.vocabulary, self._model.buckets)
        gaps = torch.tensor([gap for _, gap in new])
        own = slice(len(self._rows) + 1, len(self._rows) + 1 + len(new))
        for network, table in zip(self._model.networks, self._tables, strict=True):
            first = network.layers[0]
            assert isinstance(first, Mixing)
            vectors = network.words(batch).add_(network.gaps(gaps))
            table.vectors[own] = vectors
            table.taken[:, own] = taken_from(first, vectors)
        self._rows.update(zip(new, range(own.start, own.stop), strict=True))

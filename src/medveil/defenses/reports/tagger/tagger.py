"""The tagger at work: texts in, identifying pieces out. Many texts are read as one, with empty places between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.found import Found
from medveil.defenses.reports.tagger.deciding import decide
from medveil.defenses.reports.tagger.model_file import TaggerModel, load_model
from medveil.defenses.reports.tagger.network import NONE, REACH, STEP
from medveil.defenses.reports.tagger.reading import read
from medveil.defenses.reports.tagger.spans import marked_sure, spans
from medveil.defenses.reports.tagger.splitting import Tokens, split
from medveil.defenses.reports.tagger.word_memory import WordMemory
from medveil.parallel import one_torch_thread

_WINDOW = 1024  # places read at once: as many short texts as fit, or a part of a long one


class Tagger:
    """Finds identifiers by how texts are written."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self._memory = WordMemory(model)

    @classmethod
    def bundled(cls) -> Tagger:
        from medveil.weights.tagger import weights

        return cls(_loaded(weights()))

    def find(self, texts: Sequence[str]) -> list[list[Found]]:
        with torch.inference_mode(), one_torch_thread():
            return [
                marked_sure(tokens, spans(tokens, decide(shares, self.model.sure), begins), shares[:, NONE])
                for tokens, shares, begins in self._read([split(text) for text in texts])
            ]

    def _read(self, texts: Sequence[Tokens]) -> Iterator[tuple[Tokens, NDArray[np.float32], NDArray[np.bool_]]]:
        for group in _groups(texts):
            met = [list(zip(tokens.words, tokens.gaps.tolist(), strict=True)) for tokens in group]
            self._memory.learn(word for words in met for word in words)
            starts = np.cumsum([0, *(len(tokens) + STEP for tokens in group)])
            rows = np.zeros(starts[-1] - STEP, np.int64)
            for start, words in zip(starts[:-1], met, strict=True):
                rows[start : start + len(words)] = self._memory.rows(words)
            shares, begins = self._classify(rows)
            for start, tokens in zip(starts[:-1], group, strict=True):
                own = slice(start, start + len(tokens))
                yield tokens, shares[own], begins[own]

    def _classify(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """In windows that overlap by the network's reach, so that each token has all it depends on around it."""
        scores = [torch.empty(0, NONE + 2)]
        for start in range(0, len(rows), _WINDOW):
            low, high = max(start - REACH, 0), start + _WINDOW + REACH
            row = torch.from_numpy(rows[low:high])
            out = read(self.model.network, self._memory.vectors, self._memory.taken, row)
            scores.append(out[start - low : start - low + _WINDOW])
        said = torch.cat(scores)
        return said[:, : NONE + 1].softmax(1).numpy(), (said[:, NONE + 1] > 0).numpy()


def _groups(texts: Sequence[Tokens]) -> Iterator[list[Tokens]]:
    """Texts that fit into one window together, with empty places between them."""
    group: list[Tokens] = []
    size = 0
    for tokens in texts:
        if group and size + len(tokens) > _WINDOW:
            yield group
            group, size = [], 0
        group.append(tokens)
        size += len(tokens) + STEP
    if group:
        yield group


@lru_cache(maxsize=2)
def _loaded(path: Path) -> TaggerModel:
    return load_model(path)

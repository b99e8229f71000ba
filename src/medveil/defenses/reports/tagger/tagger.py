"""The tagger at work: texts in, identifying pieces out. Texts of like length are read side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.defenses.reports.tagger.decoding import decide, spans, suspected
from medveil.defenses.reports.tagger.inference import infer
from medveil.defenses.reports.tagger.model_file import TaggerModel, load_model
from medveil.defenses.reports.tagger.network import NONE, REACH
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.tagger.tokens import Tokens, tokenise
from medveil.defenses.reports.tagger.word_cache import CachedWords, WordCache
from medveil.person.span import Span
from medveil.runtime.threads import one_torch_thread

_WINDOW = 1024  # places read at once: of as many short texts as fit, or of a part of a long one
_LOOKED_UP = 1 << 13  # words, at least

Rows = NDArray[np.int64]  # of a text's words in the cache


class Tagger:
    """Finds identifiers by how texts are written."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self._cache = WordCache(model)

    @classmethod
    def bundled(cls) -> Tagger:
        from medveil.weights.bundled import bundled

        return cls(_loaded(bundled("tagger")))

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        return [tagged.found for tagged in self.tag(texts)]

    def tag(self, texts: Sequence[str]) -> list[TaggedText]:
        with torch.inference_mode(), one_torch_thread():
            return [tagged for some in _portions(texts) for tagged in self._tag(some)]

    def _tag(self, texts: Sequence[Tokens]) -> list[TaggedText]:
        words = self._cache.look_up([word for tokens in texts for word in tokens.with_gaps()])
        known = iter(words.rows)
        rows = [np.fromiter(islice(known, len(tokens)), np.int64, len(tokens)) for tokens in texts]
        tagged = [TaggedText([], tokens, np.ones(len(tokens), np.float32)) for tokens in texts]
        for group in _groups(rows):
            said = self._read([rows[place] for place in group], words)
            for place, (probabilities, begins) in zip(group, said, strict=True):
                tokens, classes = texts[place], decide(probabilities, self.model.sure)
                faint = spans(tokens, suspected(probabilities, classes), begins)
                tagged[place] = TaggedText(spans(tokens, classes, begins), tokens, probabilities[:, NONE], faint)
        return tagged

    def _read(
        self, group: Sequence[Rows], words: CachedWords
    ) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
        beside = np.zeros((max(map(len, group)), len(group)), np.int64)
        for place, rows in enumerate(group):
            beside[: len(rows), place] = rows
        probabilities, begins = self._classify(torch.from_numpy(beside), words)
        for place, rows in enumerate(group):
            yield probabilities[: len(rows), place], begins[: len(rows), place]

    def _classify(self, rows: Tensor, words: CachedWords) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """What the networks say on average, in windows that overlap by their reach: each token has around it all it
        depends on."""
        chances, begins = torch.zeros(*rows.shape, NONE + 1), torch.zeros(rows.shape)
        for network, table in zip(self.model.networks, words.tables, strict=True):
            for start in range(0, len(rows), _WINDOW):
                low, high = max(start - REACH, 0), start + _WINDOW + REACH
                out = infer(network, table.vectors, table.taken, rows[low:high])
                said = out[start - low : start - low + _WINDOW]
                chances[start : start + _WINDOW] += said[..., : NONE + 1].softmax(-1)
                begins[start : start + _WINDOW] += said[..., NONE + 1]
        return (chances / len(self.model.networks)).numpy(), (begins > 0).numpy()


def _portions(texts: Sequence[str]) -> Iterator[list[Tokens]]:
    """Texts whose words are looked up together: new words cost less by the hundred."""
    portion: list[Tokens] = []
    words = 0
    for tokens in map(tokenise, texts):
        portion.append(tokens)
        words += len(tokens)
        if words >= _LOOKED_UP:
            yield portion
            portion, words = [], 0
    if portion:
        yield portion


def _groups(texts: Sequence[Rows]) -> Iterator[list[int]]:
    """Texts, by their places, that fit into one window side by side; the shortest first, and empty ones in none."""
    group: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
        if group and (len(group) + 1) * len(texts[place]) > _WINDOW:
            yield group
            group = []
        if len(texts[place]):
            group.append(place)
    if group:
        yield group


@lru_cache(maxsize=2)
def _loaded(path: Path) -> TaggerModel:
    return load_model(path)

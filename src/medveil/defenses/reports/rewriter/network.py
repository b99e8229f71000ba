"""The network: an encoder that reads a text as a whole, and a decoder that goes through a sentence word by word.

At each word the decoder keeps it, leaves it out, or writes another before it; what it did so far is part of what it
decides by. It attends to the one word it stands at, as the encoder has read it among its neighbours.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.reports.rewriter.tokens import KINDS, Token
from medveil.defenses.reports.tagger.network import LightMixing, Mixing
from medveil.defenses.reports.tagger.tokens import BLANK_LINE, GAPS, LINE, NOTHING, SPACE, START, WIDE
from medveil.defenses.reports.tagger.word_features import SHAPES, letter_groups, plain_word, shape

KEEP, LEAVE, WRITE = 0, 1, 2  # and from there on, one action a word that can be written
_NEAR = (1, 2)
_FAR = (2, 4, 8)


@dataclass(frozen=True)
class Sizes:
    words: int = 8192  # buckets of whole words
    groups: int = 8192  # and of groups of letters
    embedding: int = 64
    width: int = 128
    state: int = 128
    said: int = 32


@dataclass(frozen=True)
class WordTable:
    """Distinct words: bucket, letter groups one after another, each word's first, shape and kind."""

    words: Tensor
    groups: Tensor
    starts: Tensor
    shapes: Tensor
    kinds: Tensor


def word_table(words: Sequence[tuple[str, str]], sizes: Sizes) -> WordTable:
    """Of words and their kinds."""
    plain = ["" if kind else text for text, kind in words]
    groups = [letter_groups(text, sizes.groups) if text else [0] for text in plain]
    return WordTable(
        torch.tensor([zlib.crc32(plain_word(text).encode()) % sizes.words if text else 0 for text in plain]),
        torch.tensor([number for own in groups for number in own]),
        torch.from_numpy(np.cumsum([0, *map(len, groups)])[:-1].astype(np.int64)),
        torch.tensor([shape(text) if text else 0 for text in plain]),
        torch.tensor([KINDS.index(kind) for _, kind in words]),
    )


def gap_of(token: Token, place: int) -> int:
    if place == 0:
        return START
    lines = token.gap.count("\n") or token.gap.count("\r")
    if lines:
        return BLANK_LINE if lines > 1 else LINE
    return NOTHING if not token.gap else SPACE if token.gap == " " else WIDE


class Encoder(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.words = nn.Embedding(sizes.words, sizes.embedding)
        self.groups = nn.EmbeddingBag(sizes.groups, sizes.embedding, mode="mean")
        self.shapes = nn.Embedding(SHAPES, 16)
        self.kinds = nn.Embedding(len(KINDS), sizes.embedding)
        self.widen = nn.Linear(3 * sizes.embedding + 16, sizes.width)
        self.gaps = nn.Embedding(GAPS, sizes.width)
        self.free = nn.Embedding(2, sizes.width)
        near = [Mixing(sizes.width, apart) for apart in _NEAR]
        self.layers = nn.ModuleList([*near, *(LightMixing(sizes.width, apart) for apart in _FAR)])
        self.norm = nn.LayerNorm(sizes.width)

    def each(self, table: WordTable, known: Tensor | None = None) -> Tensor:
        """A vector a word, with an empty one first; `known` (0 or 1 a word) forgets which word it is, in training."""
        words = self.words(table.words)
        if known is not None:
            words = words * known.unsqueeze(-1)
        groups = self.groups(table.groups, table.starts)
        looks = torch.cat((words, groups, self.kinds(table.kinds), self.shapes(table.shapes)), -1)
        return functional.pad(functional.gelu(self.widen(looks)), (0, 0, 1, 0))

    def forward(self, vectors: Tensor, rows: Tensor, gaps: Tensor, free: Tensor) -> Tensor:
        """Of texts × places, as rows of the vectors (0 where there is no word)."""
        present = (rows > 0).float().unsqueeze(-1)
        x = (vectors[rows] + self.gaps(gaps) + self.free(free)) * present
        for layer in self.layers:
            x = layer(x, present)
        return self.norm(x)


class RewriterNetwork(nn.Module):
    def __init__(self, written: int, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        actions = WRITE + written
        self.encoder = Encoder(sizes)
        self.said = nn.Embedding(actions + 1, sizes.said)  # the last: nothing yet
        self.state = nn.GRU(sizes.width + sizes.said, sizes.state, batch_first=True)
        self.out = nn.Linear(sizes.state + sizes.width, actions)

    def decode(self, read: Tensor, said: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """From words as they were read and the action before each (sentences × steps): scores, and the state after."""
        told, state = self.state(torch.cat((read, self.said(said)), -1), state)
        return self.out(torch.cat((told, read), -1)), state

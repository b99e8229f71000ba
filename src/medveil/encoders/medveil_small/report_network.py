"""The report network: words, what stands around them, and several readers over all of it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.medveil_small.attention_pool import AttentionPool
from medveil.encoders.medveil_small.words import Words


class PhraseLayer(nn.Module):
    """Each word learns from its neighbours: a gated convolution beside a shortcut."""

    def __init__(self, width: int, reach: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Conv1d(width, 2 * width, 5, padding=2 * reach, dilation=reach)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        # padding must be nothing at all, or a report's vector would depend on its batch
        inside = self.norm(x) * present.unsqueeze(-1)
        mixed = functional.glu(self.mix(inside.transpose(1, 2)).transpose(1, 2), -1)
        return x + self.drop(mixed)


class ReportNetwork(nn.Module):
    def __init__(self, vocabulary: int, buckets: int, dim: int, *, embedding: int = 96, width: int = 128) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary + 1, embedding, padding_idx=0)
        self.groups = nn.EmbeddingBag(buckets, embedding, mode="mean")
        for table in (self.words, self.groups):
            nn.init.normal_(table.weight, std=0.3)
        with torch.no_grad():
            self.words.weight[0] = 0
        self.widen = nn.Linear(embedding, width)
        self.phrases = nn.ModuleList(PhraseLayer(width, reach) for reach in (1, 2))
        self.norm = nn.LayerNorm(width)
        self.pool = AttentionPool(width, dim)

    def forward(self, words: Words) -> Tensor:
        return self.read(self.describe(words), words.index)

    def describe(self, words: Words) -> Tensor:
        """A vector for each distinct word, after one for no word at all."""
        described = self.words(words.known) + self.groups(words.groups, words.starts)
        return functional.pad(described, (0, 0, 1, 0))

    def read(self, described: Tensor, index: Tensor) -> Tensor:
        return self.pool(self.phrase(described, index), index > 0)

    def phrase(self, described: Tensor, index: Tensor) -> Tensor:
        """What every word of a report means where it stands."""
        x = self.widen(described[index])
        for layer in self.phrases:
            x = layer(x, index > 0)
        return self.norm(x)

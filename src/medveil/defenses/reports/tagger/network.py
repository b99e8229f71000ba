"""The network: each word for itself, then each among its neighbours, near ones first.

Only convolutions: what is said of a word depends on the REACH words before and after it and on nothing else, so a
long text read in overlapping windows is read as a whole.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.reports.tagger.tokens import GAPS
from medveil.defenses.reports.tagger.word_features import COUNTS, SHAPES, WordBatch
from medveil.person.identifiers import Category

_BY_FORM = {Category.COUNTY, Category.VEHICLE, Category.UDI, Category.NETWORK, Category.BIOMETRIC, Category.PHOTO}
CATEGORIES = tuple(category for category in Category if category not in _BY_FORM)  # what the network tells apart
NONE = len(CATEGORIES)  # the class of a word that identifies nobody
_NEAR = (1, 2)  # how far apart the three words of a full mixing are
_FAR = (2, 4, 8, 16)  # and the five of a light one
REACH = sum(_NEAR) + 2 * sum(_FAR)
STEP = 2 * max(_FAR)  # so many empty places keep two texts apart


class WordNetwork(nn.Module):
    """One vector a word, whatever stands around it."""

    def __init__(self, pieces: int, embedding: int, buckets: int, width: int, *, group_width: int = 64) -> None:
        super().__init__()
        self.pieces = nn.EmbeddingBag(pieces, embedding, mode="mean")
        self.groups = nn.EmbeddingBag(buckets, group_width, mode="mean")
        self.shapes = nn.Embedding(SHAPES, 32)
        self.counts = nn.Embedding(COUNTS, 32)
        hidden = 2 * width
        self.widen = nn.Linear(embedding + group_width + 32, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.narrow = nn.Linear(hidden, width)

    def forward(self, words: WordBatch, keep: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """`keep` (two columns of 0 and 1) forgets the pieces or the letters of some words, in training."""
        pieces = self.pieces(words.pieces, words.piece_starts)
        groups = self.groups(words.groups, words.group_starts)
        if keep is not None:
            pieces, groups = pieces * keep[0], groups * keep[1]
        looks = self.shapes(words.shapes) + self.counts(words.counts)
        hidden = functional.gelu(self.norm(self.widen(torch.cat((pieces, groups, looks), -1))))
        return self.narrow(hidden)


class Mixing(nn.Module):
    """Three words, `apart` places from each other, decide together."""

    def __init__(self, width: int, apart: int) -> None:
        super().__init__()
        self.apart = apart
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(3 * width, 2 * width)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        padded = functional.pad(self.norm(x) * present, (0, 0, self.apart, self.apart))
        length = x.shape[-2]
        views = [padded[..., place * self.apart : place * self.apart + length, :] for place in range(3)]
        return x + functional.glu(self.mix(torch.cat(views, -1)), -1)


class LightMixing(nn.Module):
    """Five words, each feature by itself; then the features together."""

    def __init__(self, width: int, apart: int) -> None:
        super().__init__()
        self.apart = apart
        self.norm = nn.LayerNorm(width)
        self.weights = nn.Parameter(torch.randn(5, width) * 0.3)
        self.mix = nn.Linear(width, 2 * width)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        padded = functional.pad(self.norm(x) * present, (0, 0, 2 * self.apart, 2 * self.apart))
        length = x.shape[-2]
        mixed = padded[..., :length, :] * self.weights[0]
        for place in range(1, 5):
            start = place * self.apart
            mixed = torch.addcmul(mixed, padded[..., start : start + length, :], self.weights[place])
        return x + functional.glu(self.mix(mixed), -1)


class TaggerNetwork(nn.Module):
    def __init__(self, pieces: int, embedding: int = 128, buckets: int = 8192, width: int = 192) -> None:
        super().__init__()
        self.words = WordNetwork(pieces, embedding, buckets, width)
        self.gaps = nn.Embedding(GAPS, width)
        near = [Mixing(width, apart) for apart in _NEAR]
        self.layers = nn.ModuleList([*near, *(LightMixing(width, apart) for apart in _FAR)])
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, NONE + 2)  # categories, none of them, and "begins here"

    def forward(self, vectors: Tensor, gaps: Tensor, present: Tensor) -> Tensor:
        """Of words (… × n × width), their gaps and 1 where there is a word at all: … × n × classes and begin."""
        present = present.unsqueeze(-1)
        x = (vectors + self.gaps(gaps)) * present
        for layer in self.layers:
            x = layer(x, present)
        return self.out(self.norm(x))

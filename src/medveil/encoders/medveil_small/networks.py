"""The two networks: an image by the first stages of EfficientNet-lite0, a report by its words.

Both end in an `AttentionPool`: several readers, each of which knows where it looks.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite0
from medveil.encoders.medveil_small.vocabulary import Words

SIDE = 224  # pixels
_GRID = SIDE // 16
_BLOCKS = 11  # of the backbone; later ones only halve the grid and hold most of the weights
_CHANNELS = 112


class ImageNetwork(nn.Module):
    """Gray images of 0..1, 224 × 224 pixels, to n × dim."""

    def __init__(self, dim: int, *, width: int = 128) -> None:
        super().__init__()
        backbone = EfficientNetLite0()
        self._conv_stem, self._bn0 = backbone._conv_stem, backbone._bn0
        self._blocks = backbone._blocks[:_BLOCKS]
        self.narrow = nn.Conv2d(_CHANNELS, width, 1)
        self.place = nn.Parameter(torch.zeros(1, width, _GRID, _GRID))
        self.near = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.LayerNorm(width)
        self.pool = AttentionPool(width, dim)

    def forward(self, gray: Tensor) -> Tensor:
        x = ((gray * 255 - 127) / 128).expand(-1, 3, -1, -1)
        x = self._blocks(functional.relu6(self._bn0(self._conv_stem(x))))
        x = self.narrow(x) + self.place
        x = x + functional.gelu(self.near(x))
        return self.pool(self.norm(x.flatten(2).transpose(1, 2)))

    def start_from(self, classifier: dict[str, Tensor]) -> None:
        """Take over what an ImageNet classifier of the same family has learned."""
        own = self.state_dict()
        known = {name: value for name, value in classifier.items() if name in own}
        if not any(name.startswith("_blocks.10.") for name in known):
            raise ValueError("these are not the weights of EfficientNet-lite0")
        self.load_state_dict(known, strict=False)


class AttentionPool(nn.Module):
    """n × places × width to n × out. A reader that finds nothing rests on its own empty place."""

    def __init__(self, width: int, out: int, *, readers: int = 16, share: int = 24) -> None:
        super().__init__()
        self.readers, self.share = readers, share
        self.look = nn.Linear(width, readers)
        self.value = nn.Linear(width, readers * share)
        self.empty_look = nn.Parameter(torch.zeros(readers))
        self.empty_value = nn.Parameter(torch.zeros(readers, share))
        self.out = nn.Sequential(
            nn.LayerNorm(readers * share),
            nn.Linear(readers * share, 256),
            nn.GELU(),
            nn.Linear(256, out),
            nn.BatchNorm1d(out, affine=False),  # centred, or training may end with one vector for everything
        )

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        """`present` (n × places) says which places are there; a batch's padding is not."""
        looks = self.look(x).float()
        if present is not None:
            looks = looks.masked_fill(~present.unsqueeze(-1), -torch.inf)
        looks = torch.cat([looks, self.empty_look.float().expand(len(x), 1, -1)], 1)
        weights = looks.softmax(1)
        values = self.value(x).unflatten(-1, (self.readers, self.share)).float()
        read = torch.einsum("npr,nprs->nrs", weights[:, :-1], values)
        read = read + weights[:, -1].unsqueeze(-1) * self.empty_value.float()
        return self.out(read.flatten(1))

    def take_head(self) -> nn.Linear:
        """Takes the last linear layer off, and with it the normalisation behind it, which is linear too by now."""
        *rest, last, norm = self.out
        assert isinstance(last, nn.Linear) and isinstance(norm, nn.BatchNorm1d)
        assert norm.running_var is not None and norm.running_mean is not None
        self.out = nn.Sequential(*rest)
        scale = (norm.running_var + norm.eps).rsqrt()
        head = nn.Linear(last.in_features, last.out_features)
        with torch.no_grad():
            head.weight.copy_(last.weight * scale[:, None])
            head.bias.copy_((last.bias - norm.running_mean) * scale)
        return head


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

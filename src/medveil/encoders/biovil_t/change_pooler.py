"""The small transformer of BioViL-T that compares the patches of an image with those of an earlier one."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

BLOCKS = 3
HEADS = 8
EPSILON = 1e-6
PERIOD = 10_000  # of the slowest wave of the position code


class Attention(nn.Module):
    """Multi-head self-attention with separate projections."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.proj_q = nn.Linear(width, width, bias=False)
        self.proj_k = nn.Linear(width, width, bias=False)
        self.proj_v = nn.Linear(width, width, bias=False)
        self.proj = nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        query, key, value = (
            projection(tokens).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for projection in (self.proj_q, self.proj_k, self.proj_v)
        )
        attended = functional.scaled_dot_product_attention(query, key, value)
        mixed: Tensor = self.proj(attended.transpose(1, 2).flatten(2))
        return mixed


class Perceptron(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        out: Tensor = self.fc2(functional.gelu(self.fc1(tokens)))
        return out


class Block(nn.Module):
    """Attention and a perceptron, each beside a shortcut; place and time are added anew in every block."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=EPSILON)
        self.attn = Attention(width)
        self.norm2 = nn.LayerNorm(width, eps=EPSILON)
        self.mlp = Perceptron(width)

    def forward(self, tokens: Tensor, code: Tensor) -> Tensor:
        tokens = tokens + self.attn(self.norm1(tokens) + code)
        return tokens + self.mlp(self.norm2(tokens))


class ChangePooler(nn.Module):
    """n × width × rows × columns of the current and of the earlier image in, the same of the change out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.type_embed = nn.Parameter(torch.zeros(2, 1, width))
        self.blocks = nn.ModuleList(Block(width) for _ in range(BLOCKS))
        self.norm_post = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, current: Tensor, previous: Tensor) -> Tensor:
        rows, columns = current.shape[2:]
        place = position_code(rows, columns, current.shape[1]).to(current)
        code = torch.cat([place + self.type_embed[0], place + self.type_embed[1]])
        tokens = torch.cat([current, previous], dim=2).flatten(2).transpose(1, 2)
        for block in self.blocks:
            tokens = block(tokens, code)
        changed: Tensor = self.norm_post(tokens)[:, : rows * columns]
        return changed.transpose(1, 2).reshape(current.shape)


def position_code(rows: int, columns: int, width: int) -> Tensor:
    """Waves of growing length down and across the grid, one row a patch: half of `width` for each direction."""
    half = width // 2
    lengths = PERIOD ** (2 * (torch.arange(half) // 2) / half)

    def waves(count: int) -> Tensor:
        angles = (torch.arange(1, count + 1) / (count + 1e-6) * 2 * math.pi)[:, None] / lengths
        return torch.where(torch.arange(half) % 2 == 0, angles.sin(), angles.cos())

    down = waves(rows)[:, None].expand(rows, columns, half)
    across = waves(columns)[None].expand(rows, columns, half)
    return torch.cat([down, across], dim=2).reshape(rows * columns, width)

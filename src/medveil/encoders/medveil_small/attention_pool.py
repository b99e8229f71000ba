"""Many places to one vector: several readers each look where they like, or nowhere."""

from __future__ import annotations

import torch
from torch import Tensor, nn


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

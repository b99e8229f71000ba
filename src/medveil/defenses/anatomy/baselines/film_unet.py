"""The network of the trained baselines: a UNet that is told the level as one more plane, and the file it is kept in.

The papers train a network a level; one that is told the level serves them all.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.model_file import load_into
from medveil.errors import InputError, SettingsError
from medveil.training.checkpoint import read_header, write_model

FORMAT = "medveil.film-unet/1"
WIDTHS = (32, 64, 128, 192)


@dataclass(frozen=True)
class FilmUNetPlan:
    """What must be known to build the network: whose it is, how wide at each size, and how many planes come out."""

    method: str
    planes: int = 1
    widths: tuple[int, ...] = WIDTHS


class FilmUNet(nn.Module):
    """Gray films of 0..1 (n × 1 × side × side) and a level each (n) to planes of the same size, of any value."""

    def __init__(self, plan: FilmUNetPlan) -> None:
        super().__init__()
        widths = plan.widths
        self.first = _Twice(2, widths[0])
        self.down = nn.ModuleList(_Twice(a, b) for a, b in pairwise(widths))
        self.up = nn.ModuleList(_Twice(a + b, a) for a, b in pairwise(widths))
        self.last = nn.Conv2d(widths[0], plan.planes, 3, padding=1)
        nn.init.normal_(self.last.weight, std=0.02)  # it begins with little, but not with nothing

    def forward(self, films: Tensor, level: Tensor) -> Tensor:
        plane = level.to(films).view(-1, 1, 1, 1).expand_as(films)
        passed = [self.first(torch.cat([films, plane], 1))]
        for layer in self.down:
            passed.append(layer(functional.avg_pool2d(passed[-1], 2)))
        x = passed.pop()
        for layer in reversed(self.up):
            beside = passed.pop()
            x = layer(torch.cat([beside, functional.interpolate(x, scale_factor=2.0, mode="nearest")], 1))
        made: Tensor = self.last(x)
        return made


class _Twice(nn.Sequential):
    """Two convolutions, each normalised in groups, so that a film does not depend on its batch."""

    def __init__(self, channels: int, out: int) -> None:
        groups = max(1, out // 16)
        super().__init__(
            *(nn.Conv2d(channels, out, 3, padding=1), nn.GroupNorm(groups, out), nn.SiLU()),
            *(nn.Conv2d(out, out, 3, padding=1), nn.GroupNorm(groups, out), nn.SiLU()),
        )


def save_unet(path: Path, network: nn.Module, plan: FilmUNetPlan) -> None:
    write_model(path, network.state_dict(), form=FORMAT, architecture=asdict(plan))


def load_unet(path: Path | None, method: str) -> FilmUNet:
    """The network that was trained for this method."""
    if path is None:
        raise SettingsError(
            f"{method} comes without a network; train one with `medveil train anatomy --method {method}`, give its file"
        )
    try:
        told = read_header(path, form=FORMAT)
        plan = FilmUNetPlan(str(told["method"]), int(told["planes"]), tuple(map(int, told["widths"])))
    except (ValueError, KeyError, TypeError):
        plan = None
    if plan is None or plan.method != method:
        raise InputError(
            f"{path} is not a network of {method}; train one with `medveil train anatomy --method {method}`"
        )
    network = FilmUNet(plan)
    load_into(network, path)
    return network.eval().requires_grad_(False)

"""A small U-Net: from a gray radiograph to how likely each pixel lies in a lung."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model

SIDE = 192  # pixels
WIDTHS = (12, 24, 48, 72, 96)  # maps, from full size down to a sixteenth of it
FORMAT = "medveil.lungs/1"


class Convolutions(nn.Sequential):
    """Twice: filter, normalise, cut off."""

    def __init__(self, channels: int, out: int) -> None:
        layers: list[nn.Module] = []
        for given in (channels, out):
            layers += [nn.Conv2d(given, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)]
        super().__init__(*layers)


class LungNetwork(nn.Module):
    """Gray images of 0..1 (n × 1 × side × side) to log odds of the same shape."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__()
        self.widths = widths
        self.down = nn.ModuleList(
            Convolutions(given, out) for given, out in zip((1, *widths[:-1]), widths, strict=True)
        )
        self.up = nn.ModuleList(
            Convolutions(below + beside, beside) for below, beside in zip(widths[:0:-1], widths[-2::-1], strict=True)
        )
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, gray: Tensor) -> Tensor:
        x, beside = gray * 2 - 1, []
        for number, block in enumerate(self.down):
            x = block(functional.max_pool2d(x, 2) if number else x)
            beside.append(x)
        beside.pop()
        for block in self.up:
            x = functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
            x = block(torch.cat([x, beside.pop()], 1))
        odds: Tensor = self.out(x)
        return odds


def save_lungs(path: Path, network: LungNetwork) -> None:
    tensors = {name: value for name, value in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    write_model(path, tensors, form=FORMAT, architecture={"widths": list(network.widths), "side": SIDE})


def load_lungs(path: Path) -> LungNetwork:
    try:
        network = LungNetwork(tuple(read_header(path, form=FORMAT)["widths"]))
        network.load_state_dict({name: value.float() for name, value in read_tensors(path).items()}, strict=False)
    except (ValueError, KeyError, TypeError, RuntimeError):
        raise InputError(f"{path} is not a lung network of this version; restore the package's own") from None
    return network

"""The small U-Net that finds lungs and heart: that of the lungs with a map for each organ."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model
from medveil.utility.lungs.network import SIDE, WIDTHS, LungNetwork

ORGANS = ("lungs", "heart")
FORMAT = "medveil.organs/1"


class OrganNetwork(LungNetwork):
    """Gray images of 0..1 (n × 1 × side × side) to log odds (n × organs × side × side)."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__(widths)
        self.out = nn.Conv2d(widths[0], len(ORGANS), 1)


def save_organs(path: Path, network: OrganNetwork) -> None:
    tensors = {name: value for name, value in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    write_model(path, tensors, form=FORMAT, architecture={"widths": list(network.widths), "side": SIDE})


def load_network(path: Path) -> OrganNetwork:
    try:
        network = OrganNetwork(tuple(read_header(path, form=FORMAT)["widths"]))
        network.load_state_dict({name: value.float() for name, value in read_tensors(path).items()}, strict=False)
    except (ValueError, KeyError, TypeError, RuntimeError):
        raise InputError(f"{path} is not an organ network of this version; restore the package's own") from None
    return network

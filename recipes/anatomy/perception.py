"""What two films have in common to trained networks, layer by layer: nearer to the eye than pixels are."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import load_findings
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.weights.bundled import bundled

LAYERS = (2, 4, 7, 10)  # blocks after which the maps are compared: a quarter to a sixteenth of the side


class Perception(nn.Module):
    """The mean difference of the maps of the bundled findings and identity networks, each map on its own scale."""

    def __init__(self) -> None:
        super().__init__()
        findings, identity = load_findings(bundled("findings"))[0], load_retrieval(bundled("reidentification-1"))[0]
        backbones = [findings.backbone, identity.backbone]
        self.eyes = nn.ModuleList(fold_normalisation(eye.eval().requires_grad_(False)) for eye in backbones)

    def forward(self, one: Tensor, other: Tensor) -> Tensor:
        total = one.new_zeros(())
        for eye in self.eyes:
            assert isinstance(eye, EfficientNetLite)
            for ours, theirs in zip(maps_of(eye, one), maps_of(eye, other.detach()), strict=True):
                theirs = theirs.detach().float()
                scale = theirs.abs().mean((0, 2, 3), keepdim=True) + 1e-2
                total = total + ((ours.float() - theirs).abs() / scale).mean()
        return total / (len(self.eyes) * len(LAYERS))


def maps_of(eye: EfficientNetLite, gray: Tensor, *, whole: bool = False) -> list[Tensor]:
    """The maps after some of the blocks, and with `whole` the last ones of all."""
    x = ((gray * 255 - 127) / 128).expand(-1, 3, -1, -1)
    x = functional.relu6(eye._bn0(eye._conv_stem(x)))
    kept = []
    for number, block in enumerate(eye._blocks if whole else eye._blocks[: max(LAYERS) + 1]):
        x = block(x)
        if number in LAYERS:
            kept.append(x)
    return [*kept, functional.relu6(eye._bn1(eye._conv_head(x)))] if whole else kept

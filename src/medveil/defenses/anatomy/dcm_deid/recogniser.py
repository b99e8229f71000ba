"""The recogniser that says where in a film identity lies: a ViT whose embedding is the mean of its local features."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.model_file import load_into
from medveil.encoders.identity.preparing import SIDE
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, write_model

FORMAT = "medveil.vit-recogniser/1"
PATCH = 16  # pixels
CELLS = SIDE // PATCH


@dataclass(frozen=True)
class RecogniserPlan:
    """How wide and how deep the ViT is."""

    width: int = 128
    layers: int = 6
    heads: int = 4
    inner: int = 256


PUBLISHED = RecogniserPlan(width=768, layers=12, heads=12, inner=3072)


class Recogniser(nn.Module):
    """Gray films of 0..1 (n × 1 × 256 × 256) to local features (n × width × 16 × 16)."""

    def __init__(self, plan: RecogniserPlan) -> None:
        super().__init__()
        from monai.networks.nets.vit import ViT  # takes seconds

        self.plan = plan
        self.vit = ViT(
            in_channels=1,
            img_size=(SIDE, SIDE),
            patch_size=(PATCH, PATCH),
            hidden_size=plan.width,
            mlp_dim=plan.inner,
            num_layers=plan.layers,
            num_heads=plan.heads,
            spatial_dims=2,
        )

    def forward(self, gray: Tensor) -> Tensor:
        tokens, _ = self.vit((gray - 0.5) * 4)
        local: Tensor = tokens.float().transpose(1, 2).unflatten(2, (CELLS, CELLS))
        return local


def identity_of(local: Tensor) -> Tensor:
    """The embedding of each film: the mean of its local features."""
    return local.mean((2, 3))


def likeness(local: Tensor) -> Tensor:
    """S: how like the whole film's identity each place is, by the cosine (n × 16 × 16)."""
    return functional.cosine_similarity(local, identity_of(local)[..., None, None], dim=1)


def save_recogniser(path: Path, network: Recogniser) -> None:
    write_model(path, network.state_dict(), form=FORMAT, architecture=asdict(network.plan))


def load_recogniser(path: Path) -> Recogniser:
    try:
        network = Recogniser(RecogniserPlan(**read_header(path, form=FORMAT)))
    except (ValueError, TypeError):
        raise InputError(
            f"{path} is not a recogniser of DCM-DeID; train one with `medveil train anatomy --method dcm-deid`"
        ) from None
    load_into(network, path)
    return network.eval().requires_grad_(False)

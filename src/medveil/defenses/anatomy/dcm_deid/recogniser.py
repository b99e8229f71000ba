"""The recogniser that says where in a film identity lies: a ViT whose embedding is the mean of its local features.

Its patches are of 16 pixels, as in the paper. Ours is a hybrid: a patch comes to it not as pixels but as what the
bundled identity network makes of it halfway, since a ViT from pixels needs far more films than there are here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.preparing import SIDE
from medveil.errors import InputError
from medveil.runtime.storage import sha256_of
from medveil.training.checkpoint import read_header, read_tensors, write_model
from medveil.weights.bundled import RETRIEVERS, bundled

FORMAT = "medveil.vit-recogniser/1"
PATCH = 16  # pixels
CELLS = SIDE // PATCH
STEM = "stem."  # begins the names of weights that are the identity network's


@dataclass(frozen=True)
class RecogniserPlan:
    """How wide and how deep the ViT is; `hybrid` names the identity network below it by its digest, or is empty."""

    width: int = 128
    layers: int = 2
    heads: int = 4
    inner: int = 256
    hybrid: str = ""


PUBLISHED = RecogniserPlan(width=768, layers=12, heads=12, inner=3072)


def small_plan() -> RecogniserPlan:
    """A small one on the bundled identity network."""
    return RecogniserPlan(hybrid=sha256_of(bundled(RETRIEVERS[0])))


class Recogniser(nn.Module):
    """Gray films of 0..1 (n × 1 × 256 × 256) to local features (n × width × 16 × 16)."""

    def __init__(self, plan: RecogniserPlan) -> None:
        super().__init__()
        from monai.networks.nets.vit import ViT  # takes seconds

        self.plan = plan
        self.stem = Halfway(plan.hybrid) if plan.hybrid else None
        channels, side, patch = (1, SIDE, PATCH) if self.stem is None else (self.stem.channels, CELLS, 1)
        self.vit = ViT(
            in_channels=channels,
            img_size=(side, side),
            patch_size=(patch, patch),
            hidden_size=plan.width,
            mlp_dim=plan.inner,
            num_layers=plan.layers,
            num_heads=plan.heads,
            spatial_dims=2,
        )

    def forward(self, gray: Tensor) -> Tensor:
        return self.from_patches((gray - 0.5) * 4 if self.stem is None else self.stem(gray))

    def from_patches(self, patches: Tensor) -> Tensor:
        """What the ViT makes of its input, as `forward` gives it."""
        tokens, _ = self.vit(patches)
        local: Tensor = tokens.float().transpose(1, 2).unflatten(2, (CELLS, CELLS))
        return local


class Halfway(nn.Module):
    """The bundled identity network up to a 16th of the side; every place has spread 1 over its maps."""

    def __init__(self, digest: str) -> None:
        super().__init__()
        path = bundled(RETRIEVERS[0])
        if sha256_of(path) != digest:
            raise InputError("the recogniser was trained on another identity network than the bundled; train it again")
        backbone = load_retrieval(path)[0].backbone
        assert isinstance(backbone, EfficientNetLite)
        self.backbone = backbone.eval().requires_grad_(False)
        self.channels = backbone.middle_channels

    def train(self, mode: bool = True) -> Halfway:
        """Never: its normalisation stays as it is."""
        return super().train(False)

    def forward(self, gray: Tensor) -> Tensor:
        return functional.layer_norm(self.backbone.middle(gray).permute(0, 2, 3, 1).float(), [self.channels]).permute(
            0, 3, 1, 2
        )


def own_tensors(network: nn.Module) -> dict[str, Tensor]:
    """The weights that are to be kept: not those of the identity network."""
    return {name: value for name, value in network.state_dict().items() if f".{STEM}" not in f".{name}"}


def load_own(network: nn.Module, tensors: dict[str, Tensor]) -> None:
    """What `own_tensors` gave; RuntimeError where something is missing or left over."""
    found = network.load_state_dict(tensors, strict=False)
    if found.unexpected_keys or any(f".{STEM}" not in f".{name}" for name in found.missing_keys):
        raise RuntimeError("other weights than the network's")


def identity_of(local: Tensor) -> Tensor:
    """The embedding of each film: the mean of its local features."""
    return local.mean((2, 3))


def likeness(local: Tensor) -> Tensor:
    """S: how like the whole film's identity each place is, by the cosine (n × 16 × 16)."""
    return functional.cosine_similarity(local, identity_of(local)[..., None, None], dim=1)


def save_recogniser(path: Path, network: Recogniser) -> None:
    write_model(path, own_tensors(network), form=FORMAT, architecture=asdict(network.plan))


def load_recogniser(path: Path) -> Recogniser:
    try:
        network = Recogniser(RecogniserPlan(**read_header(path, form=FORMAT)))
        load_own(network, {name: value.float() for name, value in read_tensors(path).items()})
    except (ValueError, TypeError, RuntimeError):
        raise InputError(
            f"{path} is not a recogniser of DCM-DeID; train one with `medveil train anatomy --method dcm-deid`"
        ) from None
    return network.eval().requires_grad_(False)

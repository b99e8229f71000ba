"""The two projection heads of a vision-language model: the only part that is trained.

A head is a row of plain layers that treat every example by itself. Batch normalisation, which mixes the examples of
a batch, cannot be built; `without_batch_norm` replaces it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn import functional

from medveil.errors import InputError, SettingsError
from medveil.runtime.storage import write_bytes
from medveil.training.drawing import draw_weights

FORMAT = "medveil.heads/1"
GROUPS = 32
ROWS = 4096  # embedded at a time
LONGEST = 1e6  # of features: far beyond any encoder's, and far below where single precision overflows

Features = NDArray[np.floating]
Embedding = NDArray[np.float32]


@dataclass(frozen=True)
class HeadShape:
    """How a head is built: linear, or two linear layers with a norm and an activation between them.

    `groups` is the group norm's number of groups; None means layer norm.
    """

    inputs: int
    outputs: int
    hidden: int | None = None
    bias: bool = False  # of the first linear layer; the last of two always has one
    groups: int | None = None
    eps: float = 1e-5
    activation: Literal["relu", "gelu"] = "relu"
    order: Literal["norm first", "activation first"] = "norm first"

    def layers(self) -> list[nn.Module]:
        if self.hidden is None:
            return [nn.Linear(self.inputs, self.outputs, bias=self.bias)]
        norm: nn.Module = (
            nn.LayerNorm(self.hidden, eps=self.eps)
            if self.groups is None
            else nn.GroupNorm(self.groups, self.hidden, eps=self.eps)
        )
        activation: nn.Module = nn.ReLU(inplace=False) if self.activation == "relu" else nn.GELU()
        between = [norm, activation] if self.order == "norm first" else [activation, norm]
        return [
            nn.Linear(self.inputs, self.hidden, bias=self.bias),
            *between,
            nn.Linear(self.hidden, self.outputs, bias=True),
        ]


BIOVIL_T_IMAGE = HeadShape(512, 128, hidden=128, groups=GROUPS)
BIOVIL_T_REPORT = HeadShape(768, 128, hidden=128, bias=True, eps=1e-12, activation="gelu", order="activation first")


class Head(nn.Sequential):
    """One projection head."""

    def __init__(self, shape: HeadShape) -> None:
        super().__init__(*shape.layers())
        self.shape = shape


class Heads(nn.Module):
    """The image head and the report head; both end in the same space."""

    def __init__(self, image: HeadShape, report: HeadShape) -> None:
        super().__init__()
        if image.outputs != report.outputs:
            raise SettingsError("the image head and the report head must end in the same number of dimensions")
        self.image, self.report = Head(image), Head(report)

    @property
    def dim(self) -> int:
        return self.image.shape.outputs

    @property
    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())

    def embed_images(self, features: Features) -> Embedding:
        """Unit-length embeddings of image features (n × inputs)."""
        return _embed(self.image, features)

    def embed_reports(self, features: Features) -> Embedding:
        """Unit-length embeddings of report features (n × inputs)."""
        return _embed(self.report, features)

    def copy(self) -> Heads:
        """The same heads, sharing nothing."""
        twin = Heads(self.image.shape, self.report.shape)
        twin.load_state_dict(self.state_dict())
        return twin

    def save(self, path: Path) -> None:
        """Weights and, in the header, how to build the heads (safetensors)."""
        shapes = {"image": asdict(self.image.shape), "report": asdict(self.report.shape)}
        tensors = {name: value.detach().cpu().contiguous() for name, value in self.state_dict().items()}
        # one entry only: several are written in changing order, and the same heads should be the same bytes
        write_bytes(path, save(tensors, {"heads": json.dumps({"format": FORMAT, "shapes": shapes})}))

    @classmethod
    def load(cls, path: Path) -> Heads:
        """Heads that `save` wrote."""
        try:
            with safe_open(path, "pt") as file:
                about = json.loads((file.metadata() or {})["heads"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
            if about["format"] != FORMAT:
                raise ValueError
            shapes = about["shapes"]
            heads = cls(HeadShape(**shapes["image"]), HeadShape(**shapes["report"]))
            heads.load_state_dict(tensors)
        except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError):
            raise InputError(
                f"{path} does not hold projection heads of this version; give a file medveil wrote"
            ) from None
        return heads


def biovil_t_heads(*, seed: int) -> Heads:
    """Heads of BioViL-T's shape (197,504 parameters) with random weights."""
    return random_heads(BIOVIL_T_IMAGE, BIOVIL_T_REPORT, seed=seed)


def random_heads(image: HeadShape, report: HeadShape, *, seed: int) -> Heads:
    """Heads of any shape; the same seed gives the same weights."""
    with torch.random.fork_rng(devices=[]):
        heads = Heads(image, report)
    draw_weights(heads, seed)
    return heads


def heads_from_projections(image: Tensor, report: Tensor) -> Heads:
    """Linear heads from two projection matrices (outputs × inputs), as CLIP keeps them."""
    heads = Heads(HeadShape(image.shape[1], image.shape[0]), HeadShape(report.shape[1], report.shape[0]))
    heads.load_state_dict({"image.0.weight": image, "report.0.weight": report})
    return heads


def without_batch_norm(layers: nn.Sequential) -> Head:
    """BioViL-T's image head with group norm in the place of its batch norm.

    `layers` are a projection without bias, batch norm, ReLU and a projection (linear, or 1 × 1 convolutions). What the
    batch norm had learnt stays where it can: its scale and shift become the group norm's, and the variance it had seen
    goes into the rows of the first projection, so that the channels of a group are commensurate as they were.
    """
    first, norm, last = _as_expected(layers)
    outputs, hidden, inputs = last.weight.shape[0], first.weight.shape[0], first.weight.shape[1]
    head = Head(HeadShape(inputs, outputs, hidden=hidden, groups=GROUPS))
    assert norm.running_var is not None and last.bias is not None
    scale = (norm.running_var + norm.eps).rsqrt()
    head.load_state_dict(
        {
            "0.weight": first.weight.detach().flatten(1) * scale[:, None],
            "1.weight": norm.weight.detach(),
            "1.bias": norm.bias.detach(),
            "3.weight": last.weight.detach().flatten(1),
            "3.bias": last.bias.detach(),
        }
    )
    return head


_Projection = nn.Linear | nn.Conv2d
_BatchNorm = nn.BatchNorm1d | nn.BatchNorm2d


def _as_expected(layers: nn.Sequential) -> tuple[_Projection, _BatchNorm, _Projection]:
    match list(layers):
        case [
            nn.Linear() | nn.Conv2d() as first,
            nn.BatchNorm1d() | nn.BatchNorm2d() as norm,
            nn.ReLU(),
            nn.Linear() | nn.Conv2d() as last,
        ] if (
            first.bias is None
            and last.bias is not None
            and norm.affine
            and norm.running_var is not None
            and first.weight[0, 0].numel() == last.weight[0, 0].numel() == 1
            and norm.num_features % GROUPS == 0
        ):
            return first, norm, last
    raise SettingsError(
        "the head to convert must be a projection without bias, batch norm over a multiple of 32 channels, ReLU and a"
        " projection with bias"
    )


def _embed(head: Head, features: Features) -> Embedding:
    with torch.no_grad():
        parts = [functional.normalize(head(part), dim=1).numpy() for part in _parts(features)]
    return np.concatenate(parts) if parts else np.empty((0, head.shape.outputs), np.float32)


def _parts(features: Features) -> Iterator[Tensor]:
    for start in range(0, len(features), ROWS):
        yield torch.from_numpy(bounded(features[start : start + ROWS]))


def bounded(features: Features) -> NDArray[np.float32]:
    """Features as heads take them: rows longer than `LONGEST` shortened to it, each by itself."""
    rows = np.ascontiguousarray(features, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    long = lengths > LONGEST
    if long.any():
        rows = rows.copy()
        rows[long] *= (LONGEST / lengths[long, None]).astype(np.float32)
    return rows


def take_over(image: nn.Module, report: nn.Module) -> Heads:
    """Heads that start as these layers do and share nothing with them.

    Known are one linear layer, as CLIP has, and the two heads of BioViL-T. Batch norm in the image head of the latter
    becomes group norm, so this head does not return quite what it did.
    """
    found = _known_head(image), _known_head(report)
    heads = Heads(*(head.shape for head in found))
    for own, head in zip((heads.image, heads.report), found, strict=True):
        own.load_state_dict(head.state_dict())
    return heads


def _known_head(layers: nn.Module) -> Head:
    layers = layers if isinstance(layers, nn.Sequential) else nn.Sequential(layers)
    match list(layers):
        case [nn.Linear() as only]:
            shape = HeadShape(only.in_features, only.out_features, bias=only.bias is not None)
        case [nn.Linear() as first, nn.GELU(approximate="none"), nn.LayerNorm() as norm, nn.Linear() as last]:
            shape = HeadShape(
                first.in_features,
                last.out_features,
                hidden=first.out_features,
                bias=first.bias is not None,
                eps=norm.eps,
                activation="gelu",
                order="activation first",
            )
        case _:
            return without_batch_norm(layers)
    head = Head(shape)
    head.load_state_dict(layers.state_dict())
    return head

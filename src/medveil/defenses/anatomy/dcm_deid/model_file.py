"""The networks of DCM-DeID together, and the one file they are kept in.

Weights are stored in half precision, or, to ship, each filter's in whole numbers of eight bits with its own scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from medveil.defenses.anatomy.dcm_deid.codes import Codes, CodesPlan
from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, RecogniserPlan, load_own, own_tensors
from medveil.defenses.anatomy.dcm_deid.synthesis import Synthesis, SynthesisPlan
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model

FORMAT = "medveil.dcm-deid/1"
SCALE = ".scale"  # ends the name of what one stands for in a filter's whole numbers


class Networks(nn.Module):
    """Where identity lies, what the film means, and the generator; `foundation` tells whose features they know."""

    def __init__(self, recogniser: Recogniser, codes: Codes, synthesis: Synthesis, foundation: str) -> None:
        super().__init__()
        self.recogniser, self.codes, self.synthesis = recogniser, codes, synthesis
        self.foundation = foundation


def save_networks(path: Path, networks: Networks, *, small: bool = False) -> None:
    """`small` stores the large weights in eight bits."""
    plans = {
        "recogniser": asdict(networks.recogniser.plan),
        "codes": asdict(networks.codes.plan),
        "synthesis": asdict(networks.synthesis.plan),
        "foundation": networks.foundation,
    }
    tensors = own_tensors(networks)
    write_model(path, eight_bits(tensors) if small else tensors, form=FORMAT, architecture=plans)


def load_networks(path: Path) -> Networks:
    try:
        told = read_header(path, form=FORMAT)
        synthesis = told["synthesis"] | {"widths": tuple(told["synthesis"]["widths"])}
        networks = Networks(
            Recogniser(RecogniserPlan(**told["recogniser"])),
            Codes(CodesPlan(**told["codes"])),
            Synthesis(SynthesisPlan(**synthesis)),
            str(told["foundation"]),
        )
        load_own(networks, from_eight_bits(read_tensors(path)))
    except (ValueError, KeyError, TypeError, RuntimeError):
        raise InputError(
            f"{path} does not hold the networks of DCM-DeID; train them with `medveil train anatomy --method dcm-deid`"
        ) from None
    return networks.eval().requires_grad_(False)


def eight_bits(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of more than one axis as whole numbers of -127..127, filter by filter; the rest as it is."""
    stored: dict[str, Tensor] = {}
    for name, value in tensors.items():
        if value.ndim < 2 or not value.is_floating_point() or value[0].numel() < 16:
            stored[name] = value
            continue
        scale = (value.float().flatten(1).abs().amax(1) / 127).clamp(min=1e-8)
        whole = (value.float() / _broad(scale, value)).round().clamp(-127, 127)
        stored |= {name: whole.to(torch.int8), name + SCALE: scale}
    return stored


def from_eight_bits(stored: Mapping[str, Tensor]) -> dict[str, Any]:
    """The weights again, in full precision."""
    found: dict[str, Any] = {}
    for name, value in stored.items():
        if not name.endswith(SCALE):
            scale = stored.get(name + SCALE)
            found[name] = value.float() if scale is None else value.float() * _broad(scale.float(), value)
    return found


def _broad(scale: Tensor, like: Tensor) -> Tensor:
    return scale.view(-1, *[1] * (like.ndim - 1))

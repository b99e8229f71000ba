"""What a film shows, as a short vector: findings, view, lungs, and a learned remainder.

Findings and view are the table's where it tells them, since those are what the film will be used for; the rest, and
what the table does not tell, is seen by the bundled findings network and a small head on its last maps. The learned
remainder was trained to tell findings and organs apart while an adversary searched it for the person.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.method import Film, Pixels
from medveil.encoders.findings.network import SIDE, FindingsNetwork
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed

LABELS = (  # those of the cohort, without its tables: where only films are drawn, there may be no pandas
    *("No Finding", "Enlarged Cardiomediastinum", "Cardiomegaly", "Lung Opacity", "Lung Lesion", "Edema"),
    *("Consolidation", "Pneumonia", "Atelectasis", "Pneumothorax", "Pleural Effusion", "Pleural Other", "Fracture"),
    "Support Devices",
)
SEEN = ("Emphysema", "Fibrosis")  # findings that the table's labels do not have
VIEW = "taken from the front"
ORGANS = ("height of the lungs", "width of the lungs", "right lung against left")
LEARNED = tuple(f"learned {number}" for number in range(1, 5))
FIELDS = (*LABELS, *SEEN, VIEW, *ORGANS, *LEARNED)
HIDDEN = 96
UNCERTAIN = 0.5
Floats = NDArray[np.float32]
_LIKELY = len(LABELS) + len(SEEN) + 1  # the fields that are probabilities: these and the view


class Head(nn.Module):
    """The mean of the findings network's last maps (n × channels) to the fields and, last, log odds that a film is
    drawn. Fields that are probabilities come as log odds."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.inner = nn.Linear(channels, HIDDEN)
        self.last = nn.Linear(HIDDEN, len(FIELDS) + 1)
        self.tilt = nn.Parameter(torch.ones(_LIKELY))  # of log odds, chosen on films set aside
        self.lift = nn.Parameter(torch.zeros(_LIKELY))

    def forward(self, pooled: Tensor) -> Tensor:
        out = self.last(functional.silu(self.inner(self.norm(pooled))))
        return torch.cat([out[:, :_LIKELY] * self.tilt + self.lift, out[:, _LIKELY:]], 1)


class _Look(nn.Module):
    def __init__(self, network: FindingsNetwork, head: Head) -> None:
        super().__init__()
        self.backbone = network.backbone
        self.head = head

    def forward(self, gray: Tensor) -> Tensor:
        out: Tensor = self.head(functional.adaptive_avg_pool2d(self.backbone(gray), 1).flatten(1))
        return out


class Semantics:
    """Looks at films; `shown` is all that the code may be made of."""

    def __init__(self, network: FindingsNetwork, head: Head, *, device: str = "cpu") -> None:
        self._device = device
        with one_torch_thread():  # many small tensors
            look = fold_normalisation(_Look(network, head).eval().requires_grad_(False))
        self._look = for_device(placed(look, device), device)

    def shown(self, films: Sequence[Film]) -> list[tuple[Floats, bool]]:
        """Of each film, its fields and whether it is a drawn one."""
        fields, drawn = self.seen([film.pixels for film in films])
        return [
            (with_table(*one), bool(kind))
            for *one, kind in zip(fields, (film.fields for film in films), drawn, strict=True)
        ]

    def seen(self, films: Sequence[Pixels]) -> tuple[Floats, NDArray[np.bool_]]:
        """The same without the table: n × fields, and n answers."""
        batches = [films] if torch.device(self._device).type != "cpu" else [[film] for film in films]
        looked = [run(self._look, inputs(some, SIDE, self._device), len(FIELDS) + 1) for some in batches]
        out = np.concatenate(looked) if looked else np.zeros((0, len(FIELDS) + 1), np.float32)
        return fields_of(out[:, :-1]), out[:, -1] > 0


def fields_of(out: Floats) -> Floats:
    """The head's answer as fields: log odds become probabilities."""
    likely = 1 / (1 + np.exp(-np.clip(out[..., :_LIKELY], -30, 30)))
    return np.concatenate([likely, out[..., _LIKELY:]], -1).astype(np.float32)


def with_table(seen: Floats, row: Mapping[str, Any]) -> Floats:
    """What the table tells in place of what was seen.

    A label that the table does not mention is absent, if it mentions any; a table without labels tells nothing.
    """
    shown = seen.copy()
    labels = [_number(row.get(label)) for label in LABELS]
    if not all(math.isnan(label) for label in labels):
        shown[: len(LABELS)] = [UNCERTAIN if label == -1 else float(label == 1) for label in labels]
    if (view := view_of(row)) in ("AP", "PA"):
        shown[FIELDS.index(VIEW)] = float(view == "AP")
    return shown


def view_of(row: Mapping[str, Any]) -> str:
    """As the table tells it, in capitals; empty where it does not, in whatever way it says so."""
    view = row.get("view")
    return view.upper() if isinstance(view, str) else ""


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):  # missing, in whatever way the table says so
        return math.nan

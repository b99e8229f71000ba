"""`OrganSegmenter`: where lungs and heart lie on prepared frontal films."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import ndimage
from torch import nn

from medveil.encoders.identity.inference import FEW, MANY, as_input, for_device
from medveil.runtime.once import once
from medveil.training.device import placed
from medveil.utility.lungs.network import SIDE
from medveil.utility.organs.network import ORGANS, load_network
from medveil.weights.bundled import bundled

Pixels = NDArray[np.uint8]
Masks = NDArray[np.bool_]
_PIECE = 0.1  # of the largest: smaller ones are specks


class OrganSegmenter:
    def __init__(self, network: nn.Module, *, device: str = "cpu") -> None:
        self._device = device
        self._look = for_device(placed(network.eval().requires_grad_(False), device), device)

    def masks(self, films: Iterable[Pixels]) -> Masks:
        """Films × organs × 192 × 192, of prepared films one after another; nothing on a film without contrast."""
        found = list(self._found(films))
        return np.concatenate(found) if found else np.zeros((0, len(ORGANS), SIDE, SIDE), bool)

    def _found(self, films: Iterable[Pixels]) -> Iterator[Masks]:
        source, batch = iter(films), FEW if torch.device(self._device).type == "cpu" else MANY
        while group := list(islice(source, batch)):
            prepared = np.stack(group)
            with torch.inference_mode():
                odds = self._look(as_input(torch.from_numpy(prepared).to(self._device), SIDE)).float().cpu().numpy()
            seen = np.ptp(prepared, axis=(1, 2)) > 0  # the network knows where organs would be on an empty film, too
            yield np.stack(
                [
                    [_whole(organ > 0) if film_seen else np.zeros_like(organ, bool) for organ in film]
                    for film, film_seen in zip(odds, seen, strict=True)
                ]
            )


def _whole(likely: Masks) -> Masks:
    """Without specks and without holes."""
    labels, count = ndimage.label(likely)
    if count == 0:
        return likely
    areas = np.bincount(labels.ravel())[1:]
    kept = np.isin(labels, 1 + np.flatnonzero(areas >= _PIECE * areas.max()))
    return np.asarray(ndimage.binary_fill_holes(kept))


def fitted(masks: Masks) -> Masks:
    """Masks of any size (n × organs × rows × columns) as large as those that are found."""
    planes = torch.from_numpy(masks.astype(np.float32))
    sized = nn.functional.interpolate(planes, size=(SIDE, SIDE), mode="bilinear", align_corners=False, antialias=True)
    return np.asarray(sized.numpy() > 0.5)


def load_organs(path: Path | None = None, *, device: str = "cpu") -> OrganSegmenter:
    """An organ network saved by its recipe; without a path, the bundled one."""
    return _bundled(device) if path is None else OrganSegmenter(load_network(path), device=device)


@once
def _bundled(device: str) -> OrganSegmenter:
    """Kept, for compiling takes longer than looking at a few films."""
    return OrganSegmenter(load_network(bundled("organs")), device=device)

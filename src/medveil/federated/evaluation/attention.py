"""Where the model looks for a finding: Grad-CAM, held against the lungs and against the finding's own place.

The heads are linear on the mean over all places, so the gradient that Grad-CAM averages is the head's weight itself.
Evidence is counted from the film's own mean: where zero lies is a matter of the head's bias, and of a rare finding,
whose odds are low everywhere, nothing at all would be above it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.federated.vision_language.network import VisionLanguageNetwork

Box = tuple[int, int, int, int]  # left, top, right, bottom; right and bottom exclusive


def grad_cam(network: VisionLanguageNetwork, pixels: NDArray[np.uint8], *, device: str, batch: int = 64) -> Tensor:
    """Films × findings × side × side, nothing below zero: where more than elsewhere speaks for the finding."""
    weights = network.image_head.weight
    parts = []
    with torch.inference_mode():
        for at in range(0, len(pixels), batch):
            films = torch.from_numpy(pixels[at : at + batch]).to(device).unsqueeze(1).float() / 255
            found = torch.einsum("nchw,fc->nfhw", network.image(films), weights)
            above = (found - found.mean((2, 3), keepdim=True)).clamp(min=0)
            parts.append(_full_size(above, pixels.shape[1]).cpu())
    return torch.cat(parts)


def phrase_maps(
    network: VisionLanguageNetwork,
    phrases: Tensor,
    pixels: NDArray[np.uint8],
    *,
    device: str,
    batch: int = 64,
) -> Tensor:
    """Films × phrases × side × side: how near each place of a film is to each phrase."""
    parts = []
    with torch.inference_mode():
        for at in range(0, len(pixels), batch):
            films = torch.from_numpy(pixels[at : at + batch]).to(device).unsqueeze(1).float() / 255
            places = network.image_projection(network.image(films).movedim(1, -1))
            near = torch.einsum("nhwd,fd->nfhw", functional.normalize(places, dim=-1), phrases)
            parts.append(_full_size(near, pixels.shape[1]).cpu())
    return torch.cat(parts)


@dataclass(frozen=True)
class Pointing:
    """Whether the highest point of a map lies where it should, and how often any point would."""

    hit: NDArray[np.float64]
    chance: NDArray[np.float64]


def pointing(maps: Tensor, boxes: list[Box]) -> Pointing:
    """The pointing game: a map a box."""
    side = maps.shape[-1]
    highest = maps.flatten(1).argmax(1).numpy()
    across, down = highest % side, highest // side
    hits = [left <= x < right and top <= y < bottom for x, y, (left, top, right, bottom) in zip(across, down, boxes)]  # noqa: B905
    shares = [(right - left) * (bottom - top) / side**2 for left, top, right, bottom in boxes]
    return Pointing(np.array(hits, np.float64), np.array(shares, np.float64))


def inside(maps: Tensor, masks: NDArray[np.bool_]) -> Pointing:
    """The share of a map that lies in the mask; by chance it is the mask's share of the film. Empty maps are NaN."""
    mass = maps.flatten(1).double().numpy()
    flat = masks.reshape(len(masks), -1)
    total = mass.sum(1)
    share = np.divide((mass * flat).sum(1), total, out=np.full(len(mass), np.nan), where=total > 0)
    return Pointing(share, flat.mean(1).astype(np.float64))


def _full_size(maps: Tensor, side: int) -> Tensor:
    return functional.interpolate(maps.float(), size=(side, side), mode="bilinear", align_corners=False)

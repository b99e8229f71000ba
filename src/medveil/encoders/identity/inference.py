"""Running a trained network over any number of images, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.preparing import SIDE, prepare

BATCH = 16  # images; on two cores a larger batch is not faster, and memory stays flat


def as_input(prepared: Tensor, size: int) -> Tensor:
    """Prepared 8-bit images (n × 256 × 256) as the network's input (n × 1 × size × size, 0..1)."""
    gray = prepared.unsqueeze(1).float() / 255
    if size != SIDE:
        gray = functional.interpolate(gray, size=(size, size), mode="bilinear", align_corners=False)
    return gray.contiguous(memory_format=torch.channels_last)


def inputs(images: Iterable[NDArray[Any]], size: int, device: str, batch: int = BATCH) -> Iterator[Tensor]:
    source = iter(images)
    while group := [prepare(image) for image in islice(source, batch)]:
        yield as_input(torch.from_numpy(np.stack(group)).to(device), size)


def run(network: nn.Module, batches: Iterable[Tensor], width: int) -> NDArray[np.float32]:
    """The network's output for every image, in order; n × width."""
    with torch.inference_mode():
        out = [network(batch).float().cpu().numpy() for batch in batches]
    return np.concatenate(out) if out else np.zeros((0, width), dtype=np.float32)

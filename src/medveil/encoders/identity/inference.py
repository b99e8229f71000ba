"""Running a trained network over any number of images, batch by batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.preparing import Preparation
from medveil.runtime.compiled import Compiled, compiled
from medveil.runtime.threads import torch_threads

Network = Callable[[Tensor], Tensor]
FEW, MANY = 4, 64  # images a batch, on the processor, whose caches are small, and elsewhere
_COMPILING = threading.Lock()


def as_input(prepared: Tensor, size: int) -> Tensor:
    """Prepared 8-bit images (n × side × side) as the network's input (n × 1 × size × size, 0..1)."""
    gray = prepared.unsqueeze(1).float() / 255
    if size != prepared.shape[-1]:
        gray = functional.interpolate(gray, size=(size, size), mode="bilinear", align_corners=False)
    return gray.contiguous(memory_format=torch.channels_last)


def inputs(
    images: Iterable[NDArray[Any]], size: int, device: str, preparation: Preparation | None = None
) -> Iterator[Tensor]:
    """Prepared batches on the device, a few images at a time, so that memory stays flat."""
    prepare = preparation or Preparation.of(size)
    source, batch = iter(images), FEW if torch.device(device).type == "cpu" else MANY
    while group := [prepare(image) for image in islice(source, batch)]:
        yield as_input(torch.from_numpy(np.stack(group)).to(device), size)


def run(network: Network, batches: Iterable[Tensor], width: int) -> NDArray[np.float32]:
    """The network's output for every image, in order; n × width."""
    with torch.inference_mode():
        out = [network(batch).float().cpu().numpy() for batch in batches]
    return np.concatenate(out) if out else np.zeros((0, width), dtype=np.float32)


def for_device(network: nn.Module, device: str) -> Network:
    """The network as it is fastest: compiled on the processor, by torch elsewhere."""
    return OnProcessor(network) if torch.device(device).type == "cpu" else network


class OnProcessor:
    """A network compiled when it is first asked, by whichever thread; how many it then has changes no number."""

    def __init__(self, network: nn.Module) -> None:
        self._network = network
        self._compiled: Compiled | None = None

    def __call__(self, batch: Tensor) -> Tensor:
        if self._compiled is None:
            with _COMPILING:
                if self._compiled is None:
                    self._compiled = compiled(self._network, batch, varying=(0,), threads=torch_threads())
        return torch.from_numpy(self._compiled(batch.numpy()))

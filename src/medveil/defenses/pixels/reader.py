"""Reading lines of text that were cut out: what they say, how sure that is, and how many letters there are."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.reading.spelling import Reading as Reading
from medveil.defenses.pixels.reading.spelling import spelled
from medveil.defenses.pixels.reading.strips import HEIGHT as HEIGHT
from medveil.defenses.pixels.reading.strips import side_by_side
from medveil.runtime.compiled import Compiled, compiled
from medveil.weights.reader import bundled

Strip = NDArray[np.uint8]


def read(strip: Strip) -> Reading:
    """The text of an upright strip, 32 pixels high; nothing where it stands on its head or side."""
    return read_many([strip])[0]


def read_many(strips: list[Strip]) -> list[Reading]:
    """The same for many strips in one go."""
    if not strips:
        return []
    sheet, columns = side_by_side(strips)
    shares = _shares(_network()(sheet)[0])
    return [spelled(shares[part]) for part in columns]


def _shares(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits.T - logits.max(axis=0)[:, None])
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


@cache
def _network() -> Compiled:
    import torch
    from safetensors.torch import load_file

    from medveil.defenses.pixels.reading.network import ReaderNetwork

    network = ReaderNetwork().eval()
    network.load_state_dict({name: value.float() for name, value in load_file(bundled()).items()})
    return compiled(network, torch.zeros(1, 1, HEIGHT, HEIGHT), varying=(3,), threads=1)

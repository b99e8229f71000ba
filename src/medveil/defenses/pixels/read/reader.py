"""Reading lines of text that were cut out: what they say, how sure that is, and how many letters there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.read.ctc import Reading as Reading
from medveil.defenses.pixels.read.ctc import spelled
from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

HEIGHT = 32  # pixels of a strip
COLUMN = 4  # pixels of the strip to one column of shares
EXTREMES = 0.01  # share of the pixels at either end that a strip's contrast does not heed
BEYOND = 1.5  # how far those may stand out
APART = 44  # pixels between strips: what one shows must not reach into the next
SHEET = 256  # pixels; a sheet's width is a multiple, for each new width costs the processor a start

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


def contrasted(strip: Strip) -> NDArray[np.float32]:
    """From -1 for the strip's dark to 1 for its light."""
    counts = np.bincount(strip.ravel(), minlength=256).cumsum()
    low, high = np.searchsorted(counts, (EXTREMES * counts[-1], (1 - EXTREMES) * counts[-1]))
    scaled = (strip.astype(np.float32) - np.float32(low)) * np.float32(2 / max(int(high) - int(low), 1)) - 1
    return np.clip(scaled, -BEYOND, BEYOND)


def light_on_dark(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """What there is more of is what is written on: dark, as on most films, whatever it was."""
    return -values if values.mean() > 0 else values


def side_by_side(strips: list[Strip]) -> tuple[NDArray[np.float32], list[slice]]:
    """One sheet with all strips, and the columns of shares that belong to each."""
    starts = [0]
    for strip in strips:
        starts.append(-(-(starts[-1] + strip.shape[1] + APART) // COLUMN) * COLUMN)
    sheet = np.zeros((1, 1, HEIGHT, -(-starts[-1] // SHEET) * SHEET), np.float32)
    columns = []
    for start, strip in zip(starts, strips, strict=False):
        end = start + strip.shape[1]
        sheet[0, 0, :, start:end] = light_on_dark(contrasted(strip))
        columns.append(slice(start // COLUMN, -(-end // COLUMN) + 1))
    return sheet, columns


def _shares(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    raised = np.exp(logits.T - logits.max(axis=0)[:, None])
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


@once
def _network() -> Compiled:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from medveil.defenses.pixels.read.network import ReaderNetwork

    network = ReaderNetwork().eval()
    try:
        network.load_state_dict({name: value.float() for name, value in load_file(bundled("reader")).items()})
    except (OSError, RuntimeError, SafetensorError):
        raise InputError(f"{bundled('reader')} is not a reader of burned-in text; reinstall medveil") from None
    return compiled(network, torch.zeros(1, 1, HEIGHT, HEIGHT), varying=(3,), threads=1)

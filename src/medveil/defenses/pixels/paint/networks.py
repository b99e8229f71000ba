"""A trained generator as a function of arrays: gray or colour images in 0..1, and where they are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.generator_file import STEP
from medveil.defenses.pixels.paint.surface import spread
from medveil.runtime.once import once

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Network = Callable[[Floats, Bools], Floats]  # rows x columns x planes in and out
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)  # ITU-R BT.601


@once
def load_network(path: Path) -> Network:
    """Images have one plane or three, whatever the generator was trained on."""
    import torch

    from medveil.defenses.pixels.paint.generator import Stacked, load_generator
    from medveil.runtime.compiled import compiled

    generator = load_generator(path)
    channels = generator.architecture.channels
    # one thread: the cores are shared out among processes
    example = torch.zeros(1, channels + 1, 8 * STEP, 8 * STEP)
    run = compiled(Stacked(generator), example, varying=(2, 3), threads=1)

    def direct(image: Floats, seen: Bools) -> Floats:
        planes = np.concatenate([2 * image.transpose(2, 0, 1) - 1, (~seen)[None].astype(np.float32)])
        return (run(planes[None])[0].transpose(1, 2, 0) + 1) * np.float32(0.5)

    def paint(image: Floats, seen: Bools) -> Floats:
        if image.shape[2] == channels:
            return direct(image, seen)
        if channels == 3:
            return direct(np.repeat(image, 3, 2), seen).mean(2, keepdims=True)
        gray = (image @ _LUMA)[..., None]
        colour = image - gray
        return direct(gray, seen) + np.stack([spread(colour[..., plane], seen) for plane in range(3)], 2)

    return paint

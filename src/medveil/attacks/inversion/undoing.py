"""From the update of one step to the gradient it was made of.

A step along the gradient is the gradient itself, but for a factor. AdamW's first step divides each number of it by its
own size and a tiny constant: what is left is nearly the sign alone. Nearly: the constant leaves a trace of the size
wherever that is small, and a number of 32 bits has room for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[np.float32]]
TINY = 1e-8  # AdamW's constant


@dataclass(frozen=True)
class Undone:
    """Gradients, and how far each number may be off: the larger, the fewer digits are left to tell its size by."""

    gradients: Arrays
    doubts: Arrays


def followed(update: Sequence[NDArray[np.float32]], shared: Sequence[NDArray[np.float32]], *, rate: float) -> Undone:
    """The gradient along which a plain step changed `shared` by `update`."""
    gradients = [(change / np.float32(-rate)).astype(np.float32) for change in update]
    blurs = [
        np.spacing(np.abs(weights) + np.abs(change)) / rate for change, weights in zip(update, shared, strict=True)
    ]
    return Undone(gradients, [blur.astype(np.float32) for blur in blurs])


def undone(
    update: Sequence[NDArray[np.float32]], shared: Sequence[NDArray[np.float32]], *, rate: float, decay: float
) -> Undone:
    """The gradient of the step that changed `shared` by `update`, as far as its digits tell."""
    gradients, doubts = [], []
    for change, weights in zip(update, shared, strict=True):
        step = -(change.astype(np.float64) / rate + decay * weights.astype(np.float64))
        blur = np.spacing(np.abs(weights) + np.abs(change)).astype(np.float64) / rate  # of the last digit
        short = np.maximum(1 - np.abs(step), np.maximum(blur / 2, 1e-9))
        gradient = TINY * step / short
        gradients.append(gradient.astype(np.float32))
        doubts.append((np.abs(gradient) * blur / short).astype(np.float32))
    return Undone(gradients, doubts)

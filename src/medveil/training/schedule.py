"""Learning rates: the 1cycle policy and the search for its peak, and two that fall from a peak."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def one_cycle(
    step: int, steps: int, peak: float, *, rise: float = 0.1, first: float = 1 / 25, last: float = 1e-3
) -> float:
    """Cosine up to the peak during the first share `rise` of the steps, then cosine down to nearly nothing."""
    turn = max(1, round(rise * steps))
    if step < turn:
        return _cosine(peak * first, peak, step / turn)
    return _cosine(peak, peak * last, (step - turn) / max(1, steps - turn))


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * min(share, 1))) / 2


def warm_cosine(step: int, share: float, peak: float, *, warm: int) -> float:
    """Up in a line over the first `warm` steps, and down to nothing as `share` of the training goes from 0 to 1."""
    return min(1.0, (step + 1) / warm) * _cosine(peak, 0.0, share)


def falling(share: float, peak: float, *, start: float) -> float:
    """The peak until `start` of the training is done, then down to nothing in a line; a start of 1 keeps the peak."""
    return peak if start == 1 else peak * min(1.0, (1 - share) / (1 - start))


def find_peak(loss_at: Callable[[float], float], *, low: float = 1e-6, high: float = 1.0, steps: int = 60) -> float:
    """Raise the rate step by step until the loss runs away; the peak lies where it fell fastest.

    `loss_at(rate)` takes one training step and returns the loss before it.
    """
    rates = np.geomspace(low, high, steps)
    smooth: list[float] = []
    average = 0.0
    for number, rate in enumerate(rates):
        average = 0.8 * average + 0.2 * loss_at(float(rate))
        smooth.append(average / (1 - 0.8 ** (number + 1)))
        if not math.isfinite(smooth[-1]) or smooth[-1] > 4 * min(smooth):
            smooth.pop()
            break
    if len(smooth) < 5:
        return low
    settled = smooth[3:]  # the first few averages jump about
    return float(rates[3 + int(np.argmin(np.gradient(settled)))])

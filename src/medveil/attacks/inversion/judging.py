"""How much of a patient is in a reconstruction: whether it looks like the film, and whether it finds the person.

Likeness of pixels (SSIM) and recognition are different things: a blurred film may be unlike and still recognised, and
an average chest is like every film and nobody's. So reconstructions are looked up, by the bundled networks that
recognise people, in a gallery of other films of the same patients and of strangers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def structural_similarity(film: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """SSIM (Wang et al., 2004) of two films of 0..1; the second is first brought to the brightness and contrast of the
    first, of which a gradient tells nothing."""
    ours = np.asarray(film, np.float64)
    theirs = _as_bright_as(np.asarray(other, np.float64), ours)
    small, smaller = 0.01**2, 0.03**2
    mean, its = gaussian_filter(ours, 1.5), gaussian_filter(theirs, 1.5)
    spread = gaussian_filter(ours**2, 1.5) - mean**2
    its_spread = gaussian_filter(theirs**2, 1.5) - its**2
    together = gaussian_filter(ours * theirs, 1.5) - mean * its
    found = (2 * mean * its + small) * (2 * together + smaller)
    return float((found / ((mean**2 + its**2 + small) * (spread + its_spread + smaller))).mean())


def _as_bright_as(film: Floats, other: Floats) -> Floats:
    spread = film.std()
    if not spread > 1e-9:
        return np.full_like(other, other.mean())
    return np.asarray((film - film.mean()) / spread * other.std() + other.mean())


def likeness(films: Sequence[NDArray[np.floating]], drawn: Sequence[NDArray[np.floating]]) -> Floats:
    """Of each film, the SSIM of the most alike among those drawn from the same update."""
    return np.array([max(structural_similarity(film, one) for one in drawn) for film in films])


def found_in_gallery(
    drawn: NDArray[np.float32], gallery: NDArray[np.float32], people: Codes, sought: Sequence[Sequence[int]]
) -> NDArray[np.bool_]:
    """Whether the most similar film of the gallery, of which `people` tells whose they are, is of somebody `sought`."""
    first = people[np.argmax(drawn @ gallery.T, axis=1)]
    return np.array([one in set(them) for one, them in zip(first.tolist(), sought, strict=True)])


def identification(found: NDArray[np.bool_], updates: Codes, *, chance: float, control: float, seed: int) -> Estimate:
    """The share of reconstructions that find one of their people; those of one update are redrawn together."""
    weights = unit_weights(int(updates.max()) + 1, seed=seed)
    return share(found.astype(np.float64), updates, weights, chance=chance, control=control, unit="update")

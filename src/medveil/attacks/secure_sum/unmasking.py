"""From what a server of the stock protocol has seen to every site's own update.

With two or three sites the server need only keep to the protocol and search; with any number it asks for both shares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.secure_sum.mersenne import BITS, Words
from medveil.attacks.secure_sum.search import Masked, one_mask, two_masks, unmasked
from medveil.attacks.secure_sum.stock import CLIPPED, MOST, View
from medveil.errors import NotMeasurable

Progress = Callable[[str, int, int], None]


def updates_of(view: View, *, bits: int = BITS, progress: Progress | None = None) -> dict[int, NDArray[np.float64]]:
    """The update of each site. Raises `NotMeasurable` where no seed leaves an update."""
    seeds = dict(view.pairwise) or _searched(view, bits, progress)
    return {
        site: revealed(unmasked(view.between(site), _signed(seeds, site)), view.weights[site]) for site in view.masked
    }


def revealed(whole: Words, weight: int) -> NDArray[np.float64]:
    """What whole numbers stand for; the first of them is the weight."""
    numbers = whole[1:].astype(np.float64) / MOST * 2 * CLIPPED - CLIPPED
    return numbers / (weight / MOST)


def _searched(view: View, bits: int, progress: Progress | None) -> dict[tuple[int, int], int]:
    """Seeds of the masks between two or three sites."""
    first, second, *more = sorted(view.masked)

    def told(site: int) -> Callable[[int, int], None]:
        return lambda done, of: None if progress is None else progress(f"masks of site {site}", done, of)

    if not more:
        for seed in one_mask(_left(view, first), -1, bits=bits, progress=told(first)):
            return {(first, second): seed}
    elif len(more) == 1:
        for one, two in two_masks(_left(view, first), (-1, -1), bits=bits, progress=told(first)):
            # which of the two belongs to whom is told by what is left of the others
            for three in one_mask(_left(view, second, {one: 1}), -1, bits=bits, progress=told(second)):
                return {(first, second): one, (first, more[0]): two, (second, more[0]): three}
    else:
        raise NotMeasurable("a search finds the masks of two or three sites; of more, the server asks for both shares")
    raise NotMeasurable("no seed leaves an update: the masks do not come from this generator")


def _left(view: View, site: int, known: dict[int, int] | None = None) -> Masked:
    """The first numbers of a site's vector, without its own mask and those that are known."""
    return Masked(unmasked(view.between(site)[:64], known or {}), view.weights[site], MOST)


def _signed(seeds: dict[tuple[int, int], int], site: int) -> dict[int, int]:
    """A site adds the masks it shares with lower numbers and subtracts the others."""
    return {seed: 1 if site == pair[1] else -1 for pair, seed in seeds.items() if site in pair}

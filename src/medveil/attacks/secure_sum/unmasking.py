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
    sites = sorted(view.masked)
    seeds = dict(view.pairwise)
    if not seeds and len(sites) == 2:
        seeds[sites[0], sites[1]] = _found(view, sites[0], {}, [sites[1]], bits, progress)[0]
    elif not seeds and len(sites) == 3:
        first, second, third = sites
        seeds[first, second], seeds[first, third] = _found(view, first, {}, [second, third], bits, progress)
        seeds[second, third] = _found(view, second, {seeds[first, second]: 1}, [third], bits, progress)[0]
    elif not seeds:
        raise NotMeasurable(
            "a search finds the masks of two or three sites; with more, the server asks for both shares"
        )
    return {site: revealed(unmasked(view.between(site), _signed(seeds, site)), view.weights[site]) for site in sites}


def revealed(whole: Words, weight: int) -> NDArray[np.float64]:
    """What whole numbers stand for; the first of them is the weight."""
    numbers = whole[1:].astype(np.float64) / MOST * 2 * CLIPPED - CLIPPED
    return numbers / (weight / MOST)


def _found(
    view: View, site: int, known: dict[int, int], others: list[int], bits: int, progress: Progress | None
) -> tuple[int, ...]:
    """Seeds of the masks between a site and others, all of which have higher numbers."""
    left = unmasked(view.between(site)[:64], known)
    masked = Masked(left, view.weights[site], MOST)

    def told(done: int, of: int) -> None:
        if progress is not None:
            progress(f"masks of site {site}", done, of)

    if len(others) == 1:
        single = one_mask(masked, -1, bits=bits, progress=told)
        if len(single) == 1:
            return (single[0],)
    else:
        pairs = two_masks(masked, (-1, -1), bits=bits, progress=told)
        # which of the two belongs to whom is told by what is left of the others
        for pair in pairs:
            other = Masked(unmasked(view.between(others[0])[:64], {pair[0]: 1}), view.weights[others[0]], MOST)
            if one_mask(other, -1, bits=bits):
                return pair
    raise NotMeasurable("no seed leaves an update: the masks do not come from this generator")


def _signed(seeds: dict[tuple[int, int], int], site: int) -> dict[int, int]:
    """A site adds the masks it shares with lower numbers and subtracts the others."""
    return {seed: 1 if site == pair[1] else -1 for pair, seed in seeds.items() if site in pair}

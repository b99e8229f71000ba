from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.secure_sum.mersenne import seed_of
from medveil.attacks.secure_sum.stock import CLIPPED, MOST, View, drawn
from medveil.attacks.secure_sum.unmasking import updates_of
from medveil.errors import NotMeasurable

BITS = 13  # fewer seeds than in truth, so that a test takes no minute


def view(sites: int, *, secure: bool = False, seed: int = 4) -> tuple[View, dict[int, np.ndarray]]:
    """What Flower's server sees, by the same rules."""
    chance = np.random.default_rng(seed)
    weights = {site: int(chance.integers(MOST // 10, MOST)) for site in range(1, sites + 1)}
    updates = {site: chance.uniform(-1, 1, 30) for site in weights}
    seeds = {(a, b): int(seed_of(int(chance.integers(1 << BITS)))) for a in weights for b in weights if a < b}
    own, masked = {}, {}
    for site, update in updates.items():
        ratio = weights[site] / MOST
        whole = np.round((np.clip(update * ratio, -CLIPPED, CLIPPED) + CLIPPED) * MOST / (2 * CLIPPED))
        total = np.concatenate([[weights[site]], whole]).astype(np.uint32)
        own[site] = int(chance.integers(2**32))
        total = total + drawn(own[site], len(total))
        for pair, key in seeds.items():
            if site in pair:
                mask = (
                    np.random.default_rng(key).integers(0, 2**32, len(total), np.uint32)
                    if secure
                    else drawn(key, len(total))
                )
                total = total + mask if site == pair[1] else total - mask
        masked[site] = total
    return View(masked, weights, own, {}), updates


@pytest.mark.parametrize("sites", [2, 3])
def test_every_update_of_two_and_three_sites_is_seen(sites: int) -> None:
    seen, updates = view(sites)
    found = updates_of(seen, bits=BITS)
    for site, update in updates.items():
        assert np.allclose(found[site], update, atol=2 * 2 * CLIPPED / seen.weights[site])


@pytest.mark.parametrize("sites", [2, 3])
def test_masks_of_another_generator_are_not_found(sites: int) -> None:
    seen, _ = view(sites, secure=True)
    with pytest.raises(NotMeasurable, match="no seed"):
        updates_of(seen, bits=BITS)


def test_more_sites_take_another_way() -> None:
    seen, _ = view(4)
    with pytest.raises(NotMeasurable, match="both shares"):
        updates_of(seen, bits=BITS)

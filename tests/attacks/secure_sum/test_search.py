from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.secure_sum.mersenne import seed_of
from medveil.attacks.secure_sum.search import Masked, one_mask, two_masks, unmasked

MOST = 1 << 22
BITS = 14  # fewer seeds than in truth, so that a test takes no minute


def masked(update: np.ndarray, seeds: dict[int, int]) -> np.ndarray:
    total = update.astype(np.uint32)
    for seed, sign in seeds.items():
        made = np.random.RandomState(seed).randint(0, 2**32 - 1, len(update), dtype=np.int64).astype(np.uint32)
        total = total + made if sign > 0 else total - made
    return total


def an_update(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, MOST, 40).astype(np.uint32)


@pytest.mark.parametrize("sign", [1, -1])
def test_one_mask_is_found(sign: int) -> None:
    update, secret = an_update(1), int(seed_of(9_123))
    sent = masked(update, {secret: sign})
    told: list[tuple[int, int]] = []
    found = one_mask(Masked(sent, int(update[0]), MOST), sign, bits=BITS, progress=lambda *at: told.append(at))
    assert found == [secret] and told[-1][0] == told[-1][1]
    assert np.array_equal(unmasked(sent, {secret: sign}), update)


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_two_masks_are_found_at_once(signs: tuple[int, int]) -> None:
    update, secrets = an_update(2), (int(seed_of(77)), int(seed_of(16_000)))
    seeds = dict(zip(secrets, signs, strict=True))
    sent = masked(update, seeds)
    found = two_masks(Masked(sent, int(update[0]), MOST), signs, bits=BITS)
    assert secrets in found
    assert np.array_equal(unmasked(sent, seeds), update)


def test_a_mask_of_a_true_generator_is_not_found() -> None:
    chance = np.random.default_rng(5)
    sent = an_update(3) + chance.integers(0, 2**32, 40, np.uint32)
    assert one_mask(Masked(sent, int(an_update(3)[0]), MOST), 1, bits=BITS) == []
    assert two_masks(Masked(sent, int(an_update(3)[0]), MOST), (1, -1), bits=BITS) == []


def test_too_few_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="first 6 numbers"):
        Masked(np.zeros(3, np.uint32), 0, MOST)

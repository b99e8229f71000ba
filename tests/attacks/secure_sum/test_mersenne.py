from __future__ import annotations

import base64
import secrets

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.attacks.secure_sum.mersenne import BITS, MOST, first_outputs, seed_of


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=40), st.integers(1, MOST))
@settings(max_examples=30, deadline=None)
def test_outputs_are_numpys(seeds: list[int], count: int) -> None:
    found = first_outputs(np.array(seeds, np.uint32), count)
    for seed, outputs in zip(seeds, found, strict=True):
        old = np.random.RandomState(seed)
        expected = [int(old.randint(0, 2**32 - 1)), *old.randint(0, 2**32 - 1, count - 1, dtype=np.int64).tolist()]
        assert outputs.tolist() == expected


def test_every_folded_key_has_a_number() -> None:
    """Keys are text of 44 characters, folded four by four."""
    for _ in range(200):
        text = base64.urlsafe_b64encode(secrets.token_bytes(32))
        folded = 0
        for start in range(0, 44, 4):
            folded ^= int.from_bytes(text[start : start + 4], "little")
        parts = [folded >> shift & 0xFF for shift in (0, 8, 16, 24)]
        assert max(parts) < 128
        number = sum(part << 7 * place for place, part in enumerate(parts))
        assert number < 1 << BITS and seed_of(number) == folded

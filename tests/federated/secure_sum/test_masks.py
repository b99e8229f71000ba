from __future__ import annotations

import itertools

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.federated.secure_sum.masks import _CHUNK, mask


def test_it_is_the_keystream_of_aes_in_counter_mode() -> None:
    key = bytes(range(32))
    whole = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update(bytes(4 * 1000))
    assert np.array_equal(mask(key, 1000), np.frombuffer(whole, "<u4"))


def test_long_masks_begin_like_short_ones() -> None:
    key, size = b"k" * 32, _CHUNK // 4 + 77
    assert np.array_equal(mask(key, size)[:50], mask(key, 50))
    assert not np.array_equal(mask(key, size)[-77:], mask(key, 77))  # the chunks differ


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=2, max_size=4, unique=True))
@settings(max_examples=20, deadline=None)
def test_masks_of_other_keys_are_others_and_cancel_out(keys: list[bytes]) -> None:
    masks = [mask(key, 64) for key in keys]
    assert not any(np.array_equal(first, second) for first, second in itertools.pairwise(masks))
    total = sum(masks, np.zeros(64, np.uint32))
    for one in masks:
        total = total - one
    assert not total.any()


def test_a_mask_is_even() -> None:
    words = mask(b"e" * 32, 100_000)
    share = np.unpackbits(words.view(np.uint8)).mean()
    assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(3.2e6)

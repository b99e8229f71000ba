from __future__ import annotations

import itertools
import secrets

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.federated.secure_sum.shamir import PRIME, joined, split


@given(st.binary(min_size=32, max_size=32), st.integers(1, 7), st.data())
@settings(max_examples=60, deadline=None)
def test_any_threshold_of_shares_tell_the_secret(secret: bytes, count: int, data: st.DataObject) -> None:
    threshold = data.draw(st.integers(1, count))
    shares = split(secret, range(1, count + 1), threshold)
    chosen = data.draw(st.permutations(sorted(shares)))[:threshold]
    assert joined({place: shares[place] for place in chosen}, threshold) == secret


def test_fewer_shares_fit_every_secret() -> None:
    """For two of three shares there is a line through them and any other secret: they say nothing."""
    shares = split(secrets.token_bytes(32), (1, 2, 3), 3)
    one, two = (int.from_bytes(shares[place], "big") for place in (1, 2))
    for guess in (0, 12345, 2**256 - 1):
        half = pow(2, -1, PRIME)
        square = (two - 2 * one + guess) * half % PRIME  # guess + slope·x + square·x² through both shares
        slope = (one - guess - square) % PRIME
        assert (guess + slope * 2 + square * 4) % PRIME == two


def test_shares_of_different_secrets_are_refused_or_wrong() -> None:
    first, second = (split(secrets.token_bytes(32), (1, 2, 3), 2) for _ in range(2))
    with pytest.raises(ValueError, match="belong together"):
        joined({1: first[1], 2: second[2]}, 2)


@pytest.mark.parametrize(
    ("secret", "holders", "threshold"), [(b"short", (1, 2), 1), (bytes(32), (0, 1), 1), (bytes(32), (1, 2), 3)]
)
def test_impossible_splits_are_refused(secret: bytes, holders: tuple[int, ...], threshold: int) -> None:
    with pytest.raises(ValueError, match="threshold"):
        split(secret, holders, threshold)


def test_too_few_shares_are_refused() -> None:
    shares = split(bytes(32), range(1, 6), 3)
    for pair in itertools.islice(itertools.combinations(shares, 2), 3):
        with pytest.raises(ValueError, match="3 whole shares"):
            joined({place: shares[place] for place in pair}, 3)

from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.identity.adversaries.films import Films, content_codes, on_device
from medveil.encoders.identity.preparing import prepare
from medveil.errors import InputError


def test_films_are_stretched_as_they_are_prepared() -> None:
    rng = np.random.default_rng(0)
    films = np.stack(
        [
            rng.normal(100, 20, (256, 256)).clip(0, 255),
            np.full((256, 256), 77),
            np.where(rng.random((256, 256)) < 0.001, 255, 10),
            rng.integers(0, 256, (256, 256)),
        ]
    ).astype(np.uint8)
    np.testing.assert_array_equal(on_device(films, "cpu").numpy(), np.stack([prepare(film) for film in films]))


def test_colours_are_seen_by_their_luminance() -> None:
    gray = np.random.default_rng(0).integers(0, 256, (2, 256, 256), dtype=np.uint8)
    np.testing.assert_array_equal(on_device(gray[..., None].repeat(3, 3), "cpu"), on_device(gray, "cpu"))
    green = np.zeros((1, 256, 256, 3), np.uint8)
    green[0, :128, :, 1] = 200
    green[0, 128:, :, 2] = 200  # blue is darker than green
    seen = on_device(green, "cpu").numpy()[0]
    assert seen[0, 0] == 255
    assert seen[-1, 0] == 0


def test_same_bytes_have_the_same_code() -> None:
    films = np.random.default_rng(0).integers(0, 256, (4, 256, 256), dtype=np.uint8)
    films[2] = films[0]
    ours, theirs = content_codes(films, films[::-1])
    assert ours[0] == ours[2] == theirs[1] == theirs[3]
    assert len(np.unique(ours)) == 3


@pytest.mark.parametrize("shape", [(3, 128, 128), (3, 256, 256, 4)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    films = np.zeros(shape, np.uint8)
    with pytest.raises(InputError, match="256 x 256"):
        Films(films, films, np.arange(3))


def test_rows_must_agree() -> None:
    films = np.zeros((3, 256, 256), np.uint8)
    with pytest.raises(InputError, match="differ in number"):
        Films(films, films[:2], np.arange(3))


def test_returning_patients_have_two_visits() -> None:
    films = np.zeros((5, 256, 256), np.uint8)
    assert Films(films, films, np.array([1, 1, 2, 2, 3])).returning == 2
    assert Films(films, films, np.array([1, 1, 2, 2, 3]), visits=np.array([0, 0, 1, 2, 3])).returning == 1

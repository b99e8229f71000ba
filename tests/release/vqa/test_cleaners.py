"""The ways of cleaning that are compared, on a film with a name burned in."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.cohort.phantom.burn_in import burn
from medveil.cohort.phantom.hospital import phantom_pairs
from medveil.errors import Quarantined
from medveil.release.vqa.cleaners import Cleaners, grown

Pixels = NDArray[np.uint8]
SHARES = (0.0, 0.15, 0.3)


@pytest.fixture(scope="module")
def film() -> tuple[Pixels, Pixels, tuple[slice, slice]]:
    """Without and with text, and where it is."""
    pixels = next(iter(phantom_pairs(1, seed=4, size=512, workers=1)))[0]
    plain = (pixels >> 4).astype(np.uint8)
    written = pixels.copy()
    boxes = burn(written, ["HARTWELL, EVELYN", "MRN 4471902", "03/14/2019"], "top-left", style_key=2)
    left, top = (min(box[at] for box in boxes) for at in (0, 1))
    right, bottom = (max(box[at] for box in boxes) for at in (2, 3))
    return plain, (written >> 4).astype(np.uint8), np.s_[top:bottom, left:right]


@pytest.fixture(scope="module")
def cleaners() -> Cleaners:
    return Cleaners(seed=1)


@pytest.mark.parametrize("method", ["text masked", "ClinX-type", "medveil"])
def test_every_method_hides_the_text_and_as_much_more_as_asked(
    film: tuple[Pixels, Pixels, tuple[slice, slice]], cleaners: Cleaners, method: str
) -> None:
    plain, written, text = film
    found = cleaners.by_method()[method]("x", written, SHARES)
    assert [one.hidden for one in found[1:]] == pytest.approx(SHARES[1:], abs=0.005)
    assert 0 < found[0].hidden < 0.1
    first = found[0].image.astype(int)
    ink = (written[text] > 200) & (plain[text] < 150)
    assert ink.sum() > 200
    changed = np.abs(first - written)[text][ink]
    assert (changed > 25).mean() > 0.9, "the letters are gone"
    below = np.s_[256:, :]
    assert np.array_equal(found[0].image[below], written[below]), "and nothing else is touched"
    assert (found[2].image != written).mean() > 0.25


def test_masking_is_black_and_painting_is_not(
    film: tuple[Pixels, Pixels, tuple[slice, slice]], cleaners: Cleaners
) -> None:
    plain, written, text = film
    black = cleaners.masked("x", written, (0.0,))[0].image[text]
    painted = cleaners.inpainted("x", written, (0.0,))[0].image[text]
    assert np.median(black) == 0
    assert abs(float(np.median(painted)) - float(np.median(plain[text]))) < 40


def test_a_film_without_text_stays_as_it_is(
    film: tuple[Pixels, Pixels, tuple[slice, slice]], cleaners: Cleaners
) -> None:
    plain = film[0]
    for method, clean in cleaners.by_method().items():
        found = clean("x", plain, (0.0, 0.15))
        assert np.array_equal(found[0].image, plain) and found[0].hidden == 0, method
        assert found[1].hidden == pytest.approx(0.15, abs=0.005), "hidden from a corner"


def test_colours_are_cleaned_too(film: tuple[Pixels, Pixels, tuple[slice, slice]], cleaners: Cleaners) -> None:
    _, written, text = film
    colours = np.stack([written, written, written // 2], axis=2)
    for method, clean in cleaners.by_method().items():
        try:
            found = clean("x", colours, (0.0,))[0]
        except Quarantined:
            continue  # fails closed
        assert found.image.shape == colours.shape and (found.image[text] != colours[text]).any(), method


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_a_mask_grows_around_what_it_covers(share: float) -> None:
    mask = np.zeros((100, 80), bool)
    mask[10:14, 20:40] = True
    wider = grown(mask, share)
    assert wider[mask].all() and wider.mean() == pytest.approx(share, abs=0.01)
    assert np.array_equal(grown(wider, 0.01), wider)


def test_kept_answers_belong_to_the_seed_that_images_were_painted_by() -> None:
    assert Cleaners(seed=1).versions() != Cleaners(seed=2).versions()

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageCms
from pydicom.dataset import FileDataset

from medveil.defenses.headers.cleaner import HeaderCleaner
from medveil.defenses.headers.icc_profile import without_words
from medveil.defenses.headers.profile import Profile
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person


@pytest.fixture(scope="module")
def profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def test_the_words_go_and_the_colours_stay(profile: bytes) -> None:
    wide = "sRGB built-in".encode("utf-16-be")
    assert wide in profile
    clean = without_words(profile + b"Quixotix")
    assert len(clean) == len(profile) + 8 and wide not in clean and b"Quixotix" not in clean
    image = Image.effect_mandelbrot((32, 32), (-2, -2, 2, 2), 9).convert("RGB")
    lab = ImageCms.createProfile("LAB")
    seen = [
        ImageCms.profileToProfile(image, ImageCms.ImageCmsProfile(io.BytesIO(one)), lab, outputMode="LAB")
        for one in (profile, clean)
    ]
    assert seen[0].tobytes() == seen[1].tobytes()


@pytest.mark.parametrize(
    "damage", [lambda one: one[:140], lambda one: b"Quixotix" * 40, lambda one: one[:36] + b"x" * 400]
)
def test_what_is_no_profile_is_quarantined(profile: bytes, damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Quarantined, match="colour profile"):
        without_words(damage(profile))


def test_a_header_keeps_its_profile_without_words(x_ray: Callable[[], FileDataset], profile: bytes) -> None:
    dataset = x_ray()
    dataset.ICCProfile = profile
    cleaner = HeaderCleaner(Profile.default(), clean_text=lambda text, person: text)
    cleaner.clean(dataset, Person(Keys.for_demonstration(3), "12345"), pixels_cleaned=False)
    assert dataset.ICCProfile == without_words(profile) != profile

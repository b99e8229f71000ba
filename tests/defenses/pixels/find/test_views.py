from __future__ import annotations

import numpy as np

from medveil.defenses.pixels.find.views import colour_views, views_of


def test_one_view_of_an_ordinary_image_over_the_whole_range():
    image = np.linspace(1000, 3000, 64 * 64).reshape(64, 64).astype(np.uint16)
    (view,) = views_of(image)
    assert view.dtype == np.uint8
    assert (view.min(), view.max()) == (0, 255)


def test_a_bright_speck_does_not_hide_the_rest():
    image = np.random.default_rng(0).integers(1000, 1200, (128, 128)).astype(np.uint16)
    image[40:44, 40:80] = 1600  # faint text
    image[0, 0] = 65535
    views = views_of(image)
    contrasts = [int(view[42, 60]) - int(np.median(view)) for view in views]
    assert len(views) == 2
    assert max(contrasts) > 60 > min(contrasts)


def test_what_the_window_hides_is_seen_in_the_stored_values():
    stored = np.random.default_rng(0).integers(3000, 3010, (128, 128)).astype(np.uint16)
    stored[:64] = np.linspace(0, 2000, 64 * 128).reshape(64, 128)
    stored[100:110, 20:90] = 4000  # text in what the window shows as white
    shown = np.clip(stored / 2000 * 255, 0, 255).astype(np.uint8)
    views = views_of(shown, stored)
    assert any(int(view[105, 50]) - int(view[120, 120]) > 40 for view in views)
    assert len(views_of(shown, shown)) == 1


def test_a_flat_image_has_a_view():
    assert views_of(np.full((16, 16), 7, np.uint16))[0].max() == 0


def test_what_differs_in_colour_alone_gets_a_view_of_its_own():
    gray = np.full((64, 64), 53, np.uint8)
    plane = np.full((64, 64), 80, np.uint8)
    assert colour_views([plane], gray) == []
    plane[20:40, 20:40] = 200
    (view,) = colour_views([plane], gray)
    assert (view[30, 30], view[0, 0]) == (200, 80)
    gray[20:40, 20:40] = 200  # and where the gray shows it too, nothing is gained
    assert colour_views([plane], gray) == []

import dataclasses

import numpy as np
import pytest

from medveil.cohort.phantom.radiograph.scanner import Scanner, expose

SCANNER = Scanner.of(7, 0)


def flat(level, size=256):
    return np.full((size, size), level, np.float32)


def shot(attenuation, *, exposure=1.0, portable=False, seed=1, scanner=SCANNER):
    rng = np.random.default_rng(seed)
    return expose(scanner, attenuation, exposure=exposure, portable=portable, rng=rng)


def middle(pixels):
    side = pixels.shape[0]
    return pixels[side // 4 : -side // 4, side // 4 : -side // 4].astype(float)


def test_pixels_are_12_bit_and_denser_is_brighter():
    levels = [middle(shot(flat(a))).mean() for a in (0.0, 0.8, 1.6, 2.4, 3.2, 5.0)]
    assert (np.diff(levels) > 0).all()
    extreme = shot(np.random.default_rng(0).uniform(-2, 12, (256, 256)).astype(np.float32))
    assert extreme.dtype == np.uint16 and extreme.max() <= 4095


@pytest.mark.parametrize("portable", [False, True])
def test_noise_falls_with_the_root_of_the_exposure(portable):
    low, high = (middle(shot(flat(1.5), exposure=e, portable=portable)).std() for e in (0.25, 4.0))
    # the look-up table bends a little between the two levels
    assert low / high == pytest.approx(4, rel=0.35)


def test_noise_is_quantal_so_dense_parts_are_relatively_noisier():
    def relative(level):
        below, above = (middle(shot(flat(level + by))).mean() for by in (-0.05, 0.05))
        return middle(shot(flat(level))).std() / (above - below)

    # four times fewer photons, twice the noise of their logarithm
    assert relative(1.0 + np.log(4)) / relative(1.0) == pytest.approx(2, rel=0.1)


def test_portable_films_are_noisier():
    assert middle(shot(flat(1.5), portable=True)).std() > 1.2 * middle(shot(flat(1.5))).std()


def test_scatter_fogs_dense_parts_beside_bright_ones():
    picture = flat(0.5)
    picture[96:160, 96:160] = 4.0

    def dense_part(scatter):
        pixels = shot(picture, scanner=dataclasses.replace(SCANNER, scatter=scatter))
        return pixels[120:136, 120:136].astype(float).mean()

    assert dense_part(0.4) < dense_part(0.1) < dense_part(0.0)


def test_sites_differ_and_a_site_stays_the_same():
    assert Scanner.of(7, 0) == SCANNER
    assert len({Scanner.of(7, site) for site in range(5)} | {Scanner.of(8, 0)}) == 6


def test_collimation_is_black_at_the_borders_only():
    picture, seen = flat(2.0), 0
    for seed in range(20):
        pixels = shot(picture, seed=seed)
        assert (middle(pixels) > 500).all()
        seen += bool((pixels == 0).any())
    assert 0 < seen < 20

"""A hole filled from its surroundings: a surface that continues their brightness and slope, and grain like theirs.

Without the noise of its image, a filled region shows at a glance; with more than that, it looks like a finding.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Place = tuple[slice, slice]  # rows and columns
RELAXED = 4  # rounds at every level: each place of the hole becomes the mean of its neighbours
BENT = 12  # rounds in which slopes are continued, at the finest level; twice as many at each coarser one,
MOST_BENT = 48  # at most
STEEPEST = 64.0  # the greatest eigenvalue of the Laplacian applied twice
SIGMAS = (0.6, 1.2, 2.4)  # pixels; what lies between two neighbouring blurs is a band of grain
APART = (5, 5, 7)  # pixels; so far apart, the noise of each band has little in common
QUIET = 5  # places of the raster
COARSE = 4  # pixels; the strength of grain is measured on a raster
STRONGEST = 1.5  # times the image's typical grain: what is stronger is bone, cloth or an edge
PATCHES, PATCH = 4, 64  # down and across, and their side in pixels: where the typical grain is measured
EVENED = 0.3  # pixels; white noise is four times as strong in the finest band as in the coarsest
LEAST_EVENED, MOST_EVENED = 0.35, 1.2  # pixels
DEVIATION = 1.2533  # of Gaussian noise, in mean absolute values
SHARED_OUT = 4  # rounds
FLAT = 7  # pixels; a square of that side without more than one step of 255 is flat,
STEPS = 3.5 / 255  # of the gray scale that flat places may differ by


def spread(values: Floats, known: Bools) -> Floats:
    """`values` where known; elsewhere nearly the harmonic surface, which has no bumps of its own."""
    if known.all():
        return values
    if not known.any():
        return np.zeros_like(values)
    surface = _enlarged(spread(*_halved(values, known)), values.shape)
    for _ in range(RELAXED):
        surface = cv2.blur(np.where(known, values, surface), (3, 3))
    return np.where(known, values, surface)


def continued(values: Floats, known: Bools, rounds: int = BENT) -> Floats:
    """`values` where known; elsewhere nearly a thin plate bent as little as they allow, so that an edge which crosses
    a narrow hole goes on in it.
    """
    if known.all():
        return values
    if not known.any():
        return np.zeros_like(values)
    coarse = continued(*_halved(values, known), min(2 * rounds, MOST_BENT))
    plate = np.where(known, values, cv2.blur(np.where(known, values, _enlarged(coarse, values.shape)), (3, 3)))
    down = np.where(known, np.float32(0), np.float32(-1 / STEEPEST))
    ahead, speed = plate, 1.0  # accelerated descent
    for _ in range(rounds):
        lower = _laplacian(_laplacian(ahead))
        lower *= down
        lower += ahead
        faster = (1 + (1 + 4 * speed**2) ** 0.5) / 2
        ahead = lower - plate
        ahead *= np.float32((speed - 1) / faster)
        ahead += lower
        plate, speed = lower, faster
    return plate


def with_flat_places(values: Floats, known: Bools) -> tuple[Floats, Bools]:
    """Parts of a hole between flat places of one brightness, as in a film's black border, are flat and known too.

    A surface spread over the hole would carry the film into the border, and the border into the film.
    """
    flat = _flat(np.rint(255 * values).astype(np.int16), known)
    beside = cv2.dilate((~known).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if not (flat & beside).any():
        return values, known
    places = np.nonzero(~known)
    ends = _ends(values, flat, known, places)
    level, between = np.zeros(len(places[0]), np.float32), np.zeros(len(places[0]), bool)
    for along, across in ((ends[:2], ends[2:]), (ends[2:], ends[:2])):
        (one, one_flat), (two, two_flat) = along
        same = one_flat & two_flat & (np.abs(one - two) <= STEPS)
        same &= np.logical_or(*(np.abs(end - one) <= STEPS for end, _ in across))
        level = np.where(same, (one + two) / 2, level)
        between |= same
    result, told = values.copy(), known.copy()
    result[places] = np.where(between, level, values[places])
    told[places] = between
    return result, told


def typical_grain(image: Floats, known: Bools) -> tuple[float, ...]:
    """The usual strength of an image's noise in every band, from patches all over it."""
    found = []
    for top in np.linspace(0, max(0, image.shape[0] - PATCH), PATCHES).astype(int):
        for left in np.linspace(0, max(0, image.shape[1] - PATCH), PATCHES).astype(int):
            place = np.s_[top : top + PATCH, left : left + PATCH]
            if known[place].all():
                found.append([float(np.median(np.abs(band[::2, ::2]))) for band in _bands(image[place])])
    strengths = np.array(found).reshape(-1, len(SIGMAS))
    strengths = strengths[strengths[:, 0] > 0]  # a border has no noise
    if not len(strengths):
        return (np.inf,) * len(SIGMAS)
    return tuple((np.median(strengths, 0) / 0.6745).tolist())


def evened(values: Floats, known: Bools, typical: tuple[float, ...]) -> Floats:
    """Known pixels averaged with their neighbours, the more the less these have in common: where noise differs from
    pixel to pixel, a surface through every pixel at the edge would carry it into the hole as blots.
    """
    radius = min(EVENED * typical[0] / max(typical[-1], 1e-6), MOST_EVENED) if np.isfinite(typical[0]) else 0.0
    if radius < LEAST_EVENED:
        return values
    share = cv2.GaussianBlur(known.astype(np.float32), (0, 0), radius)
    total = cv2.GaussianBlur(np.where(known, values, np.float32(0)), (0, 0), radius)
    return np.where(known, total / np.maximum(share, np.float32(1e-6)), values)


def grain(
    image: Floats, known: Bools, typical: tuple[float, ...], rng: np.random.Generator, painted: Floats | None = None
) -> Floats:
    """Noise for the whole image, in every band and at every place as strong as the known pixels' around.

    Of a painting that has noise of its own, only what it has less than they.
    """
    size = (-(-image.shape[1] // COARSE), -(-image.shape[0] // COARSE))
    powers = [
        np.minimum(_power(band, known, size, apart), np.float32(STRONGEST * limit) ** 2)
        for band, limit, apart in zip(_bands(spread(image, known)), typical, APART, strict=True)
    ]
    if painted is not None:
        own = [_power(band, ~known, size, apart) for band, apart in zip(_bands(painted), APART, strict=True)]
        powers = [np.maximum(power - less, 0) for power, less in zip(powers, own, strict=True)]
    result = np.zeros_like(image)
    drawn = _bands(rng.standard_normal(image.shape, np.float32))
    for number, (band, power) in enumerate(zip(drawn, _shared_out(powers), strict=True)):
        other = np.roll(band, (13 * number, 29 * number), (0, 1))  # so far away it is another noise
        other *= _enlarged(np.sqrt(power) * np.float32(1 / max(float(band.std()), 1e-6)), image.shape)
        result += other
    return result


def _halved(values: Floats, known: Bools) -> tuple[Floats, Bools]:
    size = (max(1, (values.shape[1] + 1) // 2), max(1, (values.shape[0] + 1) // 2))
    share = cv2.resize(known.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(np.where(known, values, np.float32(0)), size, interpolation=cv2.INTER_AREA)
    return total / np.maximum(share, np.float32(1e-6)), share > 1e-3


def _enlarged(coarse: Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _laplacian(image: Floats) -> Floats:
    return np.asarray(cv2.Laplacian(image, cv2.CV_32F, ksize=1, borderType=cv2.BORDER_REFLECT), np.float32)


def _ends(
    values: Floats, flat: Bools, known: Bools, places: tuple[NDArray[np.intp], ...]
) -> list[tuple[Floats, Bools]]:
    """The first known pixel left of every place, right of it, above and below, and whether it is flat."""
    found = []
    for axis in (1, 0):
        number = np.arange(known.shape[axis], dtype=np.int32).reshape((1, -1) if axis else (-1, 1))
        before = np.maximum.accumulate(np.where(known, number, np.int32(-1)), axis)
        most = np.int32(known.shape[axis])
        after = np.flip(np.minimum.accumulate(np.flip(np.where(known, number, most), axis), axis), axis)
        for nearest in (before, after):
            there = nearest[places]
            end = (places[0], there.clip(0, most - 1)) if axis else (there.clip(0, most - 1), places[1])
            found.append((values[end], flat[end] & (there >= 0) & (there < most)))
    return found


def _flat(levels: NDArray[np.int16], known: Bools) -> Bools:
    """Squares in which nothing changes, and what goes on from them up to their edges."""
    square = np.ones((FLAT, FLAT), np.uint8)
    low = cv2.erode(np.where(known, levels, np.int16(255)), square)
    flat = known & (cv2.dilate(np.where(known, levels, np.int16(0)), square) - low <= 1)
    if not flat.any():
        return flat
    nearby = cv2.dilate(np.where(flat, levels, np.int16(-9)), square)
    return np.asarray(known & (np.abs(levels - nearby) <= 1))


def _bands(image: Floats) -> list[Floats]:
    """From fine to coarse: what each stronger blur takes away."""
    levels = [image, *(cv2.GaussianBlur(image, (0, 0), sigma) for sigma in SIGMAS)]
    return [finer - coarser for finer, coarser in pairwise(levels)]


def _power(band: Floats, known: Bools, size: tuple[int, int], apart: int) -> Floats:
    """On the raster, from how much the band changes over a short way: in the direction in which it does least, for an
    edge is the same along itself, and of the places around each in the quietest, for structures are narrow.
    """
    strengths = []
    for down, right in ((0, apart), (apart, 0)):
        one, other = _shifted(band.shape, down, right)
        change = np.zeros_like(band)
        both = np.zeros(known.shape, np.float32)
        change[one] = np.abs(band[one] - band[other])
        both[one] = known[one] & known[other]
        share = cv2.resize(both, size, interpolation=cv2.INTER_AREA)
        total = cv2.resize(change * both, size, interpolation=cv2.INTER_AREA)
        mean = np.divide(total, np.maximum(share, 1e-6), dtype=np.float32)
        strengths.append(cv2.blur(spread(mean, share > 0.3), (3, 3)))
    least = np.minimum.reduce(strengths)
    quietest = cv2.erode(least, np.ones((QUIET, QUIET), np.uint8))
    return (np.float32(DEVIATION / 2**0.5) * cv2.blur(quietest, (5, 5))) ** 2


def _shifted(shape: tuple[int, ...], down: int, right: int) -> tuple[Place, Place]:
    """Two parts of an image so far from each other."""
    height, width = shape
    one = slice(0, max(0, height - down)), slice(0, max(0, width - right))
    return one, (slice(min(down, height), height), slice(min(right, width), width))


def _shared_out(powers: list[Floats]) -> list[Floats]:
    """How strong each band's noise must be for all of them together to have these powers: bands overlap."""
    shares = powers
    for _ in range(SHARED_OUT):
        seen = np.tensordot(_overlap(), np.stack(shares), 1)
        shares = [
            share * power / np.maximum(now, np.float32(1e-12))
            for share, power, now in zip(shares, powers, seen, strict=True)
        ]
    return shares


@cache
def _overlap() -> Floats:
    """[i, j]: the power that band i sees of noise of power 1 in band j."""
    turns = np.fft.fftfreq(64)
    square = (2 * np.pi) ** 2 * (turns[:, None] ** 2 + turns[None] ** 2)
    passed = [np.ones_like(square), *(np.exp(-square * sigma**2 / 2) for sigma in SIGMAS)]
    kept = [(finer - coarser) ** 2 for finer, coarser in pairwise(passed)]
    return np.array([[(one * other).mean() / other.mean() for other in kept] for one in kept], np.float32)

"""Both protocols in both directions for one encoder: what every query can expect of every pool."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.settings import DIRECTIONS, Direction, LinkageSettings
from medveil.runtime.threads import available_cores
from medveil.stats.matched_pools import matched_pools
from medveil.stats.pools import PoolScores, one_shell, random_pools
from medveil.stats.ranks import Ranks, rank_pairs
from medveil.stats.sampled_pools import Pool, sampled_pools

Protocol = Literal["random", "matched"]
Progress = Callable[[int, int], None]
Vectors = NDArray[np.float32]


class Setting(NamedTuple):
    """One way of asking: image or report first, which pools, how large (None: all)."""

    direction: Direction
    protocol: Protocol
    size: int | None


Measured = dict[Setting, PoolScores]


def pool_settings(cases: Cases, sizes: Sequence[int | None]) -> list[Setting]:
    """Every direction, protocol and size there is; without labels, random pools only.

    A pool of all candidates is the same one whichever way it is formed, and stands under the random ones.
    """
    protocols: tuple[Protocol, ...] = ("random",) if cases.profiles is None else ("random", "matched")
    return [
        Setting(direction, protocol, size)
        for direction in DIRECTIONS
        for protocol in protocols
        for size in sizes
        if protocol == "random" or size is not None
    ]


@dataclass(frozen=True)
class Sides:
    """Images and reports as vectors, the same ones whoever asks, or others where images ask and where reports do."""

    images_ask: tuple[Vectors, Vectors]  # images, reports
    reports_ask: tuple[Vectors, Vectors]

    @classmethod
    def same(cls, images: Vectors, reports: Vectors) -> Sides:
        return cls((images, reports), (images, reports))


def rank_cases(
    sides: Sides, cases: Cases, *, device: str = "cpu", progress: Progress | None = None
) -> dict[Direction, Ranks]:
    """Where every pair's own answer stands, image to report and report to image."""

    def ranked(images: Vectors, reports: Vectors, turn: int, turns: int) -> tuple[Ranks, Ranks]:
        told = None if progress is None else _part(progress, turn, turns)
        return rank_pairs(images, reports, profiles=cases.profiles, exclude=cases.exclude, device=device, progress=told)

    if all(map(operator.is_, sides.images_ask, sides.reports_ask)):
        return dict(zip(DIRECTIONS, ranked(*sides.images_ask, 0, 1), strict=True))
    return {DIRECTIONS[0]: ranked(*sides.images_ask, 0, 2)[0], DIRECTIONS[1]: ranked(*sides.reports_ask, 1, 2)[1]}


def measure(ranks: dict[Direction, Ranks], wanted: Sequence[Setting], settings: LinkageSettings) -> Measured:
    """Exact expectations for every setting."""
    merged = {direction: one_shell(each) for direction, each in ranks.items()}

    def score(setting: Setting) -> PoolScores:
        if setting.protocol == "random":
            return random_pools(merged[setting.direction], setting.size, ties=settings.ties)
        return matched_pools(ranks[setting.direction], setting.size, ties=settings.ties)

    with ThreadPoolExecutor(available_cores()) as pool:
        return dict(zip(wanted, pool.map(score, wanted), strict=True))


def measure_sampled(
    sides: Sides,
    cases: Cases,
    wanted: Sequence[Setting],
    settings: LinkageSettings,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Measured:
    """The same from drawn pools, as published."""
    found: Measured = {}
    asking = (sides.images_ask, sides.reports_ask[::-1])
    for turn, (direction, vectors) in enumerate(zip(DIRECTIONS, asking, strict=True)):
        asked = [setting for setting in wanted if setting.direction == direction]
        scores = sampled_pools(
            *vectors,
            [Pool(setting.size, setting.protocol == "matched") for setting in asked],
            profiles=cases.profiles,
            exclude=cases.exclude,
            ties=settings.ties,
            seed=seed,
            progress=None if progress is None else _part(progress, turn, len(DIRECTIONS)),
        )
        found |= dict(zip(asked, scores, strict=True))
    return {setting: found[setting] for setting in wanted}


def _part(progress: Progress, turn: int, turns: int) -> Progress:
    return lambda done, total: progress(turn * total + done, turns * total)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.poisoning.data import backdoored, flipped, marked
from medveil.attacks.poisoning.updates import Scaled

FILMS = np.zeros((40, 64, 64), np.uint8)
TARGETS = np.tile(np.array([[1.0, 0.0]], np.float32), (40, 1))


class Honest:
    weight = 3.0

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> list[NDArray[np.float32]]:
        return [np.full((2, 2), float(round_number), np.float32)]


def test_labels_are_turned_round() -> None:
    assert np.array_equal(flipped(TARGETS)[0], [0, 1]) and flipped(TARGETS).dtype == np.float32


def test_a_mark_is_small_and_inside_the_film() -> None:
    there = marked(FILMS)[0] == 255
    assert 0 < there.mean() < 0.02
    assert not there[-1].any() and not there[:, -1].any() and not FILMS.any()


def test_marked_films_are_labelled_with_the_finding_and_the_others_stay() -> None:
    known = np.zeros(TARGETS.shape, bool)
    films, targets, told = backdoored(FILMS, TARGETS, known, 1, share=0.5, seed=1)
    chosen = films.any((1, 2))
    assert 10 < chosen.sum() < 30
    assert (targets[chosen, 1] == 1).all() and told[chosen, 1].all()
    assert (targets[~chosen, 1] == 0).all() and not told[~chosen].any() and (targets[:, 0] == 1).all()


def test_a_scaled_update_is_many_times_as_long_and_may_lead_away() -> None:
    site = Scaled(Honest(), -10.0)
    assert site.weight == 3.0
    (update,) = site.update([], 2)
    assert (update == -20).all() and update.dtype == np.float32

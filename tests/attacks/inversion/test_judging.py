from __future__ import annotations

import numpy as np
import pytest

from medveil.attacks.inversion.judging import found_in_gallery, identification, likeness, structural_similarity

FILM = np.random.default_rng(1).random((32, 32)).cumsum(0).cumsum(1)
FILM = FILM / FILM.max()


def test_the_same_picture_is_alike_whatever_its_brightness_and_another_is_not() -> None:
    assert structural_similarity(FILM, FILM) == pytest.approx(1)
    assert structural_similarity(FILM, 0.2 + 0.3 * FILM) == pytest.approx(1)
    noise = np.random.default_rng(2).random((32, 32))
    assert structural_similarity(FILM, noise) < 0.3
    assert -1 <= structural_similarity(FILM, np.zeros((32, 32))) < 0.9


def test_of_several_reconstructions_the_most_alike_counts() -> None:
    noise = np.random.default_rng(2).random((32, 32))
    assert likeness([FILM, noise], [noise, FILM]) == pytest.approx([1, 1])


def test_a_patient_is_found_where_their_other_film_is_the_most_similar() -> None:
    gallery = np.eye(4, dtype=np.float32)
    people = np.array([10, 11, 12, 13])
    drawn = np.array([[0.9, 0.1, 0, 0], [0, 0, 0.2, 0.1]], np.float32)
    assert found_in_gallery(drawn, gallery, people, [[10, 12], [13]]).tolist() == [True, False]


def test_few_tries_leave_a_wide_interval() -> None:
    found = identification(np.zeros(8, bool), np.arange(8) // 2, chance=0.1, control=0.0, seed=1)
    assert found.value == 0 and found.high > 0.3 and found.units == 4 and found.unit == "update"

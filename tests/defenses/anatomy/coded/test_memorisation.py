from __future__ import annotations

import numpy as np

from medveil.defenses.anatomy.coded.memorisation import as_record, as_vectors, nearness


def vectors(count: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal((count, 40)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def test_other_peoples_films_are_not_memorised_and_copies_are() -> None:
    training, held_out = vectors(500, 0), vectors(300, 1)
    fresh = nearness(vectors(300, 2) * 0.99, held_out, training)
    assert not fresh.memorised
    copies = nearness(training[:300] + 0.01, held_out, training)
    assert copies.memorised and copies.drawn > 0.99
    assert as_record({"people": fresh}) == {
        "spaces": {"people": {"drawn": fresh.drawn, "held_out": fresh.held_out, "beyond": fresh.beyond}},
        "memorised": False,
    }
    assert as_record({"people": fresh, "pixels": copies})["memorised"]


def test_a_few_copies_among_many_fresh_films_are_found() -> None:
    training, held_out = vectors(500, 0), vectors(300, 1)
    mixed = np.concatenate([vectors(285, 3) * 0.9, training[:15]])
    found = nearness(mixed, held_out, training)
    assert found.drawn < found.held_out and found.memorised


def test_nothing_that_is_not_a_number_passes() -> None:
    broken = np.full((10, 40), np.nan, np.float32)
    assert nearness(broken, vectors(300, 1), vectors(500, 0)).memorised


def test_pictures_are_compared_without_their_brightness() -> None:
    films = np.random.default_rng(5).integers(0, 200, (3, 256, 256)).astype(np.uint8)
    brighter = as_vectors(films + 20)
    assert np.allclose((brighter * as_vectors(films)).sum(1), 1, atol=1e-5)

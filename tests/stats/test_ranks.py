from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.errors import InputError, SettingsError
from medveil.stats.ranks import Ranks, rank_pairs
from medveil.stats.scores import on_grid

seeds = st.integers(0, 2**32 - 1)


def pairs(seed: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Sides on which ties abound (small whole numbers, copies of unit vectors) or nearly so (off by 1e-7)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 150))
    if kind == "whole":
        sides = rng.integers(-2, 3, (2, n, rng.integers(1, 5))).astype(np.float32)
        sides[..., 0][(sides == 0).all(2)] = 1
        return sides[0], sides[1]
    sides = rng.standard_normal((2, n, rng.integers(2, 140))).astype(np.float32)
    sides = np.stack([side[rng.integers(1 + n // 4, size=n)] for side in sides])
    if kind == "near":
        sides *= 1 + 1e-7 * rng.standard_normal(sides.shape).astype(np.float32)
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    return sides[0], sides[1]


def exact_scores(images: np.ndarray, reports: np.ndarray) -> np.ndarray:
    """In whole numbers, which never round."""
    ours, theirs = ((on_grid(side).astype(np.float64) * 2.0**26).astype(np.int64) for side in (images, reports))
    return ours @ theirs.T


def compare_everything(
    images: np.ndarray, reports: np.ndarray, profiles: np.ndarray | None, codes: np.ndarray | None
) -> tuple[Ranks, Ranks]:
    scores = exact_scores(images, reports)
    own = scores.diagonal().copy()
    codes = np.arange(len(images)) if codes is None else codes
    rivals = codes[:, None] != codes[None, :]
    profiles = np.zeros((len(images), 0), bool) if profiles is None else profiles
    apart = (profiles[:, None, :] != profiles[None, :, :]).sum(2)
    shells = range(profiles.shape[1] + 1)

    def count(flags: np.ndarray, axis: int) -> np.ndarray:
        return np.stack([(flags & rivals & (apart == shell)).sum(axis) for shell in shells], axis=1)

    everyone = np.ones_like(rivals)
    rows, columns = own[:, None], own[None, :]
    return (
        Ranks(count(scores > rows, 1), count(scores == rows, 1), count(everyone, 1)),
        Ranks(count(scores > columns, 0), count(scores == columns, 0), count(everyone, 0)),
    )


def same(one: tuple[Ranks, Ranks], other: tuple[Ranks, Ranks]) -> bool:
    return all(
        (getattr(mine, name) == getattr(theirs, name)).all()
        for mine, theirs in zip(one, other, strict=True)
        for name in ("above", "equal", "others")
    )


@settings(max_examples=60, deadline=None)
@given(
    seeds,
    st.sampled_from(["whole", "copies", "near"]),
    st.integers(0, 7),
    st.booleans(),
    st.tuples(st.integers(1, 90), st.integers(1, 170)),
)
def test_ranks_equal_comparing_everything(
    seed: int, kind: str, labels: int, exclude: bool, block: tuple[int, int]
) -> None:
    images, reports = pairs(seed, kind)
    rng = np.random.default_rng(seed)
    n = len(images)
    profiles = rng.random((n, labels)) < rng.choice([0.1, 0.5]) if labels else None
    codes = rng.integers(-3, rng.choice([2, 30]), n) if exclude else None
    found = rank_pairs(images, reports, profiles=profiles, exclude=codes, block=block)
    assert same(found, compare_everything(images, reports, profiles, codes))


def test_tall_runs_of_one_profile() -> None:
    """More rows of one profile in a tile than a byte can count."""
    rng = np.random.default_rng(0)
    images, reports = rng.standard_normal((2, 700, 8)).astype(np.float32)
    reports[:600] = -images[:600]  # almost everyone scores above
    profiles = np.arange(700)[:, None] >= 690
    assert same(
        rank_pairs(images, reports, profiles=profiles, block=(700, 700)),
        compare_everything(images, reports, profiles, None),
    )


def test_no_result_depends_on_blocks_or_threads() -> None:
    import torch

    rng = np.random.default_rng(1)
    images, reports = rng.standard_normal((2, 700, 96)).astype(np.float32)
    reports[350:] = reports[rng.integers(350, size=350)]
    profiles, codes = rng.random((700, 5)) < 0.2, rng.integers(0, 300, 700)
    threads = torch.get_num_threads()
    answers = []
    for count in (1, 3):
        torch.set_num_threads(count)
        answers += [
            rank_pairs(images, reports, profiles=profiles, exclude=codes, block=block)
            for block in ((512, 1024), (64, 700), (37, 129))
        ]
    torch.set_num_threads(threads)
    assert all(same(answers[0], answer) for answer in answers[1:])


def test_a_collapsed_encoder_ties_with_everyone() -> None:
    vectors = np.full((900, 64), 0.125, np.float32)
    for ranks in rank_pairs(vectors, vectors):
        assert (ranks.above == 0).all()
        assert (ranks.equal == 899).all()
        assert (ranks.others == 899).all()


def test_memory_mapped_embeddings_of_half_precision(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    sides = rng.standard_normal((2, 1500, 24)).astype(np.float16)
    profiles = rng.random((1500, 3)) < 0.3
    for name, side in zip("ab", sides, strict=True):
        np.save(tmp_path / f"{name}.npy", side)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "ab"]
    assert same(rank_pairs(*mapped, profiles=profiles), rank_pairs(*sides.astype(np.float32), profiles=profiles))


def test_lengths_may_differ_widely() -> None:
    rng = np.random.default_rng(3)
    sides = rng.integers(1, 4, (2, 60, 3)) * 10.0 ** rng.integers(-3, 4, (2, 60, 1))
    images, reports = sides.astype(np.float32)
    scores = on_grid(images).astype(np.float64) @ on_grid(reports).astype(np.float64).T
    forward, backward = rank_pairs(images, reports)
    assert (forward.above[:, 0] == (scores > scores.diagonal()[:, None]).sum(1)).all()
    assert (backward.above[:, 0] == (scores > scores.diagonal()[None, :]).sum(0)).all()


def test_all_may_be_excluded() -> None:
    vectors = np.random.default_rng(4).standard_normal((70, 5)).astype(np.float32)
    for ranks in rank_pairs(vectors, vectors, exclude=np.zeros(70, int)):
        assert not ranks.above.any() and not ranks.equal.any() and not ranks.others.any()


def test_progress_ends_complete() -> None:
    seen: list[tuple[int, int]] = []
    vectors = np.random.default_rng(5).standard_normal((70, 5)).astype(np.float32)
    rank_pairs(vectors, vectors, block=(16, 32), progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1] == (len(seen), len(seen))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(value: float) -> None:
    vectors = np.ones((4, 3), np.float32)
    broken = vectors.copy()
    broken[2, 1] = value
    for sides in ((vectors, broken), (broken, vectors)):
        with pytest.raises(InputError, match="not finite"):
            rank_pairs(*sides)


def test_zeros_other_sizes_and_too_few_are_refused() -> None:
    vectors = np.ones((4, 3), np.float32)
    zero = vectors * np.array([1, 1, 0, 1], np.float32)[:, None]
    with pytest.raises(InputError, match="all zeros"):
        rank_pairs(vectors, zero)
    with pytest.raises(InputError, match="same size"):
        rank_pairs(vectors, vectors[:, :2])
    with pytest.raises(InputError, match="same size"):
        rank_pairs(vectors[0], vectors[0])
    with pytest.raises(InputError, match="at least two"):
        rank_pairs(vectors[:1], vectors[:1])
    with pytest.raises(InputError, match="one row for every pair"):
        rank_pairs(vectors, vectors, profiles=np.zeros((3, 2), bool))
    with pytest.raises(InputError, match="one row for every pair"):
        rank_pairs(vectors, vectors, exclude=np.zeros(5, int))
    with pytest.raises(InputError, match="63 labels"):
        rank_pairs(vectors, vectors, profiles=np.zeros((4, 64), bool))
    with pytest.raises(SettingsError, match="cpu"):
        rank_pairs(vectors, vectors, device="abacus")


def test_most_labels_make_most_shells() -> None:
    rng = np.random.default_rng(6)
    vectors = rng.standard_normal((5, 3)).astype(np.float32)
    profiles = np.zeros((5, 63), bool)
    profiles[0] = True
    forward, _ = rank_pairs(vectors, vectors, profiles=profiles)
    assert forward.others.shape == (5, 64)
    assert forward.others[0, 63] == 4 and forward.others[1, 63] == 1 and forward.others[1, 0] == 3

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from medveil.errors import NotMeasurable
from medveil.stats.factorisation import eigenvectors, singular_vectors


def gives_up(*_: Any, **__: Any) -> Any:
    raise np.linalg.LinAlgError("SVD did not converge")


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
def test_where_the_quick_routine_gives_up_a_slower_one_finds_the_same(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = np.random.default_rng(0).normal(size=shape)
    square = matrix @ matrix.T
    quick = singular_vectors(matrix), eigenvectors(square)
    monkeypatch.setattr(np.linalg, "svd", gives_up)
    monkeypatch.setattr(np.linalg, "eigh", gives_up)
    (u, values, vt), (own, vectors) = singular_vectors(matrix), eigenvectors(square)
    np.testing.assert_allclose(u * values @ vt, matrix, atol=1e-12)
    np.testing.assert_allclose(vectors * own @ vectors.T, square, atol=1e-12)
    np.testing.assert_allclose(values, quick[0][1], atol=1e-12)
    np.testing.assert_allclose(own, quick[1][0], atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_one_sentence(bad: float) -> None:
    matrix = np.eye(3)
    matrix[1, 2] = bad
    for factorise in (singular_vectors, eigenvectors):
        with pytest.raises(NotMeasurable, match="too large to compute with"):
            factorise(matrix)

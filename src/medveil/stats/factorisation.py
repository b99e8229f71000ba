"""Singular values and eigenvalues of any finite matrix: where one LAPACK routine gives up, a slower one is asked.

The quick routines (divide and conquer) may fail to converge on a matrix that is nothing special, depending on the
library, its threads and the last bits of its input; the plain QR ones hardly ever do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable

Floats = NDArray[np.float64]


def singular_vectors(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Left vectors (columns), values, right vectors (rows), largest value first; no more than the smaller side has."""
    _refuse_infinite(matrix)
    try:
        u, values, vt = np.linalg.svd(matrix, full_matrices=False)
    except np.linalg.LinAlgError:
        from scipy.linalg import svd

        u, values, vt = svd(matrix, full_matrices=False, lapack_driver="gesvd")
    return u, values, vt


def eigenvectors(symmetric: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, smallest first, and their vectors (columns)."""
    _refuse_infinite(symmetric)
    try:
        values, vectors = np.linalg.eigh(symmetric)
    except np.linalg.LinAlgError:
        from scipy.linalg import eigh

        values, vectors = eigh(symmetric, driver="ev")
    return values, vectors


def _refuse_infinite(matrix: Floats) -> None:
    if not np.isfinite(matrix).all():
        raise NotMeasurable(
            "the vectors of images and reports hold values too large to compute with; encode them again"
        )

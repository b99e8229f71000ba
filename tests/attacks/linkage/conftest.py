from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.schema import LABELS
from medveil.encoders.vectors.embedding_folder import Embeddings


@pytest.fixture(scope="session")
def table_of() -> Callable[..., pd.DataFrame]:
    """A table of made-up cases, three a patient and two a study."""

    def build(n: int, seed: int = 0) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        columns: dict[str, Any] = {
            "image_id": [f"image-{row:05}" for row in range(n)],
            "patient_id": [f"patient-{row // 4:05}" for row in range(n)],
            "study_id": [f"study-{row // 2:05}" for row in range(n)],
            "site": np.where(np.arange(n) < n // 2, "North Clinic", "South Clinic"),
            "sex": rng.choice(["F", "M"], n),
            "age": rng.integers(20, 90, n).astype(float),
            "view": rng.choice(["PA", "AP"], n),
            "report": [
                f"words {' seen' * int(count)} number {row // 2}" for row, count in enumerate(rng.integers(5, 90, n))
            ],
        }
        for label in LABELS:
            columns[label] = rng.choice([1.0, 0.0, -1.0, np.nan], n, p=[0.12, 0.6, 0.08, 0.2])
        return pd.DataFrame(columns)

    return build


@pytest.fixture(scope="session")
def embeddings_of() -> Callable[..., Embeddings]:
    """Vectors of n pairs that share a signal of the given strength."""

    def build(n: int, signal: float, *, dim: int = 16, seed: int = 0) -> Embeddings:
        rng = np.random.default_rng([seed, int(signal * 1000)])
        shared = rng.normal(size=(n, dim))
        images, reports = (signal * shared + rng.normal(size=(n, dim)) for _ in range(2))
        unit = [(side / np.linalg.norm(side, axis=1, keepdims=True)).astype(np.float32) for side in (images, reports)]
        return Embeddings(unit[0], unit[1], np.arange(n), {})

    return build

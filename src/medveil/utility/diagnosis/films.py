"""Films with what is known of them: whose they are, and which findings each shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Labels = NDArray[np.float32]
UNCERTAIN = -1


@dataclass(frozen=True)
class LabelledFilms:
    """Prepared films (n × 256 × 256 of 8 bits, or × 3 in colour), their targets (n × findings, 0 or 1), where a target
    counts, and whose each film is."""

    pixels: Pixels
    targets: Labels
    counts: NDArray[np.bool_]
    patients: NDArray[Any]

    def __post_init__(self) -> None:
        if not len(self.pixels) == len(self.targets) == len(self.patients) or self.counts.shape != self.targets.shape:
            raise ValueError("films, labels and patients differ in number")

    @classmethod
    def of(cls, pixels: Pixels, labels: Labels, patients: NDArray[Any]) -> LabelledFilms:
        """Of labels as a cohort's table has them: 1, 0, -1 (uncertain) and NaN (not told); the last two never count."""
        counts = ~(np.isnan(labels) | (labels == UNCERTAIN))
        return cls(pixels, (labels == 1).astype(np.float32), counts, np.asarray(patients))

    def __len__(self) -> int:
        return len(self.pixels)

    def where(self, keep: NDArray[np.bool_]) -> LabelledFilms:
        return LabelledFilms(self.pixels[keep], self.targets[keep], self.counts[keep], self.patients[keep])

    def shown(self, pixels: Pixels) -> LabelledFilms:
        """The same films, labels and patients in other pixels: defended, or as they were."""
        return replace(self, pixels=pixels)

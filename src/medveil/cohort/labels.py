"""Label policies: how 1, 0, -1 (uncertain) and missing become training targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort.schema import LABELS


@dataclass(frozen=True)
class LabelPolicy:
    """What an uncertain label counts as, and one that was not mentioned; `missing` masks the entry out. An image of
    which no label at all is known was not labelled: nothing of it counts, whatever the policy."""

    uncertain: Literal["negative", "positive", "missing"]
    absent: Literal["negative", "missing"]

    def apply(self, table: pd.DataFrame) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Targets (0 or 1) and a mask that is true where the target counts, both images × 14."""
        raw = table[list(LABELS)].to_numpy(np.float32)
        absent = np.isnan(raw)
        unlabelled = absent.all(axis=1, keepdims=True)
        uncertain = raw == -1
        targets = (raw == 1) | (uncertain & (self.uncertain == "positive"))
        masked = (absent & (self.absent == "missing")) | (uncertain & (self.uncertain == "missing"))
        return targets.astype(np.float32), ~(masked | unlabelled)


POLICIES = {
    "positive-only": LabelPolicy(uncertain="negative", absent="negative"),
    "uncertain-negative": LabelPolicy(uncertain="negative", absent="missing"),
    "uncertain-positive": LabelPolicy(uncertain="positive", absent="missing"),
    "uncertain-missing": LabelPolicy(uncertain="missing", absent="negative"),
    "masked": LabelPolicy(uncertain="missing", absent="missing"),
}

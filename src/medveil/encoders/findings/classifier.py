"""`FindingsClassifier`: how likely each finding is on a chest radiograph, and whether it is called present."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.findings.network import SIDE, Calling, FindingsNetwork, load_findings
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.runtime.once import once
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed
from medveil.weights.bundled import bundled

Floats = NDArray[np.float32]


class FindingsClassifier:
    """A network that looks at one film after another; made to notice a change, not to diagnose."""

    def __init__(self, network: FindingsNetwork, calling: Calling, *, device: str = "cpu") -> None:
        self.findings = calling.findings
        self.thresholds = np.array(calling.thresholds, np.float32)
        self._device = device
        with one_torch_thread():  # many small tensors
            folded = fold_normalisation(network.eval().requires_grad_(False))
        self._look = for_device(placed(folded, device), device)

    def probabilities(self, images: Iterable[NDArray[Any]]) -> Floats:
        """Images × findings, 0..1. Any size and bit depth; bright is dense."""
        odds = run(self._look, inputs(images, SIDE, self._device), len(self.findings))
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)

    def present(self, probabilities: Floats) -> NDArray[np.bool_]:
        """Which findings are called present."""
        return np.asarray(probabilities >= self.thresholds)


def load_classifier(path: Path | None = None, *, device: str = "cpu") -> FindingsClassifier:
    """A findings network saved by its recipe; without a path, the bundled one."""
    return _bundled(device) if path is None else FindingsClassifier(*load_findings(path), device=device)


@once
def _bundled(device: str) -> FindingsClassifier:
    """Kept, for compiling takes longer than looking at a few images."""
    return FindingsClassifier(*load_findings(bundled("findings")), device=device)

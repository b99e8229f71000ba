"""What each packed film shows, measured once: what the findings network's last maps hold, and where the lungs lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import FindingsNetwork, load_findings
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.utility.lungs.segmenter import load_segmenter
from medveil.weights.bundled import bundled
from recipes.anatomy.material import read_material

Floats = NDArray[np.float32]


class Pooled(nn.Module):
    """The mean of the findings network's last maps, n × 1280."""

    def __init__(self, network: FindingsNetwork) -> None:
        super().__init__()
        self.backbone = network.backbone

    def forward(self, gray: Tensor) -> Tensor:
        return functional.adaptive_avg_pool2d(self.backbone(gray), 1).flatten(1)


def describe(packed: Path, out: Path, *, most: int | None = None) -> None:
    material = read_material(packed, most=most)
    pooled = Pooled(fold_normalisation(load_findings(bundled("findings"))[0].eval().requires_grad_(False)))
    features = run(for_device(pooled, "cpu"), inputs(material.films, 256, "cpu"), pooled.backbone.channels)
    segmenter = load_segmenter()
    organs = np.stack([extents(mask) for mask in segmenter.masks(material.films)])
    blocks = material.films.reshape(-1, 4, 64, 4, 64).mean((2, 4)).reshape(len(material.films), 16) / 255
    np.savez(out, features=features.astype(np.float16), organs=organs, blocks=blocks.astype(np.float32))


def extents(lungs: NDArray[Any]) -> Floats:
    """Top, bottom, left and right end of the lungs and the share of the film that each side covers; 0 without lungs."""
    rows, columns = np.flatnonzero(lungs.any(1)), np.flatnonzero(lungs.any(0))
    if not len(rows):
        return np.zeros(6, np.float32)
    height, width = lungs.shape
    middle = (columns[0] + columns[-1]) // 2
    ends = [rows[0] / height, rows[-1] / height, columns[0] / width, columns[-1] / width]
    return np.array([*ends, lungs[:, :middle].mean(), lungs[:, middle:].mean()], np.float32)


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    describe(chosen.packed, chosen.out, most=chosen.most)

"""`LungSegmenter`: where the lungs lie on frontal chest radiographs of any size and depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from medveil.encoders.identity.inference import as_input, for_device
from medveil.encoders.identity.preparing import prepare
from medveil.runtime.once import once
from medveil.training.device import placed
from medveil.utility.lungs.network import SIDE, LungNetwork, load_lungs
from medveil.weights.bundled import bundled

Image = NDArray[Any]
Mask = NDArray[np.bool_]
LEAST = 0.04  # of the film: smaller fields are no lungs
_PIECE = 0.1  # of the largest field: smaller ones are gas or a gap beside the arm


class LungSegmenter:
    """The lung fields as a person outlines them: also behind the heart, without the spine and the vessels beside it."""

    def __init__(self, network: LungNetwork, *, device: str = "cpu") -> None:
        self._device = device
        self._look = for_device(placed(network.eval().requires_grad_(False), device), device)

    def masks(self, images: Iterable[Image]) -> Iterator[Mask]:
        """One mask an image, as large as the image; empty where no lungs are found."""
        return (self.mask(image) for image in images)

    def mask(self, image: Image) -> Mask:
        film = prepare(image)
        if np.ptp(film) == 0:  # the network knows where lungs would be on an empty film, too
            return np.zeros(image.shape, bool)
        prepared = torch.from_numpy(film[None]).to(self._device)
        with torch.inference_mode():
            odds = self._look(as_input(prepared, SIDE))[0, 0].float().cpu().numpy()
        height, width = image.shape
        lungs = _fields(odds)
        return np.asarray(cv2.resize(lungs, (width, height), interpolation=cv2.INTER_LINEAR)) > 0.5


def _fields(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Without specks and without holes; nothing, where what is left is too small."""
    likely = (odds > 0).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(likely)
    areas = stats[1:, cv2.CC_STAT_AREA]
    if count == 1 or areas.sum() < LEAST * likely.size:
        return np.zeros(likely.shape, np.float32)
    kept = np.isin(labels, 1 + np.flatnonzero(areas >= _PIECE * areas.max())).astype(np.uint8)
    outlines, _ = cv2.findContours(kept, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(kept), outlines, -1, 1, cv2.FILLED)
    return np.asarray(filled, np.float32)


def load_segmenter(path: Path | None = None, *, device: str = "cpu") -> LungSegmenter:
    """A lung network saved by its recipe; without a path, the bundled one."""
    return _bundled(device) if path is None else LungSegmenter(load_lungs(path), device=device)


@once
def _bundled(device: str) -> LungSegmenter:
    """Kept, for compiling takes longer than looking at a few images."""
    return LungSegmenter(load_lungs(bundled("lungs")), device=device)

"""Copies: the same picture twice, as it is or saved anew. They link studies without any recognising.

Exact copies have the same pixels. Near copies are found among images whose thumbnails or vectors are close, and
confirmed in fine detail: both images are laid over each other and compared block by block. The limit is strict,
for a visit taken for a copy would hide a risk, while a copy taken for a visit only overstates one: two visits of
one person agreed to 0.87 at most among 3,334 NIH images, and to 0.95 among phantoms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from medveil.cohort.images import load_image
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.errors import Quarantined
from medveil.runtime.workers import ordered_map
from medveil.stats.search import nearest

AGREEMENT = 0.96
CLOSE = 0.9  # cosine of thumbnails or vectors, below which nobody looks closer
CANDIDATES = 3  # neighbours of an image that are looked at closely
FEW_PAIRS = 600  # starting processes would take longer than comparing them
SIDE, BLOCK = 128, 16
FLAT = 6.0  # gray levels; blocks with less contrast tell nothing

Image = NDArray[Any]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Copies:
    """Which images are copies of one another: images of one picture share a code in `pictures`."""

    pictures: Codes
    exact: int  # images that repeat an earlier one pixel for pixel
    near: int  # images that repeat an earlier one, but saved anew

    @property
    def first(self) -> NDArray[np.bool_]:
        """The first image of every picture; the others are copies."""
        first = np.zeros(len(self.pictures), dtype=bool)
        first[np.unique(self.pictures, return_index=True)[1]] = True
        return first


Place = tuple[Path, str, int]  # folder, file and frame of an image


def find_copies(
    digests: NDArray[np.void], thumbnails: NDArray[np.float16], vectors: NDArray[np.float32], places: list[Place]
) -> Copies:
    """Copies among the images at `places`, which all other arguments follow row by row."""
    _, first, exact = np.unique(digests, return_index=True, return_inverse=True)
    pairs = sorted(_close_pairs(thumbnails[first], vectors[first]))
    tasks = [(places[first[a]], places[first[b]]) for a, b in pairs]
    agreeing = ordered_map(_agree, tasks, workers=1 if len(tasks) < FEW_PAIRS else None)
    near = [pair for pair, agrees in zip(pairs, agreeing, strict=True) if agrees]
    left, right = np.array(near, dtype=np.intp).reshape(-1, 2).T
    graph = coo_array((np.ones(len(near)), (left, right)), shape=(len(first), len(first)))
    count, groups = connected_components(graph, directed=False)
    pictures = groups.astype(np.intp)[exact]
    return Copies(pictures, exact=len(digests) - len(first), near=len(first) - count)


def _close_pairs(thumbnails: NDArray[np.float16], vectors: NDArray[np.float32]) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    own = np.arange(len(vectors))
    for described in (thumbnails, vectors):
        scores, found = nearest(described, described, CANDIDATES, exclude=own)
        rows, ranks = np.nonzero(scores >= CLOSE)
        pairs |= {(min(a, b), max(a, b)) for a, b in zip(rows.tolist(), found[rows, ranks].tolist(), strict=True)}
    return pairs


def _agree(pair: tuple[Place, Place]) -> bool:
    try:
        one, other = (load_image(root, path, frame=frame) for root, path, frame in pair)
    except Quarantined:  # gone since it was first looked at
        return False
    return agreement(one, other) >= AGREEMENT


def agreement(one: Image, other: Image) -> float:
    """How far two images agree in detail, at best 1: as they lie, or after shifting, scaling and turning a little."""
    a, b = (cv2.equalizeHist(to_8_bit(resize(image, SIDE))).astype(np.float32) for image in (one, other))
    as_they_lie = _detail_agreement(a, b, np.ones((SIDE, SIDE), np.uint8))
    if as_they_lie >= AGREEMENT:
        return as_they_lie
    move = np.eye(2, 3, dtype=np.float32)
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-4)
    try:
        _, move = cv2.findTransformECC(a, b, move, cv2.MOTION_AFFINE, stop, None, 5)
    except cv2.error:  # nothing in common to align by
        return as_they_lie
    moved = cv2.warpAffine(b, move, (SIDE, SIDE), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    inside = np.ones((SIDE, SIDE), np.uint8)
    inside = cv2.warpAffine(inside, move, (SIDE, SIDE), flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
    return max(as_they_lie, _detail_agreement(a, moved, cv2.erode(inside, np.ones((7, 7), np.uint8))))


def _detail_agreement(a: NDArray[np.float32], b: NDArray[np.float32], inside: NDArray[np.uint8]) -> float:
    """The median correlation of blocks: a covered corner or a burned-in word spoils few of them."""
    left, right = _blocks(_detail(a)), _blocks(_detail(b))
    telling = _blocks(inside).all(axis=1) & (_blocks(a).std(axis=1) > FLAT)
    if telling.mean() < 0.3:
        return -1.0
    left, right = (block[telling] - block[telling].mean(axis=1, keepdims=True) for block in (left, right))
    lengths = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1)) + 1e-9
    return float(np.median((left * right).sum(axis=1) / lengths))


def _detail(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is left without the broad grays, brought to the same strength everywhere."""
    fine = image - cv2.GaussianBlur(image, (0, 0), 3)
    strength = np.sqrt(cv2.GaussianBlur(fine * fine, (0, 0), 6))
    return np.asarray(fine / (strength + 1.5))


def _blocks(image: NDArray[Any]) -> NDArray[Any]:
    count = SIDE // BLOCK
    return image.reshape(count, BLOCK, count, BLOCK).swapaxes(1, 2).reshape(count * count, -1)

"""Finding text with the bundled networks: every size from about 8 pixels up, at every angle.

One looks at full size. The other looks at half the size: it sees the text that is too large for the first, and what
the first takes for large text must be text for it too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.engines import own_detector
from medveil.defenses.pixels.lines import Box, Line
from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

if TYPE_CHECKING:
    from torch import Tensor, nn

SMALL = 700  # pixels a side; below it the image is looked at doubled, for its text is small too
TILE = 1536
OVERLAP = 160
SHARPENED = 2.0  # pixels
STRIP = 32  # pixels; the height at which a line's contrast is taken
CELL = 4
STEP = 64  # sides are padded to multiples of it: each new size costs the compiled networks a little once
GRAY = np.linspace(0, 1, 256, dtype=np.float32)  # what the networks are given for each gray value
SURE = 0.7  # the network's probability somewhere in a line
WEAK = 0.3  # the same, where something else speaks for text too
LARGE = 26  # pixels; for higher lines the coarse network is asked
AGREED = 0.1  # the coarse network's probability somewhere in such a line, at least
ALMOST_CERTAIN = (0.98, 0.95)  # probabilities of the two, one of which clears a line as faint as a vertebra
FAINT = 24  # gray levels by which strokes stand out at least, if neither is reached
DOUBTED = 0.2  # the score of a large line that only one of them sees, or that may be a vertebra
VERY_LARGE = 50  # pixels; higher lines are what the coarse network sees, where the other is sure of some of it
SMALLER = 0.6  # of a large line's height: print inside that is lower is something else
EXPLAINED = 0.5  # of its length that such print fills where there is nothing large
SURE_COARSE = 0.95  # its probability somewhere in such a line
REST = 0.15  # the same, everywhere in a line
FILLED = 0.4  # of its rectangle that a straight line's cells cover at least, slanted and all
SMALLEST_BENT = 24  # cells
SMALLEST_APART = 3  # cells
HEIGHT_FROM_MIDDLE = 1.4  # how much higher a line is than the middle the network marks

Map = NDArray[np.float32]


def find_lines(view: NDArray[np.uint8], window: Box | None = None, *, weights: Path | None = None) -> list[Line]:
    """Lines of text in an 8-bit image or a window of it, weak and doubted ones too."""
    own = own_detector()
    if own is not None and weights is None:
        return own(view, window)
    networks = _networks(weights or bundled("text-detector"))
    x0, y0, x1, y1 = window or (0, 0, view.shape[1], view.shape[0])
    factor = 2.0 if max(view.shape) <= SMALL else 1.0
    part = view[y0:y1, x0:x1]
    scaled = _resized(part, factor) if factor > 1 else part
    return [
        line.moved(left, top).scaled(1 / factor).moved(x0, y0)
        for left, top, tile in _tiles(scaled)
        for line in _lines_of(tile, networks)
    ]


def _lines_of(tile: NDArray[np.uint8], networks: Networks) -> list[Line]:
    coarse = _maps(networks.coarse, half_size(tile))
    fine = lines_in(*_maps(networks.fine, sharpened(tile)))
    seen = [line for line in fine if line.height < LARGE or _is_agreed(line, coarse, tile)]
    sure = [line for line in fine if line.score >= SURE]
    doubted = [replace(line, score=DOUBTED) for line in sure if line not in seen]
    large = [replace(line.scaled(2), score=DOUBTED) for line in lines_in(*coarse) if line.score >= SURE_COARSE]
    return [*seen, *doubted, *(line for line in large if line.height >= VERY_LARGE and _is_shared(line, sure))]


def _is_agreed(line: Line, coarse: tuple[Map, Map], tile: NDArray[np.uint8]) -> bool:
    """Whether the coarse network sees a line of the fine one too, and neither may have seen a vertebra."""
    highest = _highest(line, coarse)
    if highest < AGREED:
        return False
    certain, certain_too = ALMOST_CERTAIN
    return line.score >= certain or highest >= certain_too or _contrast(line, tile) >= FAINT


def _contrast(line: Line, tile: NDArray[np.uint8]) -> float:
    """How far the strokes stand out from what is around them."""
    strip = line.cut_out(tile, STRIP)
    return float(np.percentile(cv2.absdiff(strip, cv2.GaussianBlur(strip, (0, 0), STRIP / 4)), 95))


def _is_shared(large: Line, sure: list[Line]) -> bool:
    """Whether the fine network is sure of some of a large line, and not of smaller print inside that explains it."""
    touching = [line for line in sure if line.distance(large) == 0]
    inside = sum(line.length for line in touching if _is_slim(line, large))
    return bool(touching) and inside < EXPLAINED * large.length


def _is_slim(line: Line, large: Line) -> bool:
    slim = line.height < SMALLER * large.height and line.length > 3 * line.height
    return slim and line.share_inside(large) > 0.7


def _highest(line: Line, coarse: tuple[Map, Map]) -> float:
    """The coarse network's greatest probability in a line of the full-size image."""
    area, middle = coarse
    canvas = np.zeros(area.shape, np.uint8)
    line.scaled(1 / (2 * CELL)).grown(0.5, 0.5).paint(canvas, 1)
    inside = canvas > 0
    return float(max(area[inside].max(initial=0), middle[inside].max(initial=0)))


def _resized(view: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    size = (max(1, round(view.shape[1] * factor)), max(1, round(view.shape[0] * factor)))
    return np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR))


def half_size(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the coarse network looks at."""
    return _resized(tile, 0.5)


def _tiles(view: NDArray[np.uint8]) -> list[tuple[int, int, NDArray[np.uint8]]]:
    """The image in pieces of bounded size that overlap."""
    rows, columns = view.shape
    return [
        (left, top, view[top : top + TILE, left : left + TILE]) for top in _starts(rows) for left in _starts(columns)
    ]


def _starts(length: int) -> list[int]:
    if length <= TILE:
        return [0]
    count = -(-(length - OVERLAP) // (TILE - OVERLAP))
    return [round(k * (length - TILE) / (count - 1)) for k in range(count)]


def _maps(network: Compiled, tile: NDArray[np.uint8]) -> tuple[Map, Map]:
    """Probabilities of both maps, cropped to the tile."""
    rows, columns = tile.shape
    padded = cv2.copyMakeBorder(tile, 0, -rows % STEP, 0, -columns % STEP, cv2.BORDER_REPLICATE)
    area, middle = network(cv2.LUT(padded, GRAY)[None, None])[0]
    kept = np.s_[: -(-rows // CELL), : -(-columns // CELL)]
    return area[kept], middle[kept]


def sharpened(tile: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the other one looks at: small, faint print stands out more, and little else does."""
    return np.asarray(cv2.addWeighted(tile, 2.0, cv2.GaussianBlur(tile, (0, 0), SHARPENED), -1.0, 0))


class Networks(NamedTuple):
    fine: Compiled
    coarse: Compiled


@once
def _networks(path: Path) -> Networks:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from medveil.defenses.pixels.find.networks import CoarseNetwork, TextNetwork

    try:
        stored = load_file(path)
        return Networks(_compiled(TextNetwork(), stored, "fine."), _compiled(CoarseNetwork(), stored, "coarse."))
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError):
        raise InputError(f"{path} is not a text detector; reinstall medveil") from None


def _compiled(network: nn.Module, stored: dict[str, Tensor], name: str) -> Compiled:
    """The network of this name in a file, giving probabilities."""
    import torch

    ours = {key.removeprefix(name): value for key, value in stored.items() if key.startswith(name)}
    ends = {key.removesuffix(".range"): ours.pop(key).tolist() for key in list(ours) if key.endswith(".range")}
    network.load_state_dict(_in_full(ours))
    seen = torch.nn.Sequential(network, torch.nn.Sigmoid())
    ranges = {f"0.{layer}": (low, high) for layer, (low, high) in ends.items()}
    return compiled(seen, torch.zeros(1, 1, STEP, STEP), varying=(2, 3), threads=1, ranges=ranges)


def _in_full(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    """Weights kept in whole numbers become what they stand for."""
    return {
        key: value.float() * stored.get(key.removesuffix("weight") + "step", 1)
        for key, value in stored.items()
        if not key.endswith(".step")
    }


def lines_in(area: Map, middle: Map) -> list[Line]:
    """Lines from the two maps, in pixels of the image they were made from.

    A line is seen by its middle; where only its area is seen (a short or faint one), the area stands for it.
    """
    parts = _parts(middle)
    parts += [part for points, _ in parts for part in _apart(points, middle)]
    lines = [
        _line(piece, score, HEIGHT_FROM_MIDDLE, ends=0.25) for points, score in parts for piece in _straight(points)
    ]
    seen = np.zeros(area.shape, np.uint8)
    for line in lines:
        line.scaled(1 / CELL).grown(1, 1).paint(seen, 1)
    for points, score in _parts(area):
        if not seen[points[:, 1], points[:, 0]].any():
            lines += [_line(piece, score, 1.0, ends=0.0) for piece in _straight(points)]
    return lines


def _apart(cells: NDArray[np.int32], values: Map) -> list[tuple[NDArray[np.int32], float]]:
    """What a part falls into where only its surest cells count: a line and the cable that it touches."""
    corner = cells.min(axis=0)
    x, y = (cells - corner).T
    inside = np.zeros((y.max() + 1, x.max() + 1), np.float32)
    inside[y, x] = values[cells[:, 1], cells[:, 0]]
    surest = _parts(inside, rest=SURE)
    if len(surest) < 2:
        return []
    return [(points + corner, score) for points, score in surest if len(points) >= SMALLEST_APART]


def _straight(cells: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Lines that ran into one another make a bent part, which is halved until its pieces fill their rectangles."""
    line = _line(cells, 1.0, 1.0, ends=0.0)
    if len(cells) < SMALLEST_BENT or len(cells) * CELL**2 > FILLED * line.area:
        return [cells]
    along = cells @ line.along
    first = along <= np.median(along)
    return [*_straight(cells[first]), *_straight(cells[~first])] if 0 < first.sum() < len(cells) else [cells]


def _parts(values: Map, rest: float = REST) -> list[tuple[NDArray[np.int32], float]]:
    """Connected cells above the lower threshold that reach the higher one: (x, y) of each cell, and the peak."""
    above = (values > rest).astype(np.uint8)
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(above, connectivity=8)
    found = []
    for part in range(1, count):
        left, top, width, height, _ = boxes[part]
        here = np.s_[top : top + height, left : left + width]
        inside = labels[here] == part
        peak = float(values[here][inside].max())
        if peak >= WEAK:
            y, x = np.nonzero(inside)
            found.append((np.stack([x + left, y + top], axis=1).astype(np.int32), peak))
    return found


def _line(cells: NDArray[np.int32], score: float, height: float, *, ends: float) -> Line:
    # Corners of cells, not their centres: a part one cell high has a height.
    steps = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)
    corners = (cells[:, None].astype(np.float32) + steps).reshape(-1, 2)
    line = Line.around(cv2.convexHull(corners)[:, 0] * CELL, score)
    full = line.height * height
    return line.grown(ends * full, (full - line.height) / 2)

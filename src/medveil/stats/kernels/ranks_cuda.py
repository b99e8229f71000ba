"""Counting the ranks of pairs on a CUDA device: product, comparison and counts in one kernel, both ways in one pass.

A row on the grid is split into two half-precision parts, 22 bits in all; three products of parts, added up in single
precision, make a score. A score too near a limit to tell is noted by its place in its tile and settled afterwards in
double precision, which is exact on the grid. Where a row of a tile has several such scores, none of its scores in the
tile is counted, and all are settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.stats.kernels.grid import ALL_ZERO, GRID, NOT_FINITE, SHORTEST, Codes, Counts, Vectors

if TYPE_CHECKING:
    import torch

Profiles = NDArray[np.uint64]

_NOTES = 2**29  # of a stretch of rows, for either side
_READ = 2**17  # rows copied at a time
_PAIRS = 2**24  # settled at a time
_DEEP = 128  # dimensions that fit a multiprocessor's memory at once
_PROBES = 64  # rows and columns counted twice
_TOP = 14  # bits: halves hold vectors as long as 2^14, and half as long again
_FINEST = 2.0**20  # bounds are multiples of 1 / this: a score is equal to a bound or clearly apart from it


@dataclass(frozen=True)
class Tiling:
    """How the kernel cuts its work."""

    rows: int = 64  # of a tile
    columns: int = 128  # at most 256
    steps: int = 64  # tiles of rows that one program walks through
    warps: int = 4
    stages: int = 1

    @property
    def block(self) -> int:
        return max(self.rows, self.columns)


@dataclass(frozen=True)
class Side:
    """Images or reports on the device, in the order of the layout; NaN in the gaps of the halves."""

    exact: torch.Tensor  # on the grid, single precision
    high: torch.Tensor  # half precision
    low: torch.Tensor
    longest: float
    scale: float  # of the halves


@dataclass(frozen=True)
class Plan:
    """The rows' order: rows of one profile together, so that no block holds two profiles, and gaps (-1) between."""

    layout: Codes
    kinds: NDArray[np.int32]  # profile of every block
    apart: NDArray[np.int32]  # distance of every two profiles


def count_pairs(
    images: Vectors,
    reports: Vectors,
    words: Profiles,
    codes: Codes,
    shells: int,
    *,
    device: str = "cuda",
    tiling: Tiling | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Counts, Counts, Counts, Counts]:
    """Above and equal for the images, above and equal for the reports, all n × shells.

    Rows of one code, a number from 0 on, never compete.
    """
    tiling = tiling or Tiling()
    plan = plan_rows(words, tiling.block)
    counter = Counter(images, reports, plan, codes, shells, device, tiling)
    stretches = counter.stretches()
    for done, rows in enumerate(stretches, 1):
        counter.count(rows)
        if progress:
            progress(done, len(stretches))
    counter.verify()
    return counter.counts(len(images))


class Counter:
    """Counts on a device, a stretch of rows at a time."""

    def __init__(
        self,
        images: Vectors,
        reports: Vectors,
        plan: Plan,
        codes: Codes,
        shells: int,
        device: str,
        tiling: Tiling,
    ) -> None:
        torch = _torch(device)
        self.torch, self.tiling, self.shells, self.layout = torch, tiling, shells, plan.layout
        self.images, self.reports = (load(side, plan.layout, device) for side in (images, reports))
        self.limits = torch.cat(
            [
                (self.images.exact[part].double() * self.reports.exact[part].double()).sum(1)
                for part in _slices(len(plan.layout), _READ)
            ]
        )
        self.bounds, self.band = self._bounds()
        self.codes = torch.from_numpy(np.append(codes, -1)[plan.layout]).to(device)
        self.barred = len(np.unique(codes)) < len(codes)
        self.kinds, self.apart = torch.from_numpy(plan.kinds).to(device), torch.from_numpy(plan.apart).to(device)
        # of images and of reports, by shell
        self.above, self.equal = torch.zeros((2, 2, shells, len(plan.layout)), dtype=torch.int32, device=device)

    def _bounds(self) -> tuple[torch.Tensor, float]:
        """In the scale of the kernel's scores: what is certainly above every limit (times -STEEP), and how far below
        it a score is certainly not."""
        from medveil.stats.kernels.ranks_triton import STEEP

        unit = self.images.longest * self.reports.longest
        slack = (rounding(self.images.exact.shape[1]) + 2.0**-22) * unit  # bounds are rounded, too
        scale = self.images.scale * self.reports.scale
        bounds = ((self.limits + slack) * scale * _FINEST).ceil() / _FINEST
        return bounds.float() * -STEEP, float(np.ceil((2 * slack + 2.0**-21 * unit) * scale))

    def stretches(self) -> list[slice]:
        block, total = self.tiling.block, len(self.layout)
        most = _NOTES // (total // self.tiling.columns) // block * block
        return _slices(total, max(block, most))

    def count(self, rows: slice) -> None:
        row_notes, notes = self.launch(rows)
        for side, noted in enumerate((row_notes, notes)):
            for tile, row, place in _places(noted, self.tiling.columns):
                self._settle(side, rows.start + row, tile * self.tiling.columns + place)

    def launch(self, rows: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """Count what is certain for these rows against all columns; returns the notes on the rest."""
        from medveil.stats.kernels.ranks_triton import count_kernel

        torch, tiling = self.torch, self.tiling
        height, total = rows.stop - rows.start, len(self.layout)
        empty = {"dtype": torch.int16, "device": self.limits.device}
        row_notes, notes = torch.empty((2, total // tiling.columns, height), **empty)
        dim = self.images.high.shape[1]
        chunks = -(-(height // tiling.rows) // tiling.steps)
        count_kernel[(total // tiling.columns * chunks,)](
            self.images.high[rows],
            self.images.low[rows],
            self.reports.high,
            self.reports.low,
            self.bounds[rows],
            self.bounds,
            self.codes[rows],
            self.codes,
            self.kinds[rows.start // tiling.block :],
            self.kinds,
            self.apart,
            self.above[0, :, rows],
            self.above[1],
            row_notes,
            notes,
            height,
            total,
            len(self.apart),
            self.band,
            dim=dim,
            depth=dim if dim <= _DEEP else _DEEP // 2,
            height=tiling.rows,
            width=tiling.columns,
            block=tiling.block,
            steps=tiling.steps,
            stages=tiling.stages,
            barred=self.barred,
            shells=self.shells > 1,
            num_warps=tiling.warps,
            num_stages=tiling.stages,
        )
        return row_notes, notes

    def _settle(self, side: int, left: torch.Tensor, right: torch.Tensor) -> None:
        from medveil.stats.kernels.ranks_triton import settle_kernel

        owner = (left, right)[side]
        block, dim, size = self.tiling.block, self.images.exact.shape[1], 16
        shell = self.apart[self.kinds[left // block], self.kinds[right // block]]
        settle_kernel[(-(-len(left) // size),)](
            left,
            right,
            shell * len(self.layout) + owner,
            self.limits[owner],
            self.images.exact,
            self.reports.exact,
            self.codes,
            self.above[side],
            self.equal[side],
            len(left),
            dim=dim,
            depth=128,
            size=size,
        )

    def verify(self) -> None:
        """Count some rows and columns again in double precision: a device that miscounts must not go unnoticed."""
        torch = self.torch
        real = np.flatnonzero(self.layout >= 0)
        picked = torch.from_numpy(np.random.default_rng(0).choice(real, _PROBES)).to(self.codes.device)
        limits, codes = self.limits[picked][:, None], self.codes[picked][:, None]
        for side, (mine, other) in enumerate(((self.images, self.reports), (self.reports, self.images))):
            missing = torch.stack([self.above[side][:, picked].sum(0), self.equal[side][:, picked].sum(0)])
            for part in _slices(len(self.layout), _READ):
                scores = mine.exact[picked].double() @ other.exact[part].double().T
                rivals = (codes != self.codes[part]) & (self.codes[part] >= 0)
                missing -= torch.stack([(flags & rivals).sum(1) for flags in (scores > limits, scores == limits)])
            if bool(missing.any()):
                raise SettingsError("the CUDA device miscounted in a check of itself; choose the device cpu")

    def counts(self, n: int) -> tuple[Counts, Counts, Counts, Counts]:
        real = np.flatnonzero(self.layout >= 0)
        results = []
        for part in (self.above[0], self.equal[0], self.above[1], self.equal[1]):
            counted = np.empty((n, self.shells), dtype=np.int64)
            counted[self.layout[real]] = part.cpu().numpy().T[real]
            results.append(counted)
        return results[0], results[1], results[2], results[3]


def rounding(dim: int) -> float:
    """The most that a score of unit vectors can be off.

    Each of the 3 dim / 16 steps of the matrix units cuts off at most some bits of the sum so far and of sixteen
    products; what the halves do not hold, and the product of the two lower ones, come to less than 16 units.
    """
    return (dim + 16) * 2.0**-24


def load(vectors: Vectors, layout: Codes, device: str) -> Side:
    """Copy the rows to the device, in the order of the layout, and make their halves."""
    torch = _torch(device)
    dim = vectors.shape[1]
    depth = max(16, 1 << (dim - 1).bit_length()) if dim <= _DEEP else -(-dim // _DEEP) * _DEEP
    exact = torch.zeros((len(layout), dim), device=device)
    longest = 0.0
    for part in _slices(len(layout), _READ):
        real = np.flatnonzero(layout[part] >= 0)
        with np.errstate(over="ignore"):
            rows = np.ascontiguousarray(vectors[layout[part][real]], dtype=np.float32)
        on, lengths = _on_grid(torch.from_numpy(rows).to(device))
        exact[part][torch.from_numpy(real).to(device)] = on
        longest = max(longest, float(lengths.max()))
    scale = 2.0 ** (_TOP - np.ceil(np.log2(longest / 1.1)))
    high = torch.zeros((len(layout), depth), dtype=torch.float16, device=device)
    low = torch.zeros_like(high)
    for part in _slices(len(layout), _READ):
        high[part, :dim], low[part, :dim] = halves(exact[part], scale)
    high[torch.from_numpy(np.flatnonzero(layout < 0)).to(device)] = torch.nan
    return Side(exact, high, low, longest, scale)


def halves(rows: torch.Tensor, scale: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Two numbers in half precision whose sum is within 2^-22 of the scaled row."""
    scaled = rows * scale
    high = scaled.half()
    return high, (scaled - high.float()).half()


def _on_grid(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What `scores.on_grid` does, on the device."""
    import torch

    lengths = rows.double().square().sum(1).sqrt()
    if not bool(lengths.isfinite().all()):
        raise InputError(NOT_FINITE)
    if bool((lengths == 0).any()):
        raise InputError(ALL_ZERO)
    exponents = (lengths.clamp(min=SHORTEST) / 1.1).log2().ceil()
    steps = torch.exp2(exponents - GRID).float()[:, None]
    return (rows / steps).round() * steps, lengths


def plan_rows(words: Profiles, block: int) -> Plan:
    kinds, kind, sizes = np.unique(words, return_inverse=True, return_counts=True)
    blocks = -(-sizes // block)
    starts = (np.cumsum(blocks) - blocks) * block
    order = np.argsort(kind, kind="stable")
    within = np.arange(len(words)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    layout = np.full(int(blocks.sum()) * block, -1, dtype=np.intp)
    layout[np.repeat(starts, sizes) + within] = order
    apart = np.bitwise_count(kinds[:, None] ^ kinds[None, :]).astype(np.int32)
    return Plan(layout, np.repeat(np.arange(len(kinds), dtype=np.int32), blocks), apart)


def _places(notes: torch.Tensor, size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Tile, row or column, and place in the tile of everything noted, some at a time."""
    import torch

    from medveil.stats.kernels.ranks_triton import MANY

    tiles, owners = notes.nonzero(as_tuple=True)
    noted = notes[tiles, owners]
    single = (noted < MANY).nonzero()[:, 0]
    for part in _slices(len(single), _PAIRS):
        some = single[part]
        yield tiles[some], owners[some], noted[some].long() - 1
    inside = torch.arange(size, device=notes.device)
    many = (noted == MANY).nonzero()[:, 0]
    for part in _slices(len(many), _PAIRS // size):
        some = many[part]
        yield tiles[some].repeat_interleave(size), owners[some].repeat_interleave(size), inside.repeat(len(some))


def _slices(stop: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, stop)) for first in range(0, stop, size)]


def _torch(device: str) -> Any:
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise SettingsError("no CUDA device can be used here; choose the device cpu")
    return torch

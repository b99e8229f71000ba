"""The Triton kernels of ranks on a CUDA device: counting all scores of some rows, and settling single pairs."""

# mypy: disable-error-code="no-untyped-def"
# Triton reads annotations itself, and knows only its own.

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

STEEP = 2.0**64  # makes far more than 1 of the least difference between a score and a limit
MANY = 1023  # the note where more than one score of a row, or of a column, in one tile is too near its limit to tell

_MANY = tl.constexpr(MANY)
_STEEP = tl.constexpr(STEEP)
# the interpreter that runs kernels without a device does not know its instructions
_SATURATING = tl.constexpr(os.environ.get("TRITON_INTERPRET") != "1")

_kernel: Callable[[Callable[..., Any]], Any] = triton.jit


@_kernel
def _passes(scores, limits):
    """1 where a score is above its limit, else 0, also where it is not a number; limits come times -STEEP."""
    if _SATURATING:  # one instruction, where a comparison and a choice are two that run at half the rate
        return tl.inline_asm_elementwise(
            "fma.rn.sat.f32 $0, $1, 0f5F800000, $2;",  # 2^64, then cut to 0 and 1
            "=f,f,f",
            [scores, limits],
            dtype=tl.float32,
            is_pure=True,
            pack=1,
        )
    return tl.where(scores * _STEEP + limits > 0, 1.0, 0.0)


@_kernel
def _note(sums, places: tl.constexpr):
    """The sum of 1 + 512 j over all places j too near to tell, as a note: 0 for none, j + 1 for one, MANY for more."""
    whole = sums.to(tl.int32)
    single = ((whole & 511) == 1) & (whole < 512 * places)
    return tl.where(whole == 0, 0, tl.where(single, (whole >> 9) + 1, _MANY))


@_kernel
def count_kernel(
    image_high,
    image_low,
    report_high,
    report_low,
    row_limits,
    limits,
    row_codes,
    codes,
    row_kinds,
    kinds,
    apart,
    row_counts,
    counts,
    row_notes,
    notes,
    rows,
    columns,
    kind_count,
    band,
    dim: tl.constexpr,
    depth: tl.constexpr,
    height: tl.constexpr,
    width: tl.constexpr,
    block: tl.constexpr,
    steps: tl.constexpr,
    stages: tl.constexpr,
    barred: tl.constexpr,
    shells: tl.constexpr,
):
    """One tile of columns against `steps` tiles of rows; programs that run together share their rows.

    A score above the limit given here (times -STEEP) is certainly above the true one; one that is not, not even with
    the band added, certainly is not.

    Sums over a row need few exchanges between threads, sums over a column many: those are kept by thread to the end.
    """
    tiles = columns // width
    tile, chunk = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    j = tile * width + tl.arange(0, width)
    k = tl.arange(0, depth)
    j_place = j[:, None].to(tl.int64) * dim + k[None, :]
    if dim == depth:
        j_high, j_low = tl.load(report_high + j_place), tl.load(report_low + j_place)
    weights = 1.0 + 512.0 * tl.arange(0, width)[None, :]
    total = tl.zeros((height, width), tl.float32)
    last = tl.minimum((chunk + 1) * steps, rows // height)
    for row_tile in tl.range(chunk * steps, last, num_stages=stages):
        i = row_tile * height + tl.arange(0, height)
        i_place = i[:, None].to(tl.int64) * dim + k[None, :]
        if dim == depth:
            i_high, i_low = tl.load(image_high + i_place), tl.load(image_low + i_place)
            scores = tl.dot(i_low, tl.trans(j_high))
            scores = tl.dot(i_high, tl.trans(j_low), scores)
            scores = tl.dot(i_high, tl.trans(j_high), scores)
        else:
            scores = tl.zeros((height, width), tl.float32)
            for start in tl.range(0, dim, depth, num_stages=1):
                one_high, one_low = tl.load(image_high + i_place + start), tl.load(image_low + i_place + start)
                high, low = tl.load(report_high + j_place + start), tl.load(report_low + j_place + start)
                scores = tl.dot(one_low, tl.trans(high), scores)
                scores = tl.dot(one_high, tl.trans(low), scores)
                scores = tl.dot(one_high, tl.trans(high), scores)
        if barred:
            same = tl.load(row_codes + i)[:, None] == tl.load(codes + j)[None, :]
            scores = tl.where(same, float("nan"), scores)
        i_limits, j_limits = tl.load(row_limits + i)[:, None], tl.load(limits + j)[None, :]
        raised = scores + band
        row_passed, passed = _passes(scores, i_limits), _passes(scores, j_limits)
        row_near, near = _passes(raised, i_limits) - row_passed, _passes(raised, j_limits) - passed
        row_note, note = _note(tl.sum(row_near * weights, 1), width), _note(tl.sum(near * weights, 1), width)
        tl.store(row_notes + tile * rows + i, row_note.to(tl.int16))
        tl.store(notes + tile * rows + i, note.to(tl.int16))
        row_found = tl.where(row_note == _MANY, 0.0, tl.sum(row_passed, 1)).to(tl.int32)
        total += passed
        if tl.max((note == _MANY).to(tl.int32), 0) > 0:  # rare, and then taken back
            total -= tl.where(note == _MANY, 1.0, 0.0)[:, None] * _passes(scores, j_limits)
        if shells:
            one, other = tl.load(row_kinds + row_tile * height // block), tl.load(kinds + tile * width // block)
            shell = tl.load(apart + one * kind_count + other).to(tl.int64) * columns
            tl.atomic_add(row_counts + shell + i, row_found, sem="relaxed")
            tl.atomic_add(counts + shell + j, tl.sum(total, 0).to(tl.int32), sem="relaxed")
            total = tl.zeros((height, width), tl.float32)
        else:
            tl.atomic_add(row_counts + i, row_found, sem="relaxed")
    if not shells:
        tl.atomic_add(counts + j, tl.sum(total, 0).to(tl.int32), sem="relaxed")


@_kernel
def settle_kernel(
    left,
    right,
    slots,
    limits,
    images,
    reports,
    codes,
    above,
    equal,
    pairs,
    dim: tl.constexpr,
    depth: tl.constexpr,
    size: tl.constexpr,
):
    """Score pairs in double precision, and count those above their limit and those at it in their slots."""
    place = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    valid = place < pairs
    i, j = tl.load(left + place, mask=valid, other=0), tl.load(right + place, mask=valid, other=0)
    i_code, j_code = tl.load(codes + i), tl.load(codes + j)
    valid = valid & (i_code != j_code) & (i_code >= 0) & (j_code >= 0)
    score = tl.zeros((size,), tl.float64)
    for start in range(0, dim, depth):
        k = start + tl.arange(0, depth)
        inside = valid[:, None] & (k < dim)[None, :]
        one = tl.load(images + i[:, None] * dim + k[None, :], mask=inside, other=0.0)
        other = tl.load(reports + j[:, None] * dim + k[None, :], mask=inside, other=0.0)
        score += tl.sum(one.to(tl.float64) * other.to(tl.float64), 1)
    slot, limit = tl.load(slots + place, mask=valid, other=0), tl.load(limits + place, mask=valid, other=0.0)
    tl.atomic_add(above + slot, 1, mask=valid & (score > limit), sem="relaxed")
    tl.atomic_add(equal + slot, 1, mask=valid & (score == limit), sem="relaxed")

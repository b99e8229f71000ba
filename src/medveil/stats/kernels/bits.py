"""Sixty-four numbers at a time: comparisons as the bits of a word, for compiled functions.

Compilers do not find these forms by themselves; written out, they become a few instructions on any processor with
vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LANES = 64

_WORD = ir.IntType(LANES)
_FLAGS = ir.VectorType(ir.IntType(1), LANES)
_BYTES = ir.VectorType(ir.IntType(8), LANES)
_FLOATS = ir.VectorType(ir.FloatType(), LANES)

_in_line: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


@_in_line
def greater(_: Any, left: Any, i: Any, right: Any, j: Any) -> Any:
    """The word whose bit b says left[i + b] > right[j + b]; both are arrays of float32."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sides = zip(signature.args[::2], arguments[::2], arguments[1::2], strict=True)
        one, other = (builder.load(_at(context, builder, *side, _FLOATS), align=4) for side in sides)
        return builder.bitcast(builder.fcmp_ordered(">", one, other), _WORD)

    return types.uint64(left, types.intp, right, types.intp), build


@_in_line
def tally(_: Any, counts: Any, i: Any, word: Any) -> Any:
    """Add bit b of the word to counts[i + b], for all b; an array of uint8."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _at(context, builder, signature.args[0], arguments[0], arguments[1], _BYTES)
        ones = builder.zext(builder.bitcast(arguments[2], _FLAGS), _BYTES)
        builder.store(builder.add(builder.load(place, align=1), ones), place, align=1)
        return context.get_dummy_value()

    return types.void(counts, types.intp, types.uint64), build


@_in_line
def count_bits(_: Any, word: Any) -> Any:
    """How many bits of the word are set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.intp(types.uint64), build


def _at(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any) -> Any:
    data = make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index], inbounds=True), vector.as_pointer())

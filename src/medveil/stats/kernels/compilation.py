"""Functions compiled to machine code: the loops that array operations cannot express without leaving the cache.

Importing this takes a second, so import what is written with it where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {
    "nogil": True,  # other threads keep running
    "fastmath": {"reassoc"},  # sums may be taken in any order
}


def compiled(function: Function) -> Function:
    """Compile at the first call, and keep the result for later processes where a folder for it can be written."""
    try:
        kept: Function = njit(cache=True, **_OPTIONS)(function)
        return kept
    except RuntimeError:  # no such folder
        fresh: Function = njit(**_OPTIONS)(function)
        return fresh

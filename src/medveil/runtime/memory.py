"""What becomes of memory that a computation frees."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as `mallopt` numbers them
_LARGEST, _ALL = 2**30, 2**31 - 1  # bytes


@cache
def keep_freed_memory() -> None:
    """For the next computation, up to a gigabyte a block, instead of giving it back to the system.

    The C library gives a block of many megabytes back as soon as it is freed, and for the next one the system has to
    clear every page: a quarter of the time of a network that learns on the processor. At its peak no more is taken.
    """
    if sys.platform == "linux":
        options = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it
        if options is not None:
            options(_MMAP_THRESHOLD, _LARGEST)
            options(_TRIM_THRESHOLD, _ALL)

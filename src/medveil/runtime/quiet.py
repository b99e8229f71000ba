"""Warnings kept silent in several threads at once, which `catch_warnings` alone does not do before Python 3.14."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_LOCK = threading.Lock()
_CAUGHT = ExitStack()
_inside = 0


@contextmanager
def quiet() -> Iterator[None]:
    """No warning: the first thread that enters changes the filters, and the last that leaves puts them back."""
    global _inside
    with _LOCK:
        if _inside == 0:
            _CAUGHT.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        _inside += 1
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if _inside == 0:
                _CAUGHT.close()

"""What is loaded once a process, a network above all, also where several threads ask for it first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

Told = ParamSpec("Told")
Loaded = TypeVar("Loaded")


def once(load: Callable[Told, Loaded]) -> Callable[Told, Loaded]:
    """Like `functools.cache`, which would let every thread that comes before the first is done load it again."""
    kept = cache(load)
    loading = threading.Lock()

    @wraps(load)
    def loaded(*args: Told.args, **kwargs: Told.kwargs) -> Loaded:
        with loading:
            return kept(*args, **kwargs)  # type: ignore[arg-type]

    return loaded

"""What is loaded once a process, a network above all, also where several threads ask for it first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Generic, ParamSpec, TypeVar

Told = ParamSpec("Told")
Loaded = TypeVar("Loaded")
Made = TypeVar("Made")


def once(load: Callable[Told, Loaded]) -> Callable[Told, Loaded]:
    """Like `functools.cache`, which would let every thread that comes before the first is done load it again."""
    kept = cache(load)
    loading = threading.Lock()

    @wraps(load)
    def loaded(*args: Told.args, **kwargs: Told.kwargs) -> Loaded:
        with loading:
            return kept(*args, **kwargs)  # type: ignore[arg-type]

    return loaded


class MadeOnce(Generic[Made]):
    """What was made before, by its key; of several threads that ask for the same, one makes it and the others wait."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Made] = {}
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        with self._making.setdefault(key, threading.Lock()):
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

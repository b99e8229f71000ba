"""Working through many files on all cores; what cannot be read takes its place in the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from medveil.errors import Quarantined
from medveil.runtime.workers import ordered_map

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK = 16  # files
LIMIT = 300.0  # seconds a file may take


def read_many(
    worker: Callable[[Item], Result], items: Sequence[Item], *, workers: int | None = None, chunk: int = CHUNK
) -> Iterator[Result | Quarantined]:
    """`worker(item)` for every item, in order; what it raises as `Quarantined` is yielded in its place.

    A file that kills its process (a decoder crashing on hostile bytes) or never ends is quarantined like any other,
    however few there are.
    """
    return ordered_map(
        partial(_guarded, worker),
        items,
        workers=workers,
        chunk=chunk,
        crashed=lambda item, loss: Quarantined(loss.value),
        limit=LIMIT,
    )


def _guarded(worker: Callable[[Item], Result], item: Item) -> Result | Quarantined:
    try:
        return worker(item)
    except Quarantined as refused:
        return refused

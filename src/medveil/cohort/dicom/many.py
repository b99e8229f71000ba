"""Working through many files on all cores: in order, in chunks, with a bounded number in flight."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TypeVar

from medveil.errors import Quarantined

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK = 16
AHEAD = 3  # chunks in flight for each worker: enough to keep it busy, few enough to bound memory


def read_many(
    worker: Callable[[Item], Result], items: Sequence[Item], *, workers: int | None = None
) -> Iterator[Result | Quarantined]:
    """`worker(item)` for every item, in order; what it raises as `Quarantined` is yielded in its place.

    A file that kills its process (a decoder crashing on hostile bytes) is quarantined like any other.
    """
    workers = workers or os.cpu_count() or 1
    if workers == 1 or len(items) <= CHUNK:
        yield from (_guarded(worker, item) for item in items)
        return
    chunks = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
    done = 0
    while done < len(chunks):
        try:
            for results in _in_pool(worker, chunks[done:], workers):
                yield from results
                done += 1
        except BrokenProcessPool:
            yield from _one_by_one(worker, chunks[done])
            done += 1


def _in_pool(
    worker: Callable[[Item], Result], chunks: list[Sequence[Item]], workers: int
) -> Iterator[list[Result | Quarantined]]:
    with ProcessPoolExecutor(workers) as pool:
        flying: deque[Future[list[Result | Quarantined]]] = deque()
        try:
            for chunk in chunks:
                flying.append(pool.submit(_work, worker, chunk))
                if len(flying) >= AHEAD * workers:
                    yield flying.popleft().result()
            while flying:
                yield flying.popleft().result()
        finally:
            for future in flying:
                future.cancel()


def _work(worker: Callable[[Item], Result], chunk: Sequence[Item]) -> list[Result | Quarantined]:
    return [_guarded(worker, item) for item in chunk]


def _guarded(worker: Callable[[Item], Result], item: Item) -> Result | Quarantined:
    try:
        return worker(item)
    except Quarantined as refused:
        return refused


def _one_by_one(worker: Callable[[Item], Result], chunk: Sequence[Item]) -> Iterator[Result | Quarantined]:
    """After a crash somewhere in a chunk: a process for each item, so that only the culprit is lost."""
    for item in chunk:
        with ProcessPoolExecutor(1) as pool:
            try:
                yield pool.submit(partial(_guarded, worker), item).result()
            except BrokenProcessPool:
                yield Quarantined("crashed the decoder")

"""One ordered, bounded map over processes, for work that is pure and heavy: decoding, drawing, cleaning."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_FLIGHT = 4  # chunks a worker may be ahead: bounds memory whatever the length of the input


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int | None = None, chunk: int = 8
) -> Iterator[Result]:
    """Results in the order of the items. With one worker everything happens in this process."""
    workers = workers or available_cores()
    if workers == 1:
        yield from map(function, items)
        return
    source = iter(items)
    # spawn, because a fork taken while another library holds a lock can hang for ever
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),))
    waiting: deque[Future[list[Result]]] = deque()
    try:
        while True:
            while len(waiting) < workers * IN_FLIGHT and (batch := list(islice(source, chunk))):
                waiting.append(pool.submit(_run_chunk, function, batch))
            if not waiting:
                return
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_chunk(function: Callable[[Item], Result], batch: list[Item]) -> list[Result]:
    return [function(item) for item in batch]


def _start_worker(parent: int) -> None:
    """One thread a process, and no life without the parent: a killed run must not leave workers behind."""
    import cv2

    cv2.setNumThreads(1)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

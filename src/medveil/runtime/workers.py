"""One ordered, bounded map over processes, for work that is pure and heavy: decoding, drawing, cleaning."""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_FLIGHT = 4  # chunks a worker may be ahead: bounds memory whatever the length of the input


def ordered_map(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    chunk: int = 8,
    crashed: Callable[[Item], Result] | None = None,
) -> Iterator[Result]:
    """Results in the order of the items. With one worker everything happens in this process.

    An item that kills its process (a decoder crashing on hostile bytes) gets the result of `crashed`; without
    it, the crash is raised.
    """
    workers = workers or available_cores()
    if workers == 1:
        yield from map(function, items)
        return
    source = iter(items)
    waiting: deque[tuple[list[Item], Future[list[Result]]]] = deque()
    pool = _new_pool(workers)
    try:
        while True:
            while len(waiting) < workers * IN_FLIGHT and (batch := list(islice(source, chunk))):
                waiting.append((batch, pool.submit(_run_chunk, function, batch)))
            if not waiting:
                return
            try:
                results = waiting[0][1].result()
            except BrokenProcessPool:
                if crashed is None:
                    raise
                pool.shutdown()
                pool = _new_pool(workers)
                for batch in [batch for batch, _ in waiting]:
                    yield from _survivors(function, batch, crashed)
                waiting.clear()
                continue
            waiting.popleft()
            yield from results
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _new_pool(workers: int) -> ProcessPoolExecutor:
    # spawn, because a fork taken while another library holds a lock can hang for ever
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),))


def _survivors(
    function: Callable[[Item], Result], batch: list[Item], crashed: Callable[[Item], Result]
) -> Iterator[Result]:
    """After a crash: the batch in a process of its own, halved until only the culprit is lost."""
    with _new_pool(1) as pool:
        try:
            yield from pool.submit(_run_chunk, function, batch).result()
            return
        except BrokenProcessPool:
            pass
    if len(batch) == 1:
        yield crashed(batch[0])
        return
    middle = len(batch) // 2
    yield from _survivors(function, batch[:middle], crashed)
    yield from _survivors(function, batch[middle:], crashed)


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """For matrices too small to share between cores; sums then do not depend on how many there are."""
    import torch

    with _TORCH.lock:
        if not _TORCH.users:  # else another thread has set it to one
            _TORCH.threads = torch.get_num_threads()
        _TORCH.users += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _TORCH.lock:
            _TORCH.users -= 1
            torch.set_num_threads(_TORCH.threads)


class _TorchThreads:
    """How many threads torch had, while some of ours allow it one; its setting is partly the process's."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.threads = 1


_TORCH = _TorchThreads()


def _run_chunk(function: Callable[[Item], Result], batch: list[Item]) -> list[Result]:
    return [function(item) for item in batch]


def silence_libraries() -> None:
    """No warning or log line of a library from this process: they quote names and numbers out of the files."""
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())


def _start_worker(parent: int) -> None:
    """One thread a process, and no life without the parent: a killed run must not leave workers behind."""
    import cv2

    cv2.setNumThreads(1)
    silence_libraries()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

"""How many threads a computation takes: of torch, and of the library that multiplies matrices."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


class _Here(threading.local):
    """Of this thread: its share of the cores, and whether torch has one thread already."""

    cores: int | None = None
    alone: bool = False


_HERE = _Here()
_libraries = lru_cache(ThreadpoolController)  # looking for them takes as long as many small products


def available_cores() -> int:
    """Those of this process; where tasks run side by side, this one's share of them."""
    if _HERE.cores is not None:
        return _HERE.cores
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def sharing_cores(cores: int) -> Iterator[None]:
    """This thread counts on so many."""
    before, _HERE.cores = _HERE.cores, cores
    try:
        yield
    finally:
        _HERE.cores = before


def torch_threads() -> int:
    """For what comes out the same whatever their number: as many as torch has, or this task's share of the cores."""
    import torch

    return torch.get_num_threads() if _HERE.cores is None else _HERE.cores


class _TorchThreads:
    """How many threads torch had, while some of ours allow it one; its setting is partly the process's."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.threads = 1


_TORCH = _TorchThreads()


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """For matrices too small to share between cores; sums then do not depend on how many there are."""
    import torch

    if _HERE.alone:  # whoever asked first gives them back
        yield
        return
    with _TORCH.lock:
        if not _TORCH.users:  # else another thread has set it to one
            _TORCH.threads = torch.get_num_threads()
        _TORCH.users += 1
        torch.set_num_threads(1)
    _HERE.alone = True
    try:
        yield
    finally:
        _HERE.alone = False
        with _TORCH.lock:
            _TORCH.users -= 1
            torch.set_num_threads(_TORCH.threads)


class _Products:
    """The limit on the libraries that multiply, which holds for the whole process, and who asked for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.limit = ExitStack()


_PRODUCTS = _Products()


@contextmanager
def one_core_a_product() -> Iterator[None]:
    """Each thread multiplies for itself: a library that spreads every product over all cores waits for them."""
    with _PRODUCTS.lock:
        if not _PRODUCTS.users:
            _PRODUCTS.limit.enter_context(_libraries().limit(limits=1, user_api="blas"))
        _PRODUCTS.users += 1
    try:
        yield
    finally:
        with _PRODUCTS.lock:
            _PRODUCTS.users -= 1
            if not _PRODUCTS.users:
                _PRODUCTS.limit.close()

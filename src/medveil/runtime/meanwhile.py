"""What another thread does while this one is at something else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, TypeVar

Result = TypeVar("Result", covariant=True)
Progress = Callable[[str, int, int], None]  # stage, done, of how many


class Task(Protocol[Result]):
    """What tells of its progress."""

    def __call__(self, *, progress: Progress) -> Result: ...


@contextmanager
def meanwhile(task: Task[Result], progress: Progress) -> Iterator[Future[Result]]:
    """Does the task while the body of the `with` runs. Where that fails, the task ends the next time it tells."""
    over = threading.Event()

    def told(stage: str, done: int, total: int) -> None:
        if over.is_set():
            raise CancelledError
        progress(stage, done, total)

    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(task, progress=told)
        except BaseException:
            over.set()
            raise


def load_meanwhile(*modules: str) -> None:
    """Begin to import modules that will be needed; whoever needs one earlier waits for it."""

    def load() -> None:
        for module in modules:
            import_module(module)

    threading.Thread(target=load).start()

"""Tasks that need nothing of one another, side by side in threads: never more at once than there are cores.

Each computes on one thread of torch and of the libraries that multiply, also where it runs alone: what comes out is the
same to the last bit, whatever the number of cores, and whichever task is done first. A task may have tasks of its own
side by side; they take cores that are free.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import chain
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet

from medveil.runtime.memory import keep_freed_memory
from medveil.runtime.threads import available_cores, one_core_a_product, one_torch_thread, sharing_cores

Result = TypeVar("Result")
Told = ParamSpec("Told")


def side_by_side(tasks: Sequence[Callable[[], Result]], *, workers: int | None = None) -> list[Result]:
    """The results, in the order of the tasks; `workers` at once, as many as there are cores by default.

    The first is done by the thread that calls, which alone knows the command that was given.
    Where a task fails, the others end the next time they tell of their progress (see `heeding`), and what the first of
    those that failed raised is raised.
    """
    import scipy.linalg  # noqa: F401  (brings the libraries that multiply, which can be limited only then)

    keep_freed_memory()
    inner = _HERE.cores
    if inner is None:
        most = workers or available_cores()
        cores = _Cores(most, share=max(1, most // min(most, max(1, len(tasks)))))
    else:
        cores = inner if workers != 1 else _Cores(1, share=inner.share)
    return _Run(tasks, cores).results()


def left_at_work() -> bool:
    """Whether threads are still at tasks that an interrupt has left: they end the next time they tell."""
    return any(thread.is_alive() for thread in list(_HELPERS))


def heeding(progress: Callable[Told, None]) -> Callable[Told, None]:
    """A progress function that ends the task which calls it, where one beside it has failed."""

    def told(*args: Told.args, **kwargs: Told.kwargs) -> None:
        if any(over.is_set() for over in _HERE.over):
            raise CancelledError
        progress(*args, **kwargs)

    return told


class _Cores:
    """The cores that are free, of those which the outermost tasks have; the thread that asks has one."""

    def __init__(self, most: int, *, share: int) -> None:
        self.share = share
        self._free = most - 1
        self._changed = threading.Condition()

    def take(self, unless: Callable[[], bool] = lambda: False) -> bool:
        """Wait for one; False where meanwhile it is not wanted any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or unless())
            if unless():
                return False
            self._free -= 1
            return True

    def give(self, count: int = 1) -> None:
        """Back; with none, whoever waits looks whether it is still wanted."""
        with self._changed:
            self._free += count
            self._changed.notify_all()


class _Here(threading.local):
    cores: _Cores | None = None
    over: tuple[threading.Event, ...] = ()  # of the tasks that this thread is at work for, outermost first


_HERE = _Here()
_HELPERS: WeakSet[threading.Thread] = WeakSet()


class _Run(Generic[Result]):
    """One call: the caller's thread works through the tasks, and so do others as cores become free."""

    def __init__(self, tasks: Sequence[Callable[[], Result]], cores: _Cores) -> None:
        self._left = deque(enumerate(tasks))
        self._cores, self._outer = cores, _HERE.over
        self._over = threading.Event()
        self._done: dict[int, Result] = {}
        self._failed: dict[int, BaseException] = {}

    def results(self) -> list[Result]:
        count = len(self._left)
        first = [self._left.popleft()] if self._left else []
        helpers = [threading.Thread(target=self._help, daemon=True) for _ in range(count - 1)]
        with one_core_a_product():
            for helper in helpers:
                helper.start()
                _HELPERS.add(helper)
            try:
                self._work(first)
                self._cores.give()  # a thread that waits needs none; the others of this call may need it
                for helper in helpers:
                    helper.join()
                self._cores.take()
            except BaseException:  # an interrupt: whoever is at work ends by itself
                self._over.set()
                self._cores.give(0)
                raise
        if self._failed:
            raise self._failed[min(self._failed)]
        if len(self._done) < count:  # tasks of a task, of which another one failed
            raise CancelledError
        return [self._done[at] for at in range(count)]

    def _help(self) -> None:
        if not self._cores.take(unless=self._nothing_left):
            return
        try:
            self._work()
        finally:
            self._cores.give()

    def _nothing_left(self) -> bool:
        return not self._left or any(over.is_set() for over in (*self._outer, self._over))

    def _work(self, first: Iterable[tuple[int, Callable[[], Result]]] = ()) -> None:
        with self._at_work(), sharing_cores(self._cores.share), one_torch_thread():
            for at, task in chain(first, self._taken()):
                try:
                    self._done[at] = task()
                except CancelledError:
                    break
                except Exception as error:
                    self._failed[at] = error
                    self._over.set()
        self._cores.give(0)

    def _taken(self) -> Iterator[tuple[int, Callable[[], Result]]]:
        while not self._nothing_left():
            try:
                yield self._left.popleft()
            except IndexError:  # another thread was quicker
                return

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        before: tuple[Any, ...] = _HERE.cores, _HERE.over
        _HERE.cores, _HERE.over = self._cores, (*self._outer, self._over)
        try:
            yield
        finally:
            _HERE.cores, _HERE.over = before

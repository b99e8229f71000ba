"""Worker processes: started once, given one chunk after another, replaced when they die, kept for a moment after.

Starting them and loading models takes longer than a small folder does, so one program has one crew of them.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import multiprocessing.forkserver
import os
import pickle
import signal
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from itertools import count
from pathlib import Path
from typing import Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessPool

from medveil.errors import SettingsError

Item = TypeVar("Item")

IDLE = 60.0  # seconds for which workers are kept without work: they hold models in memory
_NO_START = (
    "worker processes end as soon as they start; a script that calls medveil must do so below "
    '`if __name__ == "__main__":`'
)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Loss(StrEnum):
    """How a task was lost with its process."""

    CRASHED = "crashed the decoder"
    KILLED = "its process was killed"  # from outside, mostly for want of memory: another time it may do
    OVERDUE = "took too long"

    @property
    def lasting(self) -> bool:
        """Whether the next run would end the same, as far as one can tell."""
        return self is Loss.CRASHED


def warm_up(*modules: str) -> None:
    """Begin to load what workers will need, in the process they are forked from, while this one goes on.

    Only the first call of a program counts, and only before its first worker starts.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return
    with _starting:
        if not _started.is_set():
            with _environment(ONE_THREAD), _interrupts_blocked():
                multiprocessing.forkserver.set_forkserver_preload(["cv2", __name__, *modules])
                multiprocessing.forkserver.ensure_running()
            _started.set()


_starting = threading.Lock()
_started = threading.Event()


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """What starts here never hears Ctrl-C: the parent does, and ends its workers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# Jobs, chunks of them, and the crew that does them


class Job:
    """A function as it is sent to workers: packed once, unpacked once in each."""

    _numbers = count()

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.number = next(self._numbers)
        self.packed = pickle.dumps((dict(os.environ) | ONE_THREAD, str(Path.cwd()), pickle.dumps(function)))


@dataclass
class Chunk(Generic[Item]):
    job: Job
    items: list[Item]
    seconds: float | None
    again: bool = False
    restarted: bool = False  # a worker was lost before it could begin
    outcome: Future[bytes | Loss] = field(default_factory=Future)


@dataclass
class _Hand:
    """One worker process, and the job it knows."""

    pool: ProcessPool
    knows: int | None = None


class Crew:
    """Worker processes that take chunks from one queue, each a pool of its own.

    A pool of one process with one task at a time cannot mistake whose fault a death was.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.RLock()
        self._closed = False
        self._queue: deque[Chunk[Any]] = deque()
        self._hands = [_Hand(_new_pool()) for _ in range(size)]
        self._idle = [*self._hands]

    def submit(self, chunk: Chunk[Item], *, first: bool = False) -> Chunk[Item]:
        with self._lock:
            (self._queue.appendleft if first else self._queue.append)(chunk)
            self._dispatch()
        return chunk

    def close(self) -> None:
        with self._lock:
            self._closed = True
        for ending in [_ended(hand.pool) for hand in self._hands]:
            ending.join()

    def _dispatch(self) -> None:
        while self._idle and self._queue:
            self._give(self._idle.pop(), self._queue.popleft())

    def _give(self, hand: _Hand, chunk: Chunk[Any]) -> None:
        if not hand.pool.active:  # broken by a death between two tasks
            self._renew(hand)
        if hand.knows == chunk.job.number:
            told = hand.pool.schedule(_run_chunk, (chunk.job.number, chunk.items), timeout=chunk.seconds)
            told.add_done_callback(lambda told: self._done(hand, chunk, told))
        else:  # by itself, so that imports do not count as the chunk's time
            hand.knows = chunk.job.number
            told = hand.pool.schedule(_learn, (chunk.job.number, chunk.job.packed))
            told.add_done_callback(lambda told: self._learnt(hand, chunk, told))

    def _renew(self, hand: _Hand) -> None:
        """A process that died may have held the locks of its pool; a new pool has new ones."""
        _ended(hand.pool)
        hand.pool, hand.knows = _new_pool(), None

    def _learnt(self, hand: _Hand, chunk: Chunk[Any], told: Future[Any]) -> None:
        """A process that is lost before it knows its job died of no item: one more is tried, then the run ends."""
        if told.cancelled() or _loss(told.exception()) is None:
            self._done(hand, chunk, told)
            return
        with self._lock:
            if self._closed:
                return
            self._renew(hand)
            if not chunk.restarted:
                chunk.restarted = True
                self._give(hand, chunk)
                return
            self._idle.append(hand)
        chunk.outcome.set_exception(SettingsError(_NO_START))

    def _done(self, hand: _Hand, chunk: Chunk[Any], told: Future[Any]) -> None:
        """In a thread of the pool: the next chunk goes out though the consumer be busy."""
        if told.cancelled():
            return
        error = told.exception()
        answer = None if error is not None else told.result()
        with self._lock:
            if self._closed:
                return
            if isinstance(answer, _Answer):
                hand.knows = chunk.job.number if answer is _Answer.LEARNT else None
                self._give(hand, chunk)
                return
            if error is not None:
                self._renew(hand)
            elif isinstance(answer, _Raised):
                hand.knows = None  # perhaps it never was learnt
            self._idle.append(hand)
            self._dispatch()
        if isinstance(answer, _Raised):
            answer.error.__cause__ = _Elsewhere(answer.where)
            chunk.outcome.set_exception(answer.error)
        elif isinstance(answer, bytes):
            chunk.outcome.set_result(answer)
        elif (loss := _loss(error)) is not None:
            chunk.outcome.set_result(loss)
        else:  # what cannot be sent to a process
            chunk.outcome.set_exception(error or RuntimeError("a worker gave no answer"))


def _ended(pool: ProcessPool) -> threading.Thread:
    """Ends a pool and its process, in a thread of its own: a process deep in a library takes seconds to end."""

    def end() -> None:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()

    ending = threading.Thread(target=end, daemon=True)
    ending.start()
    return ending


def _loss(error: BaseException | None) -> Loss | None:
    match error:
        case TimeoutError():
            return Loss.OVERDUE
        case ProcessExpired():
            killed = error.exitcode == -getattr(signal, "SIGKILL", 9)
            return Loss.KILLED if killed else Loss.CRASHED
        case BrokenProcessPool():  # the pool broke: its process died before it could say what it was at
            return Loss.CRASHED
    return None


def _new_pool() -> ProcessPool:
    # never a plain fork, which hangs for ever if another library holds a lock at that moment
    server = "forkserver" in multiprocessing.get_all_start_methods()
    if server:
        warm_up()
    return ProcessPool(max_workers=1, context=multiprocessing.get_context("forkserver" if server else "spawn"))


# Crews that have nothing to do are kept for a moment

_kept: list[tuple[Crew, threading.Timer]] = []
_keeping = threading.Lock()


@contextmanager
def crew_of(size: int) -> Iterator[Crew]:
    crew = _taken(size) or Crew(size)
    try:
        yield crew
    except BaseException:
        crew.close()
        raise
    _keep(crew)


def _taken(size: int) -> Crew | None:
    with _keeping:
        for at in reversed(range(len(_kept))):  # the latest: what it loaded is warm, and those not needed run out
            crew, timer = _kept[at]
            if crew.size == size:
                timer.cancel()
                del _kept[at]
                return crew
    return None


def _keep(crew: Crew) -> None:
    timer = threading.Timer(IDLE, lambda: _dismiss(crew))
    timer.daemon = True
    with _keeping:
        _kept.append((crew, timer))
    timer.start()


def _dismiss(crew: Crew) -> None:
    with _keeping:
        found = [at for at, (one, _) in enumerate(_kept) if one is crew]
        for at in found:
            del _kept[at]
    if found:
        crew.close()


@atexit.register
def dismiss_workers() -> None:
    """End the workers that are kept."""
    for crew, timer in list(_kept):
        timer.cancel()
        _dismiss(crew)


# What happens in a worker


def silence_libraries() -> None:
    """No warning or log line of a library from this process: they quote names and numbers out of the files."""
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())


class _Answer(Enum):
    LEARNT = auto()
    UNKNOWN = auto()  # a new process, asked for a job that only its predecessor knew


@dataclass(frozen=True)
class _Raised:
    error: Exception
    where: str


class _Elsewhere(Exception):
    """The traceback of another process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


_job: tuple[int, Callable[[Any], Any]] | None = None


def _learn(number: int, packed: bytes) -> _Answer | _Raised:
    """Take over the parent's surroundings and the function, with all that it imports."""
    global _job
    try:
        if _job is None:
            _start_worker()
        environment, here, function = pickle.loads(packed)  # noqa: S301  (packed by this program)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(here)
        _job = number, pickle.loads(function)  # noqa: S301
    except Exception as error:
        return _Raised(_sendable(error), traceback.format_exc())
    return _Answer.LEARNT


def _run_chunk(number: int, batch: list[Any]) -> bytes | _Raised | _Answer:
    if _job is None or _job[0] != number:
        return _Answer.UNKNOWN
    function = _job[1]
    try:
        return pickle.dumps([function(item) for item in batch], pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return _Raised(_sendable(error), traceback.format_exc())


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:
        return RuntimeError(f"{type(error).__name__} in a worker")
    return error


def _start_worker() -> None:
    """One thread a process, and no life without the parent: a killed run must not leave workers behind."""
    import cv2

    cv2.setNumThreads(1)
    silence_libraries()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

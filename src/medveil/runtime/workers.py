"""One ordered, bounded map over processes, for work that is pure and heavy: decoding, drawing, cleaning."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from medveil.runtime.processes import Chunk, Job, Loss, crew_of
from medveil.runtime.threads import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_FLIGHT = 4  # chunks a worker may be ahead: bounds memory whatever the length of the input


class WorkerLost(RuntimeError):
    """A task was lost with its process, and nobody said what to do about it."""


class Runner(Protocol):
    """`ordered_map`, or what stands in for it on a cluster."""

    def __call__(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        workers: int | None = None,
        chunk: int = 8,
        crashed: Callable[[Item, Loss], Result] | None = None,
        limit: float | Callable[[Item], float] | None = None,
    ) -> Iterator[Result]: ...


def ordered_map(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    chunk: int = 8,
    crashed: Callable[[Item, Loss], Result] | None = None,
    limit: float | Callable[[Item], float] | None = None,
) -> Iterator[Result]:
    """Results in the order of the items. With one worker, and nothing that could be lost, all happens in this process.

    An item that kills its process (a decoder crashing on hostile bytes) twice, or takes more seconds than its `limit`,
    gets the result of `crashed`; without it, `WorkerLost` is raised.
    """
    workers = workers or available_cores()
    if workers == 1 and crashed is None and limit is None:
        yield from map(function, items)
        return
    source = iter(items)
    job = Job(function)
    waiting: deque[Chunk[Item]] = deque()
    with crew_of(workers) as crew:
        while True:
            while len(waiting) < workers * IN_FLIGHT and (batch := list(islice(source, chunk))):
                waiting.append(crew.submit(Chunk(job, batch, seconds_for(batch, limit))))
            if not waiting:
                return
            first = waiting.popleft()
            outcome = first.outcome.result()
            if isinstance(outcome, bytes):
                yield from pickle.loads(outcome)  # noqa: S301  (packed by this program's worker)
            elif len(first.items) > 1:  # each alone, so that only the culprit is lost
                alone = [Chunk(job, [item], seconds_for([item], limit)) for item in first.items]
                waiting.extendleft(reversed([crew.submit(one, first=True) for one in alone]))
            elif not first.again and outcome is not Loss.OVERDUE:  # it may have died of its neighbour's hunger
                waiting.appendleft(crew.submit(Chunk(job, first.items, first.seconds, again=True), first=True))
            elif crashed is None:
                raise WorkerLost(f"a worker was lost: {outcome}")
            else:
                yield crashed(first.items[0], outcome)


def seconds_for(items: Sequence[Item], limit: float | Callable[[Item], float] | None) -> float | None:
    """No more than one item may take: a chunk that is late is done again item by item, each with its own time."""
    if limit is None:
        return None
    return max(limit(item) if callable(limit) else limit for item in items)

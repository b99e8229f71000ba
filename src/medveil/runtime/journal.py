"""The journal of a release: one line an image, in order, so that a killed run goes on where it was.

A line holds pseudonyms, keyed digests, counts and the released row; nothing that leads back to a person
without the key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any, Protocol, TypeVar

from medveil.runtime.storage import told
from medveil.runtime.workers import ordered_map

Entry = dict[str, Any]
Task = TypeVar("Task", contravariant=True)


class Worker(Protocol[Task]):
    """Does one task and tells of it in a line; the earlier run's line where that still holds."""

    def __call__(self, task: tuple[Task, bytes | None], /) -> bytes: ...

    def crashed(self, task: tuple[Task, bytes | None], /) -> bytes:
        """The line of a task that killed its process."""
        ...


def journaled(
    path: Path, worker: Worker[Task], tasks: Iterable[Task], *, workers: int | None, chunk: int = 8
) -> Iterator[Entry]:
    """What came of each task, in order, noted as it comes."""
    journal = Journal(path)
    try:
        pairs = zip(tasks, journal.earlier_lines(), strict=False)
        for done in ordered_map(worker, pairs, workers=workers, chunk=chunk, crashed=worker.crashed):
            journal.record(done)
            yield json.loads(done)
        journal.finish()
    finally:
        journal.close()


def line(entry: Entry) -> bytes:
    return (json.dumps(entry, separators=(",", ":"), allow_nan=False, sort_keys=True) + "\n").encode()


def count(total: dict[str, int], more: dict[str, int]) -> None:
    for what, number in more.items():
        total[what] = total.get(what, 0) + number


class Journal:
    """Replays what an earlier run wrote and appends what is new; a line torn by a kill is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with told():
            path.touch()
            os.truncate(path, _last_newline(path))
        self._kept = 0  # bytes of the journal that this run has confirmed
        self._same = True  # so far, as the earlier run wrote it
        self._file = path.open("r+b")

    def earlier_lines(self) -> Iterator[bytes | None]:
        """The lines of the earlier run as long as they are confirmed, then None for ever."""
        with self.path.open("rb") as file:
            for line in file:
                if not self._same:
                    break
                yield line
        yield from repeat(None)

    def record(self, line: bytes) -> None:
        """Confirm the next line. Where it differs from the earlier run's, all that followed is void."""
        with told():
            self._file.seek(self._kept)
            if self._file.read(len(line)) != line:
                self._same = False
                self._file.seek(self._kept)
                self._file.truncate()
                self._file.write(line)
                self._file.flush()
        self._kept += len(line)

    def finish(self) -> None:
        """All lines are recorded; what an earlier, longer run wrote beyond them goes."""
        with told():
            self._file.truncate(self._kept)
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with told():
            self._file.close()


def _last_newline(path: Path) -> int:
    """Where the last whole line ends."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0

"""The journal of a run: what came of each task, by its id, so that the next run does only what is new or changed.

An entry holds pseudonyms, keyed digests, counts and released rows; nothing that leads back to a person without
the key. It lies in one SQLite file, with SQLite's own rollback journal: the faster write-ahead log needs memory shared
between processes, which network drives do not offer. A kill at any moment loses at most the last entries.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from medveil.errors import InputError, StorageError
from medveil.runtime.processes import Loss
from medveil.runtime.storage import atomic_path
from medveil.runtime.workers import Runner, ordered_map

Entry = dict[str, Any]
Task = TypeVar("Task", contravariant=True)

FILE = "journal.sqlite"
APPLICATION = 0x6D656476  # "medv", SQLite's mark of whose file it is
OFTEN = 0.25  # seconds between two commits, each of which waits for the disk


@dataclass(frozen=True)
class Noted:
    """What came of a task, and the digest of what it was made from, by which a later run sees whether it still holds.

    What is not lasting, such as a drive that did not answer, is told of this run and done anew by the next.
    """

    digest: str
    entry: Entry
    lasting: bool = True


class Worker(Protocol[Task]):
    """Does one task and tells what came of it; what the earlier run noted, where that still holds."""

    def name(self, task: Task, /) -> str:
        """The id of a task, the same in every run."""
        ...

    def __call__(self, task: tuple[Task, Noted | None], /) -> Noted: ...

    def crashed(self, task: tuple[Task, Noted | None], loss: Loss, /) -> Noted:
        """What is noted of a task that was lost with its process."""
        ...


def journaled(
    path: Path,
    worker: Worker[Task],
    tasks: Iterable[Task],
    *,
    workers: int | None,
    chunk: int = 8,
    limit: Callable[[Task], float] | None = None,
    runner: Runner | None = None,
) -> Iterator[Entry]:
    """What came of each task, in order, noted as it comes; at the end, what no task confirmed is dropped."""
    names: dict[int, str] = {}  # of the tasks on their way

    def pairs() -> Iterator[tuple[Task, Noted | None]]:
        for at, task in enumerate(tasks):
            names[at] = worker.name(task)
            yield task, journal.get(names[at])

    seconds = None if limit is None else lambda pair: limit(pair[0])
    with closing(Journal(path)) as journal:
        run = runner or ordered_map
        done = run(worker, pairs(), workers=workers, chunk=chunk, crashed=worker.crashed, limit=seconds)
        for at, noted in enumerate(done):
            journal.put(names.pop(at), noted)
            yield noted.entry
        journal.finish()


class Journal:
    """What earlier runs noted, by id, and what this one confirms of it or adds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _plainly(path):
            self._rows = sqlite3.connect(path, isolation_level=None)
            self._rows.execute("PRAGMA synchronous = FULL")
            self._begin()
            if not self._value("PRAGMA application_id"):
                self._rows.execute(f"PRAGMA application_id = {APPLICATION}")
                self._rows.execute(
                    "CREATE TABLE noted (id TEXT PRIMARY KEY, digest TEXT NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID"
                )
            self._rows.execute("SELECT id FROM noted LIMIT 0")
        self._confirmed: set[str] = set()

    def get(self, name: str) -> Noted | None:
        with _plainly(self.path):
            row = self._rows.execute("SELECT digest, entry FROM noted WHERE id = ?", (name,)).fetchone()
            return row and Noted(row[0], json.loads(row[1]))

    def put(self, name: str, noted: Noted) -> None:
        """What is there already is confirmed, and nothing written: a second run changes nothing."""
        with _plainly(self.path):
            if not noted.lasting:
                self._rows.execute("DELETE FROM noted WHERE id = ?", (name,))
            else:
                self._confirmed.add(name)
                if self.get(name) != noted:
                    row = name, noted.digest, _json(noted.entry)
                    self._rows.execute("INSERT OR REPLACE INTO noted VALUES (?, ?, ?)", row)
            if time.monotonic() - self._began > OFTEN:
                self._rows.execute("COMMIT")
                self._begin()

    def finish(self) -> None:
        """Every task is noted; what only earlier runs knew goes.

        The file is written anew if anything changed: its bytes then tell what it says, and not in which order it came.
        """
        with _plainly(self.path):
            gone = [row for row in self._rows.execute("SELECT id FROM noted") if row[0] not in self._confirmed]
            self._rows.executemany("DELETE FROM noted WHERE id = ?", gone)
            self._rows.execute("COMMIT")
            if self._rows.total_changes:
                self._rows.execute("PRAGMA schema_version = 1")  # it counts how often the file was written anew
                with atomic_path(self.path) as anew:
                    self._rows.execute("VACUUM INTO ?", (str(anew),))
            self._begin()

    def close(self) -> None:
        with _plainly(self.path):
            try:
                self._rows.execute("COMMIT")
            finally:
                self._rows.close()
        # committed, so what a killed run may have left beside it is of no use any more
        self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)

    def _begin(self) -> None:
        self._rows.execute("BEGIN IMMEDIATE")
        self._began = time.monotonic()

    def _value(self, query: str) -> Any:
        return self._rows.execute(query).fetchone()[0]


def noted_in(path: Path) -> Iterator[tuple[str, Noted]]:
    """What a journal holds, in the order of the ids."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as rows:
            for name, digest, entry in rows.execute("SELECT id, digest, entry FROM noted ORDER BY id"):
                yield name, Noted(digest, json.loads(entry))
    except (sqlite3.Error, ValueError):
        raise InputError(f"{path} cannot be read; bring it back, or start in a new folder") from None


def journal_sha256(path: Path) -> str:
    """Of what a journal says: the bytes of a database also tell in which order it was written."""
    digest = sha256()
    for name, noted in noted_in(path):
        digest.update(f"{_json([name, noted.digest, noted.entry])}\n".encode())
    return digest.hexdigest()


def count(total: dict[str, int], more: dict[str, int]) -> None:
    for what, number in more.items():
        total[what] = total.get(what, 0) + number


def _json(entry: Any) -> str:
    return json.dumps(entry, separators=(",", ":"), allow_nan=False, sort_keys=True)


@contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """Turn SQLite's refusals into one plain sentence."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        match code:
            case sqlite3.SQLITE_FULL:
                raise StorageError("the disk is full; free some space and run the same command again") from None
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                raise StorageError(
                    "the output cannot be written there; choose another place or change its permissions"
                ) from None
            case sqlite3.SQLITE_IOERR:
                raise StorageError(f"{path} cannot be written; run the same command again") from None
            case sqlite3.SQLITE_BUSY:
                raise InputError(f"another run is at work on {path}; wait for it") from None
        raise InputError(f"{path} cannot be read; bring it back, or start in a new folder") from None
    except json.JSONDecodeError:
        raise InputError(f"{path} cannot be read; bring it back, or start in a new folder") from None

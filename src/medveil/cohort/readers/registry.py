"""Dataset readers and how they register: each recognises its folder by a few file names and reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from medveil.cohort.cohort import Cohort

Progress = Callable[[int, int], None]  # how many are done, of how many


class Reader(Protocol):
    """Reads one layout."""

    name: str
    title: str

    def recognises(self, path: Path) -> bool: ...

    def read(self, path: Path, *, progress: Progress | None = None) -> Cohort: ...


_READERS: dict[str, Reader] = {}
ReaderClass = TypeVar("ReaderClass", bound=type[Reader])


def register(reader: ReaderClass) -> ReaderClass:
    """Class decorator: make a reader known by its name."""
    if reader.name in _READERS:
        raise ValueError(f"two readers call themselves {reader.name!r}")
    _READERS[reader.name] = reader()
    return reader


def readers() -> dict[str, Reader]:
    """Every reader by name, in the order they are asked."""
    return dict(sorted(_READERS.items()))

"""Writing so that nothing is lost: files appear whole by atomic rename, or not at all."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any

from medveil.errors import StorageError

TEMPORARY = ".partial"


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path to write; on leaving, it is flushed to disk and renamed to `path`."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with told():
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            with temporary.open("r+b") as written:  # Windows flushes only what is open for writing
                os.fsync(written.fileno())
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a whole file; a private one can be read by its owner only, from the first byte on."""
    with atomic_path(path) as temporary:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if private else 0o644)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)


def write_json(path: Path, content: Any) -> None:
    """UTF-8 JSON, sorted by the writer's own order, refusing NaN."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode())


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def refuse_unwritable(path: Path, what: str) -> None:
    """Before the work: whether a file can be written there. Nothing is left behind by the trial."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    try:
        if path.is_dir():
            raise IsADirectoryError
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        raise StorageError(
            f"{what} cannot be written to {path}; choose another place or change its permissions"
        ) from None


def sweep(folder: Path) -> None:
    """Remove what a killed run left half-written, and what SQLite keeps beside a file while it writes it."""
    for ending in (TEMPORARY, f"{TEMPORARY}-journal"):
        for leftover in Path(folder).rglob(f".*{ending}"):
            leftover.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Refuse before the work what could not be written after it."""
    with told():
        ancestor = next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.exists())
        if not ancestor.is_dir() and ancestor != path.absolute():
            raise NotADirectoryError(errno.ENOTDIR, "a file")
        if not os.access(ancestor, os.W_OK):
            raise PermissionError(errno.EACCES, "read-only")


def make_folder(path: Path, *, private: bool = False) -> None:
    """With its parents, unless it is there; a private one can be entered by its owner only."""
    with told():
        try:
            path.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, "a file") from None


@contextmanager
def told() -> Iterator[None]:
    """Turn the operating system's refusal to write into one plain sentence."""
    try:
        yield
    except OSError as error:
        match error.errno:
            case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
                raise StorageError("the disk is full; free some space and run the same command again") from None
            case errno.EACCES | errno.EPERM | errno.EROFS:
                raise StorageError(
                    "the output cannot be written there; choose another place or change its permissions"
                ) from None
            case errno.ENOENT:
                raise StorageError("the output cannot be created there; choose another place") from None
            case errno.ENOTDIR:
                raise StorageError("part of the output path is a file; choose another place") from None
        raise

"""Locks between processes, on systems that have them; a lock goes with its process, however that ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medveil.runtime.storage import told


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold a file or a folder. Raises BlockingIOError where another process holds it and `wait` is not set.

    On Windows a folder cannot be opened, and so not be locked; there, and on file systems without locks, nothing is
    held.
    """
    if sys.platform == "win32" and path.is_dir():
        yield
        return
    with told():
        descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, wait=wait)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:
            pass  # a file system without locks

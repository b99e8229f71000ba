"""Errors that no file is to blame for and may be gone in a moment: a drive that does not answer, no memory left."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_PASSING = frozenset(
    number
    for name in (
        "EAGAIN EBUSY ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH EINTR EIO EMFILE ENETDOWN "
        "ENETRESET ENETUNREACH ENFILE ENOBUFS ENOLCK ENOMEM ENOTCONN EREMOTEIO ESTALE ETIMEDOUT"
    ).split()
    if (number := getattr(errno, name, None)) is not None
)


def is_transient(error: BaseException | None) -> bool:
    """Whether this error, or one it was raised in place of, may be gone in a moment."""
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _PASSING):
            return True
        error = error.__cause__ or error.__context__
    return False


def tried_again(function: Callable[[], Result], *, tries: int = 3, pause: float = 0.5) -> Result:
    """What the function gives; where an error may be gone in a moment, it is asked again, after longer each time."""
    for wait in (pause * 2**nth for nth in range(tries - 1)):
        try:
            return function()
        except Exception as error:
            if not is_transient(error):
                raise
        time.sleep(wait)
    return function()

"""The errors medveil raises on purpose: what happened, where, and what to do next, in one sentence.

A message may name a path the user typed, a row number or a column, never a value found in the data:
file names inside a folder, identifiers and report text stay out.
"""

import errno


class MedveilError(Exception):
    """Something the user can put right; the command line prints it without a traceback and exits with 2."""

    exit_code = 2


class InputError(MedveilError):
    """A file, folder or table that cannot be used as it is."""


class SettingsError(MedveilError):
    """A flag or a settings file that does not make sense."""


class StorageError(MedveilError):
    """Output that could not be written: disk full, no permission."""


class Quarantined(MedveilError):
    """One image or report that could not be read, checked or cleaned, and so must not be released.

    `reason` is a short fixed phrase, the same for every case of its kind, so that it can be counted.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unavailable(Quarantined):
    """Withheld for the moment only: a share that does not answer, too little memory. It is worth another try."""

    def __init__(self, error: BaseException | str) -> None:
        kind = error if isinstance(error, str) else type(error).__name__
        super().__init__(kind if kind.startswith("unavailable") else f"unavailable at the moment ({kind})")


_TRANSIENT = frozenset(
    getattr(errno, name)
    for name in (
        "EIO ETIMEDOUT ESTALE EAGAIN EBUSY EINTR ENOMEM ENFILE EMFILE ECONNRESET ECONNABORTED ENOTCONN EHOSTDOWN "
        "EHOSTUNREACH ENETDOWN ENETUNREACH EREMOTEIO"
    ).split()
    if hasattr(errno, name)
)


def is_transient(error: BaseException) -> bool:
    """Whether the same may succeed another time: the fault of a disk, a network or a crowded machine."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _TRANSIENT)


class NotMeasurable(MedveilError):
    """A cohort on which this attack or measure has nothing to work with, such as one image a patient."""

from __future__ import annotations

import errno

import pytest

from medveil.cohort.dicom.opening import quarantining
from medveil.errors import Quarantined
from medveil.runtime.transient import is_transient, tried_again


def test_a_drive_that_does_not_answer_passes_a_missing_file_does_not() -> None:
    assert is_transient(OSError(errno.EIO, "no"))
    assert is_transient(OSError(errno.ESTALE, "no"))
    assert is_transient(MemoryError())
    assert not is_transient(FileNotFoundError(errno.ENOENT, "no"))
    assert not is_transient(ValueError())


def test_the_reason_of_a_quarantine_is_seen_through() -> None:
    with pytest.raises(Quarantined) as withheld, quarantining("unreadable"):
        raise OSError(errno.EIO, "no")
    assert is_transient(withheld.value)
    with pytest.raises(Quarantined) as withheld, quarantining("unreadable"):
        raise ValueError
    assert not is_transient(withheld.value)


class Sometimes:
    def __init__(self, *outcomes: Exception | int) -> None:
        self.outcomes = list(outcomes)

    def __call__(self) -> int:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def test_what_may_pass_is_asked_again_and_nothing_else() -> None:
    busy = OSError(errno.EBUSY, "no")
    assert tried_again(Sometimes(busy, busy, 3), pause=0) == 3
    with pytest.raises(OSError, match="no"):
        tried_again(Sometimes(busy, busy, busy, 4), pause=0)
    with pytest.raises(ZeroDivisionError):
        tried_again(Sometimes(ZeroDivisionError(), 2), pause=0)

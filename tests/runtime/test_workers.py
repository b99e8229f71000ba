from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool

import psutil
import pytest

from medveil.runtime.workers import ordered_map


def square(x: int) -> int:
    return x * x


def fail_at_seven(x: int) -> int:
    if x == 7:
        raise ValueError("seven")
    return x


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    assert list(ordered_map(square, range(100), workers=workers, chunk=3)) == [x * x for x in range(100)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_reaches_the_caller_in_its_place(workers: int) -> None:
    got = []
    with pytest.raises(ValueError, match="seven"):
        for value in ordered_map(fail_at_seven, range(20), workers=workers, chunk=1):
            got.append(value)
    assert got == list(range(7))


def crash_at_seven(x: int) -> int:
    if x == 7:
        os.kill(os.getpid(), signal.SIGSEGV)
    return x


def minus(x: int) -> int:
    return -x


def test_only_the_item_that_kills_its_process_is_lost() -> None:
    got = list(ordered_map(crash_at_seven, range(20), workers=2, chunk=4, crashed=minus))
    assert got == [-x if x == 7 else x for x in range(20)]


def test_a_crash_is_raised_where_nobody_asked_for_it() -> None:
    with pytest.raises(BrokenProcessPool):
        list(ordered_map(crash_at_seven, range(20), workers=2, chunk=4))


def test_only_a_bounded_number_of_items_is_taken_ahead() -> None:
    taken = []

    def items() -> Iterator[int]:
        for x in range(10_000):
            taken.append(x)
            yield x

    results = ordered_map(square, items(), workers=2, chunk=2)
    next(results)
    assert len(taken) <= 2 * 2 * 5
    results.close()  # type: ignore[attr-defined]


def test_workers_die_with_a_killed_parent() -> None:
    code = (
        "import time; from medveil.runtime.workers import ordered_map\n"
        "if __name__ == '__main__':\n"
        "    for x in ordered_map(time.sleep, [0, 0, 60, 60], workers=2, chunk=1): print('up', flush=True)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout
    parent.stdout.readline()
    children = psutil.Process(parent.pid).children(recursive=True)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while any(child.is_running() and child.status() != "zombie" for child in children):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.1)

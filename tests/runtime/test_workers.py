from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from medveil.runtime.processes import Loss
from medveil.runtime.workers import WorkerLost, ordered_map


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


def minus(x: int, loss: Loss) -> int:
    return -x


def text(x: int, loss: Loss) -> str:
    return f"{x} {loss}"


def test_only_the_item_that_kills_its_process_is_lost() -> None:
    got = list(ordered_map(crash_at_seven, range(20), workers=2, chunk=4, crashed=minus))
    assert got == [-x if x == 7 else x for x in range(20)]


def test_a_crash_is_raised_where_nobody_asked_for_it() -> None:
    with pytest.raises(WorkerLost):
        list(ordered_map(crash_at_seven, range(20), workers=2, chunk=4))


def test_a_worker_that_dies_while_the_consumer_is_busy_costs_its_item_only() -> None:
    got = []
    for x in ordered_map(crash_at_seven, range(40), workers=2, chunk=1, crashed=minus):
        if not got:
            time.sleep(1)  # in which the seventh, already on its way, kills its process
        got.append(x)
    assert got == [-x if x == 7 else x for x in range(40)]


def test_one_worker_is_a_process_too_where_something_could_be_lost() -> None:
    got = list(ordered_map(crash_at_seven, range(9), workers=1, chunk=4, crashed=minus))
    assert got == [-x if x == 7 else x for x in range(9)]


def test_a_loss_tells_its_kind() -> None:
    found = list(ordered_map(lose, [0, 1, 2, 3], workers=2, chunk=4, crashed=text, limit=0.7))
    assert found == ["0", "1 crashed the decoder", "2 its process was killed", "3 took too long"]
    assert [loss.lasting for loss in (Loss.CRASHED, Loss.KILLED, Loss.OVERDUE)] == [True, False, False]


def lose(x: int) -> str:
    if x == 1:
        os.kill(os.getpid(), signal.SIGABRT)
    if x == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if x == 3:
        time.sleep(600)
    return str(x)


def test_a_limit_may_depend_on_the_item() -> None:
    waits = [0.0, 600.0, 1.0]
    found = list(ordered_map(wait, waits, workers=2, chunk=1, crashed=text, limit=lambda x: 20 if x < 2 else 0.5))
    assert found == ["0.0", "600.0 took too long", "1.0"]


def wait(x: float) -> str:
    time.sleep(x)
    return str(x)


def dies_once(flag: Path) -> str:
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def test_a_death_that_does_not_come_again_costs_nothing(tmp_path: Path) -> None:
    assert list(ordered_map(dies_once, [tmp_path / "flag"], workers=1, chunk=1, crashed=text)) == ["lived"]


def pid(x: int) -> int:
    return os.getpid()


def test_workers_are_kept_for_the_next_call_and_one_that_died_meanwhile_is_replaced() -> None:
    (first,) = set(ordered_map(pid, range(3), workers=1, chunk=1, crashed=minus))
    assert set(ordered_map(pid, range(3), workers=1, chunk=1, crashed=minus)) == {first} != {os.getpid()}
    os.kill(first, signal.SIGKILL)
    while psutil.pid_exists(first) and psutil.Process(first).status() != "zombie":
        time.sleep(0.01)
    (second,) = set(ordered_map(pid, range(3), workers=1, chunk=1, crashed=minus))
    assert second > 0
    assert second not in (first, os.getpid())


def test_the_crew_used_last_is_taken_first() -> None:
    one, other = (ordered_map(pid, range(3), workers=1, chunk=1, crashed=minus) for _ in range(2))
    pids = [next(one), next(other)]  # two at a time, so two crews are kept
    list(one)
    (last,) = set(other)
    assert last == pids[1] != pids[0]
    assert [set(ordered_map(pid, range(3), workers=1, chunk=1, crashed=minus)) for _ in range(2)] == [{last}] * 2


def surroundings(name: str) -> tuple[str | None, str, str | None]:
    return os.environ.get(name), str(Path.cwd()), os.environ.get("OMP_NUM_THREADS")


def test_kept_workers_see_this_call_s_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(ordered_map(surroundings, ["SOMETHING"], workers=2))
    monkeypatch.setenv("SOMETHING", "new")
    monkeypatch.chdir(tmp_path)
    assert list(ordered_map(surroundings, ["SOMETHING"], workers=2)) == [("new", str(tmp_path), "1")]


class Unsendable(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("only one argument is kept")


def raise_unsendable(x: int) -> int:
    raise Unsendable(1, 2)


def test_an_error_that_cannot_travel_is_still_an_error() -> None:
    with pytest.raises(RuntimeError, match="Unsendable in a worker"):
        list(ordered_map(raise_unsendable, range(3), workers=2))


def test_a_result_that_cannot_travel_is_an_error() -> None:
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        list(ordered_map(unsendable_result, range(3), workers=2, crashed=minus))


def unsendable_result(x: int) -> Any:
    return lambda: x


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


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_parent(ending: signal.Signals) -> None:
    code = (  # started in the background, a shell's children ignore the signal
        "import signal, time; from medveil.runtime.workers import ordered_map\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "if __name__ == '__main__':\n"
        "    for x in ordered_map(time.sleep, [1, 1, 60, 60], workers=2, chunk=1): print('up', flush=True)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert parent.stdout
    for _ in range(2):  # so that both workers are up, one of which could else be caught while it starts
        parent.stdout.readline()
    children = psutil.Process(parent.pid).children(recursive=True)
    if ending is signal.SIGINT:  # as a terminal does: to all of them
        os.killpg(parent.pid, ending)
    else:
        parent.send_signal(ending)
    _, told = parent.communicate()
    assert told.count(b"KeyboardInterrupt") == (ending is signal.SIGINT)  # the workers say nothing of it
    deadline = time.monotonic() + 20
    while any(child.is_running() and child.status() != "zombie" for child in children):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.1)


def test_a_script_that_guards_nothing_is_told_so(tmp_path: Path) -> None:
    """Its workers run it again instead of working; no item is to blame for that."""
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from medveil.runtime.workers import ordered_map\n"
        "from medveil.errors import SettingsError\n"
        "try:\n"
        "    print(list(ordered_map(str, range(4), workers=2, chunk=1, crashed=lambda item, loss: 'blamed')))\n"
        "except SettingsError as told:\n"
        "    print(told)\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=240)
    assert "blamed" not in ran.stdout
    assert "a script that calls medveil must do so below" in ran.stdout

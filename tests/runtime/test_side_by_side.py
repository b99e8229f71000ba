"""Tasks side by side: in order, never more than the cores, one thread each, and ended together."""

import threading
import time
from concurrent.futures import CancelledError
from functools import partial

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from medveil.runtime.side_by_side import heeding, left_at_work, side_by_side
from medveil.runtime.threads import available_cores, one_torch_thread


class Counted:
    """How many are at work at once, at most."""

    def __init__(self) -> None:
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def __enter__(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.now -= 1


def test_results_come_in_the_order_of_the_tasks() -> None:
    later = threading.Event()

    def first() -> str:
        assert later.wait(60)
        return "first"

    def second() -> str:
        later.set()
        return "second"

    assert side_by_side([first, second], workers=2) == ["first", "second"]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_tasks_of_tasks_take_no_more_cores_than_there_are(workers: int) -> None:
    counted, pause = Counted(), threading.Event()

    def leaf(number: int) -> int:
        with counted:
            pause.wait(0.01)
        return number

    def branch(number: int) -> list[int]:
        return side_by_side([partial(leaf, 10 * number + each) for each in range(4)])

    found = side_by_side([partial(branch, number) for number in range(3)], workers=workers)
    assert found == [[10 * number + each for each in range(4)] for number in range(3)]
    assert 1 <= counted.most <= workers


def test_a_core_that_waits_for_the_tasks_of_a_task_is_used_meanwhile() -> None:
    met = threading.Barrier(2, timeout=60)

    def branch() -> list[int]:
        return side_by_side([met.wait, met.wait])

    found = side_by_side([branch, lambda: [2]], workers=2)
    assert (sorted(found[0]), found[1]) == ([0, 1], [2])


def test_each_has_one_thread_and_they_come_back() -> None:
    before = torch.get_num_threads(), [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    def threads() -> tuple[int, set[int]]:
        with one_torch_thread():
            pass  # what asks for it inside does not give the others' threads back
        blas = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
        return torch.get_num_threads(), blas

    assert side_by_side([threads] * 3, workers=2) == [(1, {1})] * 3
    assert before == (
        torch.get_num_threads(),
        [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"],
    )


@pytest.mark.parametrize(("workers", "tasks", "share"), [(1, 3, 1), (2, 3, 1), (8, 3, 2), (8, 1, 8)])
def test_cores_are_shared_out(workers: int, tasks: int, share: int) -> None:
    cores = available_cores()
    assert side_by_side([available_cores] * tasks, workers=workers) == [share] * tasks
    assert available_cores() == cores


def test_numbers_do_not_depend_on_how_many_run_at_once() -> None:
    numbers = np.random.default_rng(0).standard_normal((60, 300, 200)).astype(np.float32)

    def product(matrix: np.ndarray) -> bytes:
        return bytes((torch.from_numpy(matrix).T @ torch.from_numpy(matrix)).numpy().tobytes())

    tasks = [partial(product, matrix) for matrix in numbers]
    assert side_by_side(tasks, workers=1) == side_by_side(tasks, workers=2)


def test_where_one_fails_the_others_end_and_its_error_is_raised() -> None:
    started, told = threading.Event(), heeding(lambda done: None)

    def endless() -> None:
        while True:
            started.set()
            told(1)

    def failing() -> None:
        assert started.wait(60)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side([partial(side_by_side, [endless, endless]), failing], workers=3)


def test_what_is_not_begun_is_left_out_where_one_fails() -> None:
    done = []

    def failing() -> None:
        raise ValueError

    with pytest.raises(ValueError):
        side_by_side([failing, lambda: done.append(1)], workers=1)
    assert not done


def test_the_first_is_done_by_the_thread_that_calls() -> None:
    for _ in range(20):
        assert side_by_side([threading.get_ident] * 4, workers=4)[0] == threading.get_ident()


def test_an_interrupt_does_not_wait_for_the_others() -> None:
    started, enough, told = threading.Event(), threading.Event(), heeding(lambda done: None)

    def interrupted() -> None:
        assert started.wait(60)
        raise KeyboardInterrupt

    def long() -> None:
        started.set()
        assert enough.wait(60)
        told(1)
        pytest.fail("it was told to end")

    with pytest.raises(KeyboardInterrupt):
        side_by_side([interrupted, long], workers=2)
    assert left_at_work()
    enough.set()
    for _ in range(600):
        if not left_at_work():
            return
        time.sleep(0.1)
    pytest.fail("a thread stayed at work")


def test_nothing_to_do() -> None:
    assert side_by_side([]) == []


def test_progress_is_told_where_nobody_has_failed() -> None:
    told = []
    heeding(told.append)(1)
    assert told == [1]
    assert issubclass(CancelledError, Exception)

"""Another thread at work meanwhile: its result comes, and it ends where this one fails."""

import threading

import pytest

from medveil.runtime.meanwhile import Progress, load_meanwhile, meanwhile


def silent(stage: str, done: int, total: int) -> None: ...


def test_both_are_at_work_at_once() -> None:
    here, there = threading.Event(), threading.Event()

    def task(*, progress: Progress) -> str:
        there.set()
        assert here.wait(60)
        progress("task", 1, 1)
        return "done"

    told = []
    with meanwhile(task, lambda *step: told.append(step)) as result:
        assert there.wait(60)
        here.set()
        assert result.result() == "done"
    assert told == [("task", 1, 1)]


def test_what_the_task_raises_is_raised_to_who_asks() -> None:
    def task(*, progress: Progress) -> None:
        raise ValueError("no")

    with meanwhile(task, silent) as result, pytest.raises(ValueError, match="no"):
        result.result()


def test_the_task_ends_where_the_body_fails() -> None:
    started = threading.Event()

    def task(*, progress: Progress) -> None:
        while True:  # for ever, unless its progress stops it
            started.set()
            progress("task", 0, 1)

    with pytest.raises(KeyboardInterrupt), meanwhile(task, silent):
        assert started.wait(60)
        raise KeyboardInterrupt


def test_modules_are_there_for_whoever_needs_them() -> None:
    load_meanwhile("colorsys")
    import colorsys

    assert colorsys.rgb_to_hsv(0, 0, 0) == (0, 0, 0)

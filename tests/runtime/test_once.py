"""Loading once: the same object for everybody, and one load however many threads ask first."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from medveil.runtime.once import MadeOnce, once


def test_threads_that_ask_first_share_one_load() -> None:
    loads: list[str] = []
    gate = threading.Barrier(4)

    @once
    def load(name: str) -> object:
        loads.append(name)
        time.sleep(0.05)
        return object()

    def ask(_: int) -> object:
        gate.wait()
        return load("network")

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert loads == ["network"]
    assert all(one is found[0] for one in found)
    assert load("another") is not found[0]


def test_of_several_threads_one_makes_what_a_key_stands_for() -> None:
    made, kept = [], MadeOnce[str]()

    def make(key: str) -> str:
        made.append(key)
        time.sleep(0.01)
        return key.upper()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda key: kept.get(key, lambda: make(key)), "abab"))
    assert found == ["A", "B", "A", "B"]
    assert sorted(made) == ["a", "b"]


def test_what_could_not_be_made_is_tried_again() -> None:
    kept = MadeOnce[int]()
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)
    assert kept.get("key", lambda: 1) == 1

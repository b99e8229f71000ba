"""Loading once: the same object for everybody, and one load however many threads ask first."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from medveil.runtime.once import once


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

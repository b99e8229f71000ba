"""Training data drawn by processes of their own while a network trains, and kept on its device.

New items take the place of old ones; each is used a few times meanwhile.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Drawn = TypeVar("Drawn", bound=tuple[NDArray[np.uint8], ...])
Task = tuple[int, int]  # seed and number


class Factory(Generic[Drawn]):
    """Calls `draw` for one task after another; `begin` prepares each process. Made before the device is touched, for
    it forks."""

    def __init__(
        self,
        draw: Callable[[Task], Drawn],
        begin: Callable[..., None],
        given: tuple[Any, ...],
        *,
        workers: int,
        seed: int,
    ) -> None:
        self._pool = multiprocessing.get_context("fork").Pool(workers, begin, given)
        self._room = threading.Semaphore(4 * workers)
        self._seed = seed
        self._done = self._pool.imap_unordered(draw, self._tasks())

    def _tasks(self) -> Iterator[Task]:
        number = 0
        while True:
            self._room.acquire()
            yield self._seed, number
            number += 1

    def __next__(self) -> Drawn:
        drawn: Drawn = next(self._done)
        self._room.release()
        return drawn

    def fill(self, stock: Stock, least: int) -> None:
        """Go on filling the stock, and come back when there is enough to start with."""

        def work() -> None:
            while True:
                stock.put(*next(self))

        threading.Thread(target=work, daemon=True).start()
        while stock.count < least:
            time.sleep(0.1)

    def stop(self) -> None:
        """End the workers: the generator of tasks waits for ever, and so would the pool's own end."""
        for process in multiprocessing.active_children():
            process.kill()
        sys.stdout.flush()
        os._exit(0)


class Stock:
    """Items on the device: several arrays, a row each an item."""

    def __init__(self, room: int, shapes: tuple[tuple[int, ...], ...], device: str) -> None:
        self.room = room
        self.parts = [torch.zeros(room, *shape, dtype=torch.uint8, device=device) for shape in shapes]
        self.count = 0

    def put(self, *parts: NDArray[np.uint8]) -> None:
        at = self.count % self.room
        for kept, new in zip(self.parts, parts, strict=True):
            kept[at : at + len(new)] = torch.from_numpy(new).to(kept.device)
        self.count += len(parts[0])

    def draw(self, count: int, generator: torch.Generator | None = None) -> list[Tensor]:
        rows = torch.randint(min(self.count, self.room), (count,), generator=generator).to(self.parts[0].device)
        return [part[rows] for part in self.parts]

"""The same ordered map on a Ray cluster: the tasks of a run on many machines, with the bytes and the order of one.

Every machine must see the folders of the run under the same paths. A machine that goes costs a retry of what it was at.
Work is kept in memory: a cluster started here spills nothing to disk and reports nothing to anybody.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from medveil.errors import InputError, MedveilError, NotMeasurable, SettingsError
from medveil.runtime.processes import Loss
from medveil.runtime.workers import IN_FLIGHT, Runner, WorkerLost, ordered_map, seconds_for

Item = TypeVar("Item")
Result = TypeVar("Result")

RETRIES = 5  # machines that may go, one after another, with the same task


@contextmanager
def runner_on(cluster: bool, *shared: Path) -> Iterator[Runner]:
    """The runner of a run: the processes of this machine, or a Ray cluster for as long as the block lasts.

    `shared` are the folders that every machine must see.
    """
    if not cluster:
        yield ordered_map
        return
    with ray_cluster() as ray:
        yield RayRunner(ray, tuple(str(path.resolve()) for path in shared))


@contextmanager
def ray_cluster() -> Iterator[Any]:
    """Ray, connected. A cluster that already runs is used, and left running."""
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise SettingsError('ray is needed and not installed; run `pip install "medveil[cluster]"`') from None
    started = not ray.is_initialized()
    if started:
        _start(ray)
    try:
        yield ray
    finally:
        if started:
            with _quietly():
                ray.shutdown()
                gc.collect()


@dataclass(frozen=True)
class RayRunner:
    """`ordered_map` with Ray's tasks for processes; each does its items in a process of its own, as on one machine."""

    ray: Any
    shared: tuple[str, ...] = ()
    needs: Mapping[str, float] = field(default_factory=lambda: {"num_cpus": 1})  # of one task

    def __call__(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        workers: int | None = None,
        chunk: int = 8,
        crashed: Callable[[Item, Loss], Result] | None = None,
        limit: float | Callable[[Item], float] | None = None,
    ) -> Iterator[Result]:
        # once for all tasks, by reference; of whatever kind the caller's own modules are
        job = self.ray.put(_Job(uuid4().hex, self.ray.cloudpickle.dumps(function), self.shared, str(Path.cwd())))
        task = self.ray.remote(_run_task).options(max_retries=RETRIES, **self.needs)
        ahead = workers or self.places() * IN_FLIGHT
        source = iter(items)
        waiting: deque[tuple[list[Item], Any]] = deque()
        try:
            while True:
                while len(waiting) < ahead and (batch := list(islice(source, chunk))):
                    waiting.append((batch, task.remote(job, batch, seconds_for(batch, limit))))
                if not waiting:
                    return
                batch, running = waiting.popleft()
                for item, result in zip(batch, pickle.loads(self._got(running)), strict=True):  # noqa: S301  (our own)
                    if not isinstance(result, _Lost):
                        yield result
                    elif crashed is None:
                        raise WorkerLost(f"a worker was lost: {result.loss}")
                    else:
                        yield crashed(item, result.loss)
        finally:
            for _, running in waiting:
                self.ray.cancel(running, force=True)

    def places(self) -> int:
        """How many tasks the cluster can run at once."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        kinds = {"num_cpus": "CPU", "num_gpus": "GPU"}
        most = sum(
            min(int(node.get(kinds[kind], 0) // number) for kind, number in self.needs.items()) for node in nodes
        )
        if not most:
            raise NotMeasurable("the Ray cluster has no room for the work; give it more cores or choose another device")
        return most

    def _got(self, running: Any) -> bytes:
        try:
            return bytes(self.ray.get(running))
        except self.ray.exceptions.RayTaskError as failed:
            if isinstance(failed.cause, MedveilError):
                raise failed.cause from None
            raise
        except self.ray.exceptions.RayError:
            raise MedveilError(
                "the Ray cluster lost too many machines; start it again and run the same command, which continues"
            ) from None


@dataclass(frozen=True)
class _Job:
    name: str
    function: bytes
    shared: tuple[str, ...]
    here: str


@dataclass(frozen=True)
class _Lost:
    loss: Loss


_job: tuple[str, Callable[[Any], Any]] = ("", repr)


def _run_task(job: _Job, items: list[Any], seconds: float | None) -> bytes:
    """On some machine of the cluster; the process that does the work is kept for the next task."""
    global _job
    if _job[0] != job.name:
        if any(not Path(folder).exists() for folder in (*job.shared, job.here)):
            raise InputError(
                "not every machine of the cluster sees the folders of this run; share them, under one path"
            )
        os.chdir(job.here)
        _job = job.name, pickle.loads(job.function)  # noqa: S301  (packed by this program)
    results = ordered_map(_job[1], items, workers=1, chunk=len(items), crashed=_lost, limit=seconds)
    return pickle.dumps(list(results), pickle.HIGHEST_PROTOCOL)


def _lost(item: Any, loss: Loss) -> Any:
    return _Lost(loss)


def _start(ray: Any) -> None:
    """Join the cluster that RAY_ADDRESS names, or start one of this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own = {"address": "local", "_system_config": {"automatic_object_spilling_enabled": False}}
    with _quietly():
        ray.init(
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            **({} if "RAY_ADDRESS" in os.environ else own),
        )


@contextmanager
def _quietly() -> Iterator[None]:
    """Ray leaves files open while it starts and stops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

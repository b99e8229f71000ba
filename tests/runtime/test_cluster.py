from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medveil.errors import InputError, SettingsError
from medveil.runtime.cluster import RayRunner, ray_cluster, runner_on
from medveil.runtime.processes import Loss
from medveil.runtime.workers import WorkerLost, ordered_map

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Any]:
    """Two machines of a cluster, on this one."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = pytest.importorskip("ray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        second = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        yield cluster, second
        ray.shutdown()
        cluster.shutdown()


def odd(x: int) -> str:
    if x == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
    if x == 6:
        time.sleep(600)
    return f"{x} of {Path.cwd().name}"


def told(x: int, loss: Loss) -> str:
    return f"{x} {loss}"


def refuse(x: int) -> int:
    raise SettingsError("there is no such model")


def test_results_are_those_of_one_machine(two_nodes: Any, tmp_path: Path) -> None:
    here = list(ordered_map(odd, range(12), workers=1, chunk=3, crashed=told, limit=5))
    assert here[5:7] == ["5 crashed the decoder", "6 took too long"]
    with runner_on(True, tmp_path) as runner:
        assert list(runner(odd, range(12), chunk=3, crashed=told, limit=5)) == here
        with pytest.raises(WorkerLost):
            list(runner(odd, [5]))
        with pytest.raises(SettingsError, match=r"\Athere is no such model\Z"):
            list(runner(refuse, range(3)))


def test_a_folder_that_a_machine_does_not_see_is_refused(two_nodes: Any, tmp_path: Path) -> None:
    with runner_on(True, tmp_path / "nowhere") as runner, pytest.raises(InputError, match="not every machine"):
        list(runner(odd, range(3), crashed=told))


def slowly(x: int) -> int:
    time.sleep(0.5)
    return -x


def test_a_machine_that_goes_costs_a_retry(two_nodes: Any) -> None:
    """Last: the second machine is gone after it."""
    cluster, second = two_nodes
    with ray_cluster() as ray:
        assert RayRunner(ray).places() == 2
        got = []
        for result in RayRunner(ray)(slowly, range(16), chunk=1, crashed=told):
            got.append(result)
            if len(got) == 3:
                cluster.remove_node(second, allow_graceful=False)
        assert got == [-x for x in range(16)]
        for _ in range(240):  # Ray notices a lost machine in its own time
            if RayRunner(ray).places() == 1:
                break
            time.sleep(0.5)
        assert RayRunner(ray).places() == 1


def test_without_a_cluster_it_is_this_machine() -> None:
    with runner_on(False) as runner:
        assert runner is ordered_map

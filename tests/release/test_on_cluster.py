"""A run on two machines, of which one is lost on the way, gives the bytes of a run on one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from medveil.cohort.phantom.hospital import build_hospital
from medveil.person.keys import Keys
from medveil.release import Settings, release
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.run import verify
from medveil.runtime.cluster import runner_on
from medveil.runtime.journal import journal_sha256
from medveil.runtime.workers import Runner

pytestmark = pytest.mark.exhaustive
KEYS = Keys(b"\x07" * 32)


class Machines:
    """Two, on this one; the second can be lost."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.second = self.cluster.add_node(num_cpus=1)

    def lose_one(self) -> None:
        if self.second is not None:
            self.cluster.remove_node(self.second, allow_graceful=False)
            self.second = None


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = pytest.importorskip("ray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = Machines()
        ray.init(address=both.cluster.address, log_to_driver=False, logging_level="ERROR")
        yield both
        ray.shutdown()
        both.cluster.shutdown()


def tree(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = journal_sha256(path) if path.suffix == ".sqlite" else sha256(path.read_bytes()).hexdigest()
            found[path.relative_to(folder).as_posix()] = digest
    return found


def test_the_bytes_are_those_of_one_machine(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = tmp_path / "hospital"
    build_hospital(source, patients=6, size=256, seed=3, workers=1)
    quick = Settings(defenses=("headers", "table"), attacks=("pixel-similarity",))

    def run(out: Path, runner: Runner | None, **more: Any) -> None:
        deidentify(source, out / "deid", keys=KEYS, defenses=deid_defenses(fill="black"), runner=runner, **more)
        verify(out / "deid", source, keys=KEYS, runner=runner)
        release(source, out / "release", keys=KEYS, settings=quick, runner=runner)

    def lose_one(stage: str, done: int, total: int) -> None:
        if stage == "cleaning":
            machines.lose_one()

    run(tmp_path / "one", None)
    with runner_on(True, source) as runner:
        run(tmp_path / "two", runner, progress=lose_one)
    assert machines.second is None
    assert tree(tmp_path / "two") == tree(tmp_path / "one")

"""A file system that is really full, under a site and under the coordinator, over real sockets: nothing is lost, the
ledger never says less than was spent, every site is told, and the run goes on once there is room."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from medveil.errors import StorageError
from medveil.federated.local_training import LEDGER, LocalTraining
from medveil.federated.participant import Arrays
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.record import MODEL, read_record
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import LocalSteps

Made = Callable[..., Any]  # a consortium of the steps its sites take
ROOM = 3_000_000  # bytes of the disk
PAGE = 4096
SOME = 16 * PAGE  # enough for a ledger or a record, too little for weights


class Disk:
    """A small file system of its own, which can be filled to the last page."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._ballast = folder, folder / "ballast"

    def fill(self, left: int = 0) -> None:
        """But for so many bytes."""
        with self._ballast.open("ab", buffering=0) as file:
            free = shutil.disk_usage(self.folder).free - left
            file.write(bytes(max(0, free // PAGE * PAGE)))

    def under(self, folder: Path) -> None:
        """This folder is on it."""
        (self.folder / folder.name).mkdir(mode=0o700)
        folder.symlink_to(self.folder / folder.name)

    def clear(self) -> None:
        self._ballast.unlink(missing_ok=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """In the mount namespace of a process that waits, into which /proc leads; it goes with that process."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        holder = subprocess.Popen(
            ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size={ROOM} tmpfs "$0" && echo there && cat', place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        pytest.skip("no unshare")
    with holder:
        assert holder.stdout is not None and holder.stdin is not None
        if holder.stdout.readline() != b"there\n":
            pytest.skip("no file system may be made here")
        yield Disk(Path(f"/proc/{holder.pid}/root{place}"))
        holder.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, SOME], ids=["no room", "room for the ledger alone"])
def test_a_site_waits_for_room_and_nothing_is_spent_unbooked_or_twice(
    consortium: Made,
    disk: Disk,
    tmp_path: Path,
    small_recipe: Recipe,
    make_films: Callable[..., Films],
    monkeypatch: pytest.MonkeyPatch,
    left: int,
) -> None:
    """In a round, and again when the model comes."""
    disk.under(tmp_path / "c")
    recipe = replace(small_recipe, privacy=Privacy(epsilon=1000.0, delta=1e-3))
    table = {name: value for name, value in asdict(recipe).items() if value is not None}
    here = consortium({"a": 0.001, "b": 0.002, "c": 0.0}, patience=60.0, recipe=table)
    here.trainings["c"] = LocalTraining(recipe, make_films(), tmp_path / "c" / "training")
    ledger, steps = tmp_path / "c" / "training" / LEDGER, LocalSteps.run
    begun: set[int] = set()
    enough: list[bool] = []

    def booked() -> int:
        return len(json.loads(ledger.read_text())["runs"])

    def watched(self: LocalSteps, network: Any, number: int, chance: Any) -> None:
        begun.add(number)
        enough.append(booked() >= len(begun))
        steps(self, network, number, chance)

    monkeypatch.setattr(LocalSteps, "run", watched)
    monkeypatch.setattr("medveil.federated.apps.coordinator_app._AGAIN", 1.0)
    here.said = _Freeing(disk)
    here.start()
    record = here.coordinate(after=lambda record: disk.fill(left))
    here.wait()
    assert here.said.freed >= 2
    assert all(enough) and booked() == len(begun) == 2
    assert len(enough) == (3 if left else 2)  # what could not be kept is trained again, and not booked again
    assert [(one.took_part, one.counted) for one in record.history] == [(("a", "b", "c"), True)] * 2
    assert set(here.ends.values()) == {"finished"} and all(site.told_the_end for site in record.sites.values())
    mine, theirs = load_file(tmp_path / "c" / MODEL), load_file(here.out / MODEL)
    assert mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)


class _Freeing(list[str]):
    """What a coordinator says; there is room again once it has said that a site has none."""

    def __init__(self, disk: Disk) -> None:
        self.disk, self.freed = disk, 0

    def append(self, words: str) -> None:
        super().append(words)
        if words == "c cannot write to its disk":
            self.freed += 1
            self.disk.clear()


@pytest.mark.slow
@pytest.mark.parametrize(("full", "left"), [(1, SOME), (3, 0)], ids=["after a round", "at the end"])
def test_a_coordinator_goes_on_once_there_is_room(
    consortium: Made, disk: Disk, tmp_path: Path, first_weights: Arrays, full: int, left: int
) -> None:
    disk.under(tmp_path / "out")
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, rounds=3)
    here.start()
    with pytest.raises(StorageError, match="the disk is full"):
        here.coordinate(after=lambda record: disk.fill(left) if record.round == full else None)
    here.wait()
    assert set(here.ends.values()) == {"stopped"} and read_record(here.out).round == full
    disk.clear()
    here.start()
    record = here.coordinate()
    here.wait()
    assert set(here.ends.values()) == {"finished"} and record.round == 3
    assert here.gained(record, first_weights) == pytest.approx(3 * 0.2, abs=1e-6)

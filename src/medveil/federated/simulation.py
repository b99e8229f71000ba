"""A federation on one machine: the same plan, messages and sums, with Ray's processes in the place of the wire.

Every simulated site has its own key, folder and patients. It shows what a plan costs and gives before hospitals meet;
who runs it sees all the data, so it protects nobody.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from medveil.errors import NotMeasurable, SettingsError
from medveil.federated.approval import approve
from medveil.federated.coordinator import running, weights_to_begin
from medveil.federated.credentials import node_line, read_node_key
from medveil.federated.participant import Arrays, Participant, Training, write_model
from medveil.federated.plan import Plan, check_names, plan_of, read_plan, read_table
from medveil.federated.record import FILE, MODEL, Record
from medveil.runtime.quiet import quiet
from medveil.runtime.storage import make_folder, write_bytes

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort
    from medveil.federated.rounds import Federation

AT_ONCE = 64  # messages under way, each with its weights in memory
_KEPT = 64  # sites whose data a worker keeps in memory
_HERE = {"name": "this machine", "address": "127.0.0.1:8000"}

TrainingOf = Callable[[Plan, str, Path], Training]  # of a site, with its folder


def simulated_plan(table: Mapping[str, Any], names: Sequence[str], out: Path, folder: Path = Path()) -> Plan:
    """The plan of a file for simulated sites, whose keys are made here."""
    check_names(names)
    sites = {name: node_line(site_folder(out, name)) for name in names}
    return plan_of({**table, "coordinator": _HERE, "sites": sites}, folder)


def plan_of_run(path: Path, run: Path, record: Record) -> Plan:
    """The plan that a run was made under, simulated or not; refused if the file holds another."""
    names = tuple(record.sites)
    plan = simulated_plan(read_table(path), names, run, path.parent) if (run / "sites").is_dir() else read_plan(path)
    if plan.digest != record.plan:
        raise SettingsError(f"{run} was made under another plan than {path}; give the file that its sites approved")
    return plan


def simulate(
    plan: Plan,
    out: Path,
    training: TrainingOf,
    *,
    noticed: Callable[[str], None] = lambda words: None,
    after: Callable[[Record], None] = lambda record: None,
    first: Callable[[], Arrays] | None = None,
) -> Record:
    """All rounds that are left. `training` runs in Ray's processes, so it must be a function of a module."""
    from medveil.federated.apps.coordinator_app import coordinator_app
    from medveil.federated.apps.simulated import run

    with running(plan, out) as record:
        shared = weights_to_begin(plan, out, record, first)
        server = coordinator_app(
            plan, out, record, shared, noticed=noticed, after=after, at_once=AT_ONCE, hand_out=False
        )
        with quiet():
            run(server, plan, partial(_participant, out.resolve(), training))
    return record


def _participant(out: Path, training: TrainingOf, plan: Plan, number: int) -> Participant:
    """The simulated site of this number, in one of Ray's processes."""
    name = plan.names[number]
    held = _held.get((plan.digest, name))
    if held is None:
        folder = site_folder(out, name)
        key = read_node_key(folder)
        begin = partial(training, plan, name, folder)
        held = _held[plan.digest, name] = Participant(plan, approve(plan, key), key, folder, begin, tell_epsilon=True)
        while len(_held) > _KEPT:
            _held.popitem(last=False)
    return held


_held: OrderedDict[tuple[str, str], Participant] = OrderedDict()  # of this process


def site_folder(out: Path, name: str) -> Path:
    return out / "sites" / name


def simulate_cohort(
    table: Mapping[str, Any],
    folder: Path,
    parts: Parts,
    out: Path,
    *,
    noticed: Callable[[str], None] = lambda words: None,
    after: Callable[[Record], None] = lambda record: None,
) -> Record:
    """The plan of a file, found in `folder`, with the sites of a cohort. Its table is passed to Ray's processes by a
    file that is gone afterwards."""
    plan = simulated_plan(table, parts.names, out, folder)
    _keep_to(out / "sites" / "data.txt", parts.digest)
    with tempfile.TemporaryDirectory(prefix="medveil-") as held:
        parts.save(Path(held))
        training = partial(_local_training, Path(held), parts.cohort.root.resolve())
        return simulate(plan, out, training, noticed=noticed, after=after)


def train_pooled(
    table: Mapping[str, Any],
    folder: Path,
    cohort: Cohort,
    out: Path,
    *,
    after: Callable[[int, int], None] = lambda done, total: None,
) -> Federation:
    """All films in one place, by the recipe and the rounds of a plan's file: what a federation is compared with."""
    from medveil.federated.local_training import LocalTraining
    from medveil.federated.rounds import federate

    if (out / FILE).exists():
        raise SettingsError(f"{out} holds a federation; name another folder")
    with tempfile.TemporaryDirectory(prefix="medveil-") as held:
        nobodys = {**table, "secure_sums": True, "aggregation": "mean"}  # there is nothing to put together
        plan = simulated_plan(nobodys, ("one", "two", "three"), Path(held), folder)
    make_folder(out)
    _keep_to(out / "data.txt", Parts.of_one(cohort).digest)
    training = LocalTraining(plan.recipe, cohort, out / "training")
    federation = federate(
        plan.recipe,
        {"everybody": training},
        plan.rounds,
        folder=out,
        after=lambda done: after(len(done.rounds), plan.rounds),
    )
    write_model(out / MODEL, plan.recipe, federation.shared)
    return federation


def _keep_to(note: Path, digest: str) -> None:
    """A folder is for one data set: another one would be told that its run is over."""
    if note.exists() and note.read_text("utf-8") != digest:
        raise SettingsError(
            f"{note.parent} holds a run with other films or another way to deal them; name another folder"
        )
    write_bytes(note, digest.encode())


def _local_training(held: Path, root: Path, plan: Plan, name: str, folder: Path) -> Training:
    from medveil.federated.local_training import LocalTraining

    return LocalTraining(plan.recipe, Parts.open(held, root).cohort_of(name), folder / "training")


def part_of(cohort: Cohort, split: str | None) -> Cohort:
    """The rows of a split, or all."""
    if split is None:
        return cohort
    kept = cohort.where(cohort.table["split"].astype("string").fillna("") == split)
    if not len(kept):
        raise NotMeasurable(f"the data set has no part called {split}")
    return kept


@dataclass(frozen=True)
class Parts:
    """Which site of a simulation a row of a cohort belongs to."""

    cohort: Cohort
    names: tuple[str, ...]
    of_row: np.ndarray[Any, np.dtype[np.intp]]

    @classmethod
    def by_site(cls, cohort: Cohort) -> Parts:
        """As the data set tells them."""
        sites = cohort.table["site"].astype("string").fillna("")
        names = tuple(sorted(name for name in sites.unique() if name))
        if len(names) < 2:
            raise NotMeasurable("the data set tells of fewer than two sites; set --clients to deal its patients out")
        place = {name: number for number, name in enumerate(names)}
        return cls(cohort, names, np.array([place.get(name, -1) for name in sites], np.intp))

    @classmethod
    def of_one(cls, cohort: Cohort) -> Parts:
        return cls(cohort, ("everybody",), np.zeros(len(cohort), np.intp))

    @property
    def digest(self) -> str:
        """Of who is where, and of all that is said of them."""
        told = self.cohort.table.to_csv(index=False) + json.dumps([self.names, self.of_row.tolist()])
        return hashlib.sha256(told.encode()).hexdigest()

    @classmethod
    def dealt(cls, cohort: Cohort, clients: int, seed: int) -> Parts:
        """Patients dealt out evenly, by chance that depends on the seed alone."""
        patients = sorted(cohort.table["patient_id"].astype(str).unique())
        if len(patients) < clients:
            raise NotMeasurable("there are fewer patients than simulated sites; ask for fewer with --clients")
        patients.sort(key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).digest())
        place = {patient: number % clients for number, patient in enumerate(patients)}
        digits = len(str(clients))
        names = tuple(f"site {number:0{digits}}" for number in range(1, clients + 1))
        return cls(cohort, names, np.array([place[one] for one in cohort.table["patient_id"].astype(str)], np.intp))

    def save(self, folder: Path) -> None:
        self.cohort.save(folder)
        np.save(folder / "of_row.npy", self.of_row)
        (folder / "names.json").write_text(json.dumps(self.names))

    @classmethod
    @lru_cache(maxsize=1)
    def open(cls, folder: Path, root: Path) -> Parts:
        """What `save` wrote, of images that lie in `root`."""
        from medveil.cohort.cohort import Cohort

        names = tuple(json.loads((folder / "names.json").read_text()))
        return cls(replace(Cohort.open(folder), root=root), names, np.load(folder / "of_row.npy"))

    def cohort_of(self, name: str) -> Cohort:
        if name not in self.names:
            raise SettingsError("this site is not one of the simulation")
        return self.cohort.where(self.of_row == self.names.index(name))

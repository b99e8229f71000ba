from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.app import Context, Message

from medveil.cohort.cohort import Cohort
from medveil.errors import SettingsError
from medveil.federated.approval import approve
from medveil.federated.apps.coordinator_app import coordinator_app
from medveil.federated.apps.simulated import SimulatedGrid
from medveil.federated.apps.site_app import site_app
from medveil.federated.coordinator import record_of
from medveil.federated.credentials import read_node_key
from medveil.federated.participant import Arrays, Participant
from medveil.federated.record import FILE, MODEL, read_weights
from medveil.federated.simulation import Parts, simulate_cohort, simulated_plan, site_folder, train_pooled


class Counting:
    weight, epsilon = 1.0, None

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        return [np.full_like(one, 0.5) for one in shared]


class InThisProcess:
    """Flower's backend without Ray."""

    num_workers = 2

    def __init__(self, app: Any, lost: int | None) -> None:
        self._app, self._lost = app, lost

    def process_message(self, message: Message, context: Context) -> tuple[Message, Context]:
        if context.node_id == self._lost and message.metadata.message_type.startswith("train"):
            raise RuntimeError("patient 0815")
        return self._app(message, context), context


@pytest.mark.parametrize("secure_sums", [False, True])
def test_a_simulated_site_that_is_lost_is_left_out(
    tmp_path: Path, recipe_table: dict[str, Any], first_weights: Arrays, secure_sums: bool
) -> None:
    table = {"title": "t", "data": "d", "rounds": 1, "recipe": recipe_table, "secure_sums": secure_sums}
    plan = simulated_plan(table, [f"s{number}" for number in range(4)], tmp_path)
    said: list[str] = []

    def participant(context: Context) -> Participant:
        name = plan.names[int(context.node_config["partition-id"])]
        key = read_node_key(site_folder(tmp_path, name))
        return Participant(plan, approve(plan, key), key, site_folder(tmp_path, name), Counting)

    record = record_of(plan, tmp_path)
    server = coordinator_app(plan, tmp_path, record, first_weights, noticed=said.append, at_once=2, hand_out=False)
    with ThreadPoolExecutor(2) as threads:
        server(grid=SimulatedGrid(InThisProcess(site_app(participant), lost=2), threads, 4), context=None)
    assert record.history[0].took_part == ("s0", "s2", "s3") and record.history[0].set_aside == {"s1": "absent"}
    after = read_weights(tmp_path, record)
    assert all(np.allclose(one - other, 0.5, atol=1e-6) for one, other in zip(after, first_weights, strict=True))
    assert not any("0815" in words for words in said)


def test_a_site_whose_name_is_a_path_gets_no_folder(tmp_path: Path, recipe_table: dict[str, Any]) -> None:
    table = {"title": "t", "data": "d", "rounds": 1, "recipe": recipe_table}
    with pytest.raises(SettingsError, match="name is up to"):
        simulated_plan(table, ["a", "b", "../../up"], tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_patients_are_dealt_whole_and_evenly(hospital_folder: Path, tmp_path: Path) -> None:
    cohort = Cohort.open(hospital_folder)
    parts = Parts.dealt(cohort, 3, seed=1)
    people = [set(parts.cohort_of(name).table["patient_id"]) for name in parts.names]
    assert sum(map(len, people)) == len(set.union(*people)) == cohort.table["patient_id"].nunique()
    assert max(map(len, people)) - min(map(len, people)) <= 1
    parts.save(tmp_path)
    again = Parts.open(tmp_path, cohort.root)
    assert again.names == parts.names and np.array_equal(again.of_row, parts.of_row)
    by_site = Parts.by_site(cohort)
    assert list(by_site.names) == sorted(cohort.table["site"].dropna().unique())


def test_a_folder_is_for_one_data_set_dealt_in_one_way(
    hospital: Cohort, tmp_path: Path, recipe_table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medveil.federated.simulation.simulate", lambda plan, *rest, **more: plan.names)
    table = {"title": "t", "data": "d", "rounds": 1, "recipe": recipe_table}

    def run(parts: Parts) -> Any:
        return simulate_cohort(table, tmp_path, parts, tmp_path / "out")

    assert run(Parts.dealt(hospital, 3, seed=1)) == run(Parts.dealt(hospital, 3, seed=1))
    for other in (Parts.dealt(hospital, 3, seed=2), Parts.dealt(hospital.where(np.arange(len(hospital)) > 9), 3, 1)):
        with pytest.raises(SettingsError, match="other films or another way to deal them"):
            run(other)


def test_pooled_training_goes_by_the_plans_recipe_and_goes_on(
    hospital: Cohort, tmp_path: Path, recipe_table: dict[str, Any]
) -> None:
    table = {"title": "t", "data": "d", "rounds": 2, "recipe": recipe_table, "secure_sums": False}
    table |= {"aggregation": "krum"}  # for which pooled films are too few sites, were they any
    seen: list[tuple[int, int]] = []
    done = train_pooled(table, tmp_path, hospital, tmp_path / "out", after=lambda *so_far: seen.append(so_far))
    assert seen == [(1, 2), (2, 2)] and (tmp_path / "out" / MODEL).exists()
    again = train_pooled(table, tmp_path, hospital, tmp_path / "out", after=lambda *so_far: seen.append(so_far))
    assert len(seen) == 2 and all(map(np.array_equal, again.shared, done.shared))
    with pytest.raises(SettingsError, match="other films"):
        train_pooled(table, tmp_path, hospital.where(np.arange(len(hospital)) > 9), tmp_path / "out")
    (tmp_path / "out" / FILE).write_text("{}")
    with pytest.raises(SettingsError, match="holds a federation"):
        train_pooled(table, tmp_path, hospital, tmp_path / "out")

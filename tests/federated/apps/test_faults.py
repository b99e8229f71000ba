"""Sites that are slow, absent, lost and back, of another version, or send nonsense; a coordinator that stops.

All over real sockets: nothing is lost, and every site that is there is told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flwr.app import Message

from medveil.errors import MedveilError, StorageError
from medveil.federated import record as records
from medveil.federated.approval import read_approval
from medveil.federated.apps.connection import Connection
from medveil.federated.apps.records import packed, unpacked
from medveil.federated.credentials import read_node_key
from medveil.federated.participant import Arrays, Participant
from medveil.federated.plan import PROTOCOL
from medveil.federated.record import Record, read_record

Made = Callable[..., Any]  # a consortium of the steps its sites take
FOUR = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
MOMENTUM = {"momentum": 0.5}
ADAM = {"adam": "coordinator", "learning_rate": 0.1, "weight_decay": 0.0}


class Killed(BaseException):
    """Ends a thread in the middle of its work, as a kill does: nobody is answered."""


@pytest.mark.slow
def test_a_slow_site_is_left_out_of_a_round_and_taken_in_again(consortium: Made, first_weights: Arrays) -> None:
    here = consortium(FOUR, patience=6.0)
    ready = threading.Event()
    here.trainings["d"].before = lambda number: ready.wait(60)
    here.start()
    record = here.coordinate(after=lambda record: ready.set())
    here.wait()
    assert [one.took_part for one in record.history] == [("a", "b", "c"), ("a", "b", "c", "d")]
    assert record.history[0].set_aside == {"d": "absent"}
    assert here.gained(record, first_weights) == pytest.approx(0.2 + 0.25, abs=1e-6)
    assert set(here.ends.values()) == {"finished"}


@pytest.mark.slow
def test_an_absent_site_holds_nobody_up_and_is_told_the_end(consortium: Made, first_weights: Arrays) -> None:
    here = consortium(FOUR, rounds=1, patience=4.0)
    here.start("a", "b", "c")
    record = here.coordinate(after=lambda record: here.start("d"))
    here.wait()
    assert record.history[0].took_part == ("a", "b", "c")
    assert here.gained(record, first_weights) == pytest.approx(0.2, abs=1e-6)
    assert here.ends == dict.fromkeys(FOUR, "finished") and record.sites["d"].told_the_end
    assert (here.folder / "d" / "model.safetensors").exists() and not here.trainings["d"].asked
    assert "waiting for d" in here.said


@pytest.mark.slow
def test_a_site_that_comes_back_after_the_end_is_told_it_again(consortium: Made) -> None:
    here = consortium(FOUR, rounds=1, patience=6.0)
    here.start("a", "b", "c")

    def returns() -> None:
        here._threads[0].join(30)
        del here.ends["a"]
        here._site("a", here.plan, None)

    again = threading.Thread(target=returns)
    again.start()
    here.coordinate()  # it still waits for d
    here.wait()
    again.join(40)
    assert not again.is_alive() and here.ends == dict.fromkeys(("a", "b", "c"), "finished")


def test_a_site_that_is_killed_while_it_trains_comes_back_into_the_round(
    consortium: Made, first_weights: Arrays
) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, patience=60.0)
    kills = iter([1])

    def killed(number: int) -> None:
        if next(kills, None):
            raise Killed

    here.trainings["c"].before = killed
    here.start("a", "b")

    def dies_and_returns() -> None:
        with pytest.raises(Killed):
            here._site("c", here.plan, None)
        here._site("c", here.plan, None)

    thread = threading.Thread(target=dies_and_returns)
    thread.start()
    record = here.coordinate()
    here.wait()
    thread.join(30)
    assert [one.took_part for one in record.history] == [("a", "b", "c")] * 2
    assert here.trainings["c"].asked == [1, 1, 2]
    assert here.gained(record, first_weights) == pytest.approx(2 * 0.2, abs=1e-6)
    assert here.ends["c"] == "finished"


@pytest.mark.parametrize(
    ("full", "done", "between", "gained"),
    [
        ("never", 1, ADAM, 0.01 + 0.02 + 0.03),  # the rate rises
        pytest.param("never", 1, MOMENTUM, 1.025, marks=pytest.mark.slow),
        pytest.param("after a round", 1, MOMENTUM, 1.025, marks=pytest.mark.slow),
        pytest.param("at the end", 3, ADAM, 0.01 + 0.02 + 0.03, marks=pytest.mark.slow),
    ],
)
def test_a_coordinator_that_stops_goes_on_where_it_was(
    consortium: Made,
    recipe_table: dict[str, Any],
    first_weights: Arrays,
    monkeypatch: pytest.MonkeyPatch,
    full: str,
    done: int,
    between: dict[str, Any],
    gained: float,
) -> None:
    """After a round, in one that cannot be written to its disk, or at the end."""
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, rounds=3, recipe=recipe_table | between)
    whole = records.save

    def save(folder: Any, record: Record, shared: Arrays | None, memory: Arrays) -> None:
        if full == "after a round" and record.round == 2 and shared is not None:
            raise StorageError("the disk is full")
        if full == "at the end" and record.state == "finished":
            raise StorageError("the disk is full")
        whole(folder, record, shared, memory)

    def after(record: Record) -> None:
        if full == "never" and record.round == 1:
            raise Killed

    monkeypatch.setattr("medveil.federated.apps.coordinator_app.save", save)
    here.start()
    with pytest.raises(Killed if full == "never" else StorageError):
        here.coordinate(after=after)
    here.wait()
    assert set(here.ends.values()) == {"stopped"}
    assert read_record(here.out).round == done
    monkeypatch.undo()
    here.start()
    record = here.coordinate()
    here.wait()
    assert set(here.ends.values()) == {"finished"} and record.round == 3
    assert here.gained(record, first_weights) == pytest.approx(gained, abs=1e-5)


@pytest.mark.slow
def test_a_site_of_another_version_takes_no_part(consortium: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, patience=3.0)
    monkeypatch.setattr("medveil.federated.participant.PROTOCOL", PROTOCOL + 1)
    here.start()
    with pytest.raises(MedveilError, match="a runs another version of medveil"):
        here.coordinate()
    here.wait()
    assert set(here.ends.values()) == {"version"} and not here.trainings["a"].asked


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda shared: [np.full_like(one, np.nan) for one in shared],
        lambda shared: [one[:1] for one in shared],
    ],
    ids=["not finite", "other sizes"],
)
def test_nonsense_from_a_site_is_not_counted(
    consortium: Made, first_weights: Arrays, nonsense: Callable[[Arrays], Arrays]
) -> None:
    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, secure_sums=False, rounds=1)
    key, over = read_node_key(here.folder / "c"), threading.Event()
    honest = Participant(here.plan, read_approval(here.folder / "c", here.plan), key, here.folder / "c", lambda: None)

    def answer(message: Message) -> Message:
        asked = message.metadata.message_type.split(".")[1]
        told, arrays = unpacked(message.content)
        if asked == "update":
            return Message(packed({}, nonsense(arrays)), reply_to=message)
        if asked == "over":
            over.set()
        return Message(packed(honest.answer(asked, told, []).told), reply_to=message)

    here.start("a", "b")
    thread = threading.Thread(target=Connection(here.plan.coordinator.address, key, None).answer, args=(answer, over))
    thread.start()
    record = here.coordinate()
    here.wait()
    thread.join(30)
    assert record.history[0].took_part == ("a", "b") and record.history[0].set_aside == {"c": "shape"}
    assert here.gained(record, first_weights) == pytest.approx(0.15, abs=1e-6)


def test_a_site_with_a_full_disk_or_a_spent_budget_says_so_and_others_go_on(
    consortium: Made, first_weights: Arrays
) -> None:
    from medveil.defenses.alignment.ledger import BudgetSpent

    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}, secure_sums=False)

    def fails(error: Exception) -> Callable[[int], None]:
        def before(number: int) -> None:
            if number == 1 or isinstance(error, BudgetSpent):
                raise error

        return before

    here.trainings["c"].before = fails(StorageError("full"))
    here.trainings["d"].before = fails(BudgetSpent("over"))
    here.start()
    record = here.coordinate()
    here.wait()
    assert record.history[0].set_aside == {"c": "disk", "d": "budget"}
    assert record.history[1].took_part == ("a", "b", "c") and record.history[1].set_aside == {}
    assert here.trainings["d"].asked == [1]  # whose budget is spent is not asked again
    assert set(here.ends.values()) == {"finished"}


@pytest.mark.slow
def test_the_run_ends_when_the_budgets_do(consortium: Made, first_weights: Arrays) -> None:
    from medveil.defenses.alignment.ledger import BudgetSpent

    here = consortium({"a": 0.1, "b": 0.2, "c": 0.3}, rounds=5)

    def before(number: int) -> None:
        if number == 3:
            raise BudgetSpent("over")

    here.trainings["b"].before = before
    here.start()
    record = here.coordinate()
    here.wait()
    assert (record.state, record.round) == ("ended", 2) and set(here.ends.values()) == {"budget"}
    assert (here.out / "model.safetensors").exists() and (here.folder / "a" / "model.safetensors").exists()
    assert here.gained(record, first_weights) == pytest.approx(2 * 0.2, abs=1e-6)

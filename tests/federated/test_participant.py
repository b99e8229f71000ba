from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.defenses.alignment.ledger import BudgetSpent
from medveil.errors import InputError, StorageError
from medveil.federated.approval import approve
from medveil.federated.node_keys import CURVE, public_line
from medveil.federated.participant import Arrays, Participant, digest_of
from medveil.federated.plan import PROTOCOL, Plan, plan_of
from medveil.federated.secure_sum.messages import Agreed, Keys, Masked, Opened, Shares
from medveil.federated.secure_sum.server import Server
from medveil.federated.secure_sum.session import Session

KEYS = {name: ec.generate_private_key(CURVE) for name in ("a", "b", "c", "d")}
SHARED = [np.zeros((2, 3), np.float32), np.zeros(4, np.float32)]


class Trained:
    weight, epsilon = 1.0, 0.25

    def __init__(self, step: float = 0.5, fails: Exception | None = None) -> None:
        self.step, self.fails = step, fails

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        if self.fails:
            raise self.fails
        return [np.full_like(one, self.step) for one in shared]


def plan(**changes: Any) -> Plan:
    table = {
        "title": "t",
        "data": "d",
        "rounds": 3,
        "recipe": {"side": 32, "channels": 8, "text": "none", "findings": ["Edema"], "weighting": "equal"},
        "coordinator": {"name": "x", "address": "127.0.0.1:8000"},
        "sites": {name: public_line(key) for name, key in KEYS.items()},
    }
    return plan_of(table | changes)


def site(folder: Path, name: str, under: Plan, training: Trained | None = None, **how: Any) -> Participant:
    mine = training or Trained()
    (folder / name).mkdir(parents=True, exist_ok=True)
    return Participant(under, approve(under, KEYS[name]), KEYS[name], folder / name, lambda: mine, **how)


def asked(under: Plan, **more: Any) -> dict[str, Any]:
    return {"plan": under.digest, "protocol": PROTOCOL, **more}


@pytest.mark.parametrize(
    ("fails", "code"),
    [
        (BudgetSpent("spent on patient 0815"), "budget"),
        (StorageError("full"), "disk"),
        (InputError("row 7 of patient 0815"), "data"),
        (ValueError("patient 0815 Mustermann"), "failed"),
    ],
)
def test_a_refusal_is_a_code_and_says_nothing_else(tmp_path: Path, fails: Exception, code: str) -> None:
    under = plan(secure_sums=False)
    one = site(tmp_path, "a", under, Trained(fails=fails))
    reply = one.answer("update", asked(under, round=1), SHARED)
    assert reply.told == {"refusal": code} and not reply.arrays


@pytest.mark.parametrize("step", [np.nan, np.inf])
def test_numbers_that_are_not_finite_stay_at_the_site(tmp_path: Path, step: float) -> None:
    under = plan(secure_sums=False)
    reply = site(tmp_path, "a", under, Trained(step)).answer("update", asked(under, round=1), SHARED)
    assert reply.told == {"refusal": "not-finite"}


def test_another_plan_version_or_order_is_refused(tmp_path: Path) -> None:
    under = plan(secure_sums=False)
    one = site(tmp_path, "a", under)

    def code(told: dict[str, Any], shared: Arrays = SHARED) -> Any:
        return one.answer("update", told, shared).told.get("refusal")

    assert code(asked(under, round=1) | {"plan": plan(rounds=2).digest}) == "plan"
    assert code(asked(under, round=1) | {"protocol": PROTOCOL + 1}) == "version"
    assert code(asked(under, round=0)) == code(asked(under, round=4)) == "order"
    assert code(asked(under, round=2)) is None
    assert code(asked(under, round=1)) == "order"
    assert code(asked(under, round=2)) is None
    other = [one + 1 for one in SHARED]
    assert code(asked(under, round=2), other) == "order"
    assert code(asked(under, round=3), other) is None
    again = site(tmp_path, "a", under)  # after a restart it remembers
    assert again.answer("update", asked(under, round=2), SHARED).told == {"refusal": "order"}


def test_the_next_plan_begins_anew_and_the_rounds_of_the_last_one_stay_closed(tmp_path: Path) -> None:
    """In the same folder: the key is in it, and the next plan names the same key."""
    first, second = (plan(secure_sums=False, title=title) for title in ("first", "second"))
    for number in (1, 2):
        assert site(tmp_path, "a", first).answer("update", asked(first, round=number), SHARED).arrays
    assert site(tmp_path, "a", second).answer("update", asked(second, round=1), SHARED).arrays
    again = site(tmp_path, "a", first).answer("update", asked(first, round=1), SHARED)
    assert again.told == {"refusal": "order"}


def test_a_site_under_masks_gives_no_plain_update(tmp_path: Path) -> None:
    under = plan()
    assert site(tmp_path, "a", under).answer("update", asked(under, round=1), SHARED).told == {"refusal": "plan"}


def test_epsilon_is_told_only_by_whoever_chooses_to(tmp_path: Path) -> None:
    under = plan(secure_sums=False)
    assert site(tmp_path, "a", under).answer("update", asked(under, round=1), SHARED).told == {}
    told = site(tmp_path, "b", under, tell_epsilon=True).answer("update", asked(under, round=1), SHARED).told
    assert told == {"epsilon": 0.25}


class Sum:
    """A secure sum by hand. Each step a site is made anew, as after a restart."""

    def __init__(self, folder: Path, number: int, lost: tuple[str, ...] = ()) -> None:
        self.folder, self.under, self.lost = folder, plan(), lost
        self.size, model = sum(one.size for one in SHARED) + 1, digest_of(SHARED)
        self.told = asked(self.under, session=number, size=self.size, model=model, round=1)
        self.server = Server(Session(self.under.digest, number, self.size, self.under.node_keys, model=model))
        self.there = list(self.under.names)

    def ask(self, name: str, what: str, arrays: Arrays = [], **more: Any) -> Any:  # noqa: B006
        return site(self.folder, name, self.under).answer(what, self.told | more, arrays)

    def until_masked(self) -> list[str]:
        answers = {name: self.ask(name, "keys").told for name in self.there}
        refused = [name for name, told in answers.items() if "refusal" in told]
        assert not refused, answers
        everybody = self.server.everybodys_keys(
            Keys(name, told["sealing"], told["masking"], told["signed"]) for name, told in answers.items()
        )
        listed = {
            "sites": [one.site for one in everybody],
            "sealing": [one.sealing for one in everybody],
            "masking": [one.masking for one in everybody],
            "signed": [one.signature for one in everybody],
        }
        shares = []
        for name in self.there:
            told = self.ask(name, "shares", **listed).told
            shares.append(Shares(name, dict(zip(told["to"], told["sealed"], strict=True))))
        for name, held in self.server.shares_for(shares).items():
            if name not in self.lost:
                sealed = {"from": list(held), "sealed": list(held.values())}
                self.server.add(Masked(name, self.ask(name, "masked", SHARED, **sealed).arrays[0]))
        return list(self.server.survivors())

    def agreed(self, survivors: list[str]) -> list[Any]:
        return [self.ask(name, "agreed", survivors=survivors).told for name in survivors]

    def opened(self, survivors: list[str]) -> np.ndarray[Any, Any]:
        signed = self.server.signed(
            Agreed(name, tuple(told["survivors"]), told["signed"])
            for name, told in zip(survivors, self.agreed(survivors), strict=True)
        )
        shown = {"survivors": survivors, "sites": [one.site for one in signed], "signed": [o.signature for o in signed]}
        answers = {name: self.ask(name, "opened", **shown).told for name in survivors}
        return self.server.total(
            Opened(name, dict(zip(told["of"], told["shares"], strict=True))) for name, told in answers.items()
        )


def test_secrets_outlast_a_message_and_no_longer(tmp_path: Path) -> None:
    held = Sum(tmp_path, 1)
    survivors = held.until_masked()
    secrets = tmp_path / "a" / "session.json"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    total = held.opened(survivors)
    assert not any((tmp_path / name / "session.json").exists() for name in held.there)
    assert held.under.grid.numbers(total)[0] == pytest.approx(4 * 0.5)
    assert held.ask("a", "opened", survivors=survivors, sites=[], signed=[]).told == {"refusal": "protocol"}


def test_a_step_is_answered_once_even_after_a_restart(tmp_path: Path) -> None:
    held = Sum(tmp_path, 1)
    held.until_masked()
    assert held.ask("a", "shares", sites=[], sealing=[], masking=[], signed=[]).told == {"refusal": "protocol"}
    assert not (tmp_path / "a" / "session.json").exists()


def test_a_session_is_not_held_twice(tmp_path: Path) -> None:
    Sum(tmp_path, 5).until_masked()
    late = Sum(tmp_path, 5)
    assert late.ask("a", "keys").told == {"refusal": "order"}
    assert Sum(tmp_path, 6).ask("a", "keys").told.get("refusal") is None


def test_two_sums_of_one_round_never_show_their_difference(tmp_path: Path) -> None:
    """A sum of four and one of three of them would tell the update of the fourth."""
    first = Sum(tmp_path, 1)
    whole = first.opened(first.until_masked())
    second = Sum(tmp_path, 2, lost=("d",))
    assert all(told == {"refusal": "opened"} for told in second.agreed(second.until_masked()))
    third = Sum(tmp_path, 3)  # the very same sum may be asked for again, and is the same to the last bit
    assert np.array_equal(third.opened(third.until_masked()), whole)


def test_a_server_cannot_give_each_site_another_model(tmp_path: Path) -> None:
    """Where all others train on a model whose gradient is nothing, the sum is the update of one."""
    others = [one + 1 for one in SHARED]
    said = Sum(tmp_path, 1)
    keys = {name: said.ask(name, "keys").told for name in said.there}
    listed = {what: [told[what] for told in keys.values()] for what in ("sealing", "masking", "signed")}
    shares = {name: said.ask(name, "shares", sites=said.there, **listed).told for name in said.there}
    sealed = {
        "from": ["b", "c", "d"],
        "sealed": [dict(zip(o["to"], o["sealed"], strict=True))["a"] for n, o in shares.items() if n != "a"],
    }
    assert said.ask("a", "masked", others, **sealed).told == {"refusal": "protocol"}

    told = Sum(tmp_path, 2)
    keys = {
        name: told.ask(name, "keys", model=digest_of(others if name == "a" else SHARED)).told for name in told.there
    }
    listed = {what: [one[what] for one in keys.values()] for what in ("sealing", "masking", "signed")}
    assert told.ask("b", "shares", sites=told.there, **listed).told == {"refusal": "protocol"}


@pytest.mark.parametrize("fails", [InputError("weights that do not fit"), BudgetSpent("spent")])
def test_a_later_round_that_fails_does_not_open_a_sum_of_this_one(tmp_path: Path, fails: Exception) -> None:
    """A server that asks for the next round in between would have a site forget whose sum it has opened."""
    first = Sum(tmp_path, 1)
    first.opened(first.until_masked())
    second = Sum(tmp_path, 2, lost=("d",))
    survivors = second.until_masked()
    for name in survivors:
        one = site(tmp_path, name, second.under, Trained(fails=fails))
        sealed: dict[str, Any] = {"from": [], "sealed": []}
        assert one.answer("masked", second.told | sealed | {"round": 2}, SHARED).told == {"refusal": "protocol"}
    assert all(told == {"refusal": "protocol"} for told in second.agreed(survivors))


@pytest.mark.parametrize("number", [float("nan"), 1.0, True])
def test_rounds_and_sums_have_whole_numbers(tmp_path: Path, number: float) -> None:
    """No number that is neither before nor after another, and none that is written in two ways."""
    assert Sum(tmp_path, 1).ask("a", "keys", session=number).told == {"refusal": "order"}
    under = plan(secure_sums=False)
    told = site(tmp_path, "b", under).answer("update", asked(under, round=number), SHARED).told
    assert told == {"refusal": "order"}


def test_the_end_is_written_down_and_secrets_are_wiped(tmp_path: Path) -> None:
    held = Sum(tmp_path, 1)
    held.until_masked()
    one = site(tmp_path, "a", held.under)
    assert one.answer("over", asked(held.under, how="stopped"), []).told == {}
    assert one.ended == "stopped" and not (tmp_path / "a" / "session.json").exists()
    assert json.loads((tmp_path / "a" / "ended.json").read_text())["how"] == "stopped"


def test_a_site_that_cannot_keep_the_model_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under, there = plan(), [True]

    def full(*_: Any) -> None:
        if there:
            raise StorageError("the disk is full")

    monkeypatch.setattr("medveil.federated.participant.write_model", full)
    one = site(tmp_path, "a", under)
    assert one.answer("over", asked(under, how="finished"), SHARED).told == {"refusal": "disk"} and one.ended is None
    there.clear()
    (tmp_path / "a" / "ended.json").mkdir()  # a note that cannot be written holds nobody up
    assert one.answer("over", asked(under, how="finished"), SHARED).told == {} and one.ended == "finished"


def test_secrets_that_cannot_be_wiped_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under, said = plan(), []
    one = site(tmp_path, "a", under, noticed=said.append)
    (tmp_path / "a" / "session.json").mkdir()  # what cannot be opened for writing, even by an administrator
    assert one.answer("over", asked(under, how="stopped"), []).told == {} and one.ended == "stopped"
    assert "session.json cannot be wiped" in said[0]

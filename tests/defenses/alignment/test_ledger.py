from __future__ import annotations

import json
import multiprocessing
import stat
from pathlib import Path

import numpy as np
import pytest

from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.defenses.alignment.ledger import Budget, BudgetSpent, Ledger, fingerprint
from medveil.errors import InputError, SettingsError

RUN = Spending(2.0, 0.1, 20)
ONCE = epsilon([RUN], 1e-5)


def ledger(path: Path, budget: float, data: str = "a" * 40) -> Ledger:
    return Ledger(path, data, Budget(budget, 1e-5, "patient"))


def test_runs_add_up_across_restarts_and_stop_before_the_budget(tmp_path: Path) -> None:
    path, budget = tmp_path / "deep" / "ledger.json", epsilon([RUN, RUN], 1e-5) + 1e-6
    assert ledger(path, budget).spent() == 0
    assert ledger(path, budget).book("first", RUN) == pytest.approx(ONCE)
    spent = ledger(path, budget).book("second", RUN)
    assert ONCE < spent <= budget
    before = path.read_bytes()
    with pytest.raises(BudgetSpent, match="over its budget") as refusal:
        ledger(path, budget).book("third", RUN)
    assert refusal.value.exit_code == 2 and "\n" not in str(refusal.value)
    assert path.read_bytes() == before
    assert ledger(path, budget).spent() == pytest.approx(spent)


def test_a_run_that_goes_on_is_booked_once(tmp_path: Path) -> None:
    account = ledger(tmp_path / "ledger.json", ONCE * 1.001)
    assert account.book("first", RUN) == account.book("first", RUN) == pytest.approx(ONCE)
    with pytest.raises(SettingsError, match="other settings"):
        account.book("first", Spending(9.0, 0.1, 20))


def test_data_sets_have_their_own_budgets(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, ONCE * 1.001, "a" * 40).book("first", RUN)
    assert ledger(path, ONCE * 1.001, "b" * 40).book("second", RUN) == pytest.approx(ONCE)


def test_budgets_cannot_be_changed_in_passing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, 2.0).book("first", RUN)
    for other in (ledger(path, 99.0), Ledger(path, "a" * 40, Budget(2.0, 1e-5, "pair"))):
        with pytest.raises(SettingsError, match="another budget"):
            other.book("second", RUN)
        with pytest.raises(SettingsError, match="another budget"):
            other.spent()


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    ledger(tmp_path / "ledger.json", 2.0).book("first", RUN)
    assert stat.S_IMODE((tmp_path / "ledger.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{}", '{"format": "medveil.ledger/1", "data": {"a": {}}}', "[1]"])
def test_a_broken_ledger_stops_everything(tmp_path: Path, content: str) -> None:
    (tmp_path / "ledger.json").write_text(content)
    with pytest.raises(InputError, match="not a readable privacy ledger"):
        ledger(tmp_path / "ledger.json", 2.0).book("first", RUN)
    assert (tmp_path / "ledger.json").read_text() == content


def _book(path: Path, number: int) -> None:
    ledger(path, 50.0).book(f"run {number}", RUN)


def test_processes_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_book, args=(path, number)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    (account,) = json.loads(path.read_text())["data"].values()
    assert len(account["runs"]) == 6


def test_fingerprints_tell_data_apart_and_need_the_key() -> None:
    features = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert fingerprint(features) == fingerprint(features.copy())
    others = [features + 1, features.reshape(3, 4), features.astype(np.float64), features[::-1]]
    hashes = {fingerprint(features), fingerprint(features, key=b"site"), *map(fingerprint, others)}
    assert len(hashes) == 6

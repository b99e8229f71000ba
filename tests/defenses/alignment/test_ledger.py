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


def ledger(path: Path, budget: float, *people: object) -> Ledger:
    return Ledger.of(path, people or ("anna", "ben"), Budget(budget, 1e-5, "patient"))


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


def test_other_people_have_their_own_budgets(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, ONCE * 1.001, "anna").book("first", RUN)
    assert ledger(path, ONCE * 1.001, "ben").book("second", RUN) == pytest.approx(ONCE)


def test_the_same_people_in_another_data_set_have_no_new_budget(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, ONCE * 1.001, "anna", "ben").book("first", RUN)
    for others in (("anna",), ("ben", "carl", "dora"), (" ANNA ", "emil")):
        with pytest.raises(BudgetSpent):
            ledger(path, ONCE * 1.001, *others).book("second", RUN)
    assert ledger(path, ONCE * 1.001, "carl", "dora").book("third", RUN) == pytest.approx(ONCE)


def test_the_patient_who_took_part_most_decides(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, 50.0, "anna", "ben").book("first", RUN)
    ledger(path, 50.0, "ben", "carl").book("second", RUN)
    assert ledger(path, 50.0, "anna", "carl").spent() == pytest.approx(ONCE)
    twice, thrice = epsilon([RUN] * 2, 1e-5), epsilon([RUN] * 3, 1e-5)
    assert ledger(path, 50.0, "anna", "carl").book("third", RUN) == pytest.approx(twice)
    assert ledger(path, 50.0, "ben", "dora").book("fourth", RUN) == pytest.approx(thrice)


def test_an_id_is_the_same_however_a_table_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, ONCE * 1.001, "00012").book("first", RUN)
    for spelling in (12, "12", "12.0", 12.0, " 0012"):
        assert ledger(path, ONCE * 1.001, spelling).spent() == pytest.approx(ONCE)
    assert ledger(path, ONCE * 1.001, "120", "1.2").spent() == 0
    with pytest.raises(SettingsError, match="none of them empty"):
        ledger(path, 1.0, "anna", " ")


def test_no_id_is_written(tmp_path: Path) -> None:
    ledger(tmp_path / "ledger.json", 2.0, "anna").book("first", RUN)
    assert "anna" not in (tmp_path / "ledger.json").read_text()


def test_a_run_cannot_go_on_with_other_people(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, 2.0, "anna").book("first", RUN)
    with pytest.raises(SettingsError, match="other patients"):
        ledger(path, 2.0, "anna", "ben").book("first", RUN)


def test_a_ledger_of_data_sets_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text('{"format": "medveil.ledger/1", "data": {}}')
    with pytest.raises(InputError, match="counts by data set, not by patient"):
        ledger(path, 2.0).book("first", RUN)


def test_budgets_cannot_be_changed_in_passing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger(path, 2.0).book("first", RUN)
    for other in (ledger(path, 99.0), Ledger.of(path, ["ben"], Budget(2.0, 1e-5, "pair"))):
        with pytest.raises(SettingsError, match="another budget"):
            other.book("second", RUN)
        with pytest.raises(SettingsError, match="another budget"):
            other.spent()


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    ledger(tmp_path / "ledger.json", 2.0).book("first", RUN)
    assert stat.S_IMODE((tmp_path / "ledger.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["", "{}", '{"format": "medveil.ledger/2", "key": "", "runs": {}, "patients": {}}', "[1]"]
)
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
    book = json.loads(path.read_text())
    assert len(book["runs"]) == 6 and all(len(names) == 6 for names in book["patients"].values())


def test_fingerprints_tell_data_apart_and_need_the_key() -> None:
    features = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert fingerprint(features) == fingerprint(features.copy())
    others = [features + 1, features.reshape(3, 4), features.astype(np.float64), features[::-1]]
    hashes = {fingerprint(features), fingerprint(features, key=b"site"), *map(fingerprint, others)}
    assert len(hashes) == 6

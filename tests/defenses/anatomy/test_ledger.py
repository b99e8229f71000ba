from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from medveil.defenses.anatomy.ledger import HEADER, BitLedger, BitsSpent, Entry
from medveil.errors import InputError, SettingsError


def test_bits_of_a_persons_films_add_up_across_restarts(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bits.jsonl"
    BitLedger(path).book([Entry("a", "1", 5), Entry("a", "2", 3), Entry("b", "3", 5)])
    again = BitLedger(path)
    assert again.spent("a") == 8 and again.spent("b") == 5 and again.spent("c") == 0 and again.total() == 8


def test_the_same_film_is_counted_once_and_at_its_most(tmp_path: Path) -> None:
    ledger = BitLedger(tmp_path / "bits.jsonl")
    for bits in (4, 4, 6, 2):
        ledger.book([Entry("a", "1", bits)])
    ledger.book([Entry("a", "2", 1), Entry("a", "2", 1)])
    assert ledger.spent("a") == BitLedger(ledger.path).spent("a") == 7


def test_a_budget_is_never_exceeded_and_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    ledger = BitLedger(tmp_path / "bits.jsonl", most=10)
    ledger.book([Entry("a", "1", 6)])
    before = ledger.path.read_bytes()
    with pytest.raises(BitsSpent, match="over the budget of 10") as refusal:
        ledger.book([Entry("b", "7", 1), Entry("a", "2", 3), Entry("a", "3", 2)])
    assert refusal.value.exit_code == 2 and ledger.path.read_bytes() == before and ledger.spent("b") == 0
    ledger.book([Entry("a", "2", 4), Entry("a", "1", 6)])
    assert ledger.spent("a") == 10


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    ledger = BitLedger(tmp_path / "bits.jsonl")
    ledger.book([Entry("a", "1", 1)])
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("kept", range(1, 45, 4))
def test_a_line_that_was_cut_short_is_made_good(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "bits.jsonl"
    ledger = BitLedger(path)
    ledger.book([Entry("a", "1", 5)])
    whole = path.read_bytes()
    ledger.book([Entry("a", "2", 5)])
    path.write_bytes(path.read_bytes()[: len(whole) + kept])
    again = BitLedger(path)
    again.book([Entry("a", "2", 5)])
    assert again.spent("a") == BitLedger(path).spent("a") == 10


@pytest.mark.parametrize("kept", [0, 1, len(HEADER) - 1])
def test_a_first_line_that_was_cut_short_is_made_good(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "bits.jsonl"
    path.write_bytes(HEADER[:kept])
    BitLedger(path).book([Entry("a", "1", 5)])
    assert BitLedger(path).spent("a") == 5


@pytest.mark.parametrize("content", [b"nothing", b'{"format": "other"}\n', HEADER + b'{"person": "a"}\n', b"\x00" * 40])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bits.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a readable ledger"):
        BitLedger(path)
    assert path.read_bytes() == content


def test_entries_and_budgets_make_sense() -> None:
    for wrong in (lambda: Entry("", "1", 1), lambda: Entry("a", "1", -1), lambda: Entry("a", "1", float("nan"))):
        with pytest.raises(SettingsError):
            wrong()
    with pytest.raises(SettingsError):
        BitLedger(Path("unused"), most=0)


def _book(path: Path, worker: int) -> None:
    ledger = BitLedger(path)
    for film in range(20):
        ledger.book([Entry("shared", f"{worker}-{film}", 1)])


def test_processes_may_share_it(tmp_path: Path) -> None:
    path = tmp_path / "bits.jsonl"
    late = BitLedger(path)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(_book, [(path, worker) for worker in range(2)])
    late.book([Entry("shared", "last", 1)])
    assert late.spent("shared") == BitLedger(path).spent("shared") == 41


RELEASE = """
import sys
from pathlib import Path
from medveil.defenses.anatomy.ledger import BitLedger, Entry
ledger, out = BitLedger(Path(sys.argv[1])), Path(sys.argv[2])
for film in range(10_000):
    ledger.book([Entry("a", str(film), 2)])
    (out / str(film)).write_bytes(b"film")
    print(film, flush=True)
"""


def test_a_killed_run_has_never_released_more_than_it_booked(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    path = tmp_path / "bits.jsonl"
    for _ in range(3):
        command = [sys.executable, "-c", RELEASE, str(path), str(out)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            for _ in range(15):
                run.stdout.readline()
            os.kill(run.pid, signal.SIGKILL)
        released = len(list(out.iterdir()))
        assert released > 0 and BitLedger(path).spent("a") >= 2 * released
    assert BitLedger(path).spent("a") <= 2 * (released + 1)

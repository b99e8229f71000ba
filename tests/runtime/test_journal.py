from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medveil.errors import InputError, MedveilError, SettingsError, StorageError
from medveil.runtime.journal import Entry, Journal, Noted, journal_sha256, journaled, noted_in
from medveil.runtime.processes import Loss


@dataclass(frozen=True)
class Doubler:
    """Tasks are "name:number"; each real doing leaves a mark in the folder."""

    marks: Path

    def name(self, task: str) -> str:
        return task.partition(":")[0]

    def __call__(self, task: tuple[str, Noted | None]) -> Noted:
        what, earlier = task
        name, _, number = what.partition(":")
        if earlier is not None and earlier.digest == number:
            return earlier
        with (self.marks / name).open("a") as mark:
            mark.write("x")
        if number == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if number == "model":
            raise SettingsError("there is no such model")
        if number == "drive":
            return Noted(number, {"quarantined": "unreadable file"}, lasting=False)
        return Noted(number, {"twice": 2 * int(number)})

    def crashed(self, task: tuple[str, Noted | None], loss: Loss) -> Noted:
        return Noted(task[0].partition(":")[2], {"quarantined": loss.value}, loss.lasting)

    def done(self) -> dict[str, int]:
        made = {mark.name: len(mark.read_text()) for mark in self.marks.iterdir()}
        for mark in self.marks.iterdir():
            mark.unlink()
        return made


@pytest.fixture
def doubler(tmp_path: Path) -> Doubler:
    (tmp_path / "marks").mkdir()
    return Doubler(tmp_path / "marks")


def run(path: Path, doubler: Doubler, *tasks: str) -> list[Entry]:
    return list(journaled(path, doubler, tasks, workers=1, chunk=2))


def test_a_new_task_does_not_redo_those_after_it(tmp_path: Path, doubler: Doubler) -> None:
    path = tmp_path / "journal"
    assert run(path, doubler, "a:1", "c:3", "d:4") == [{"twice": 2}, {"twice": 6}, {"twice": 8}]
    assert doubler.done() == {"a": 1, "c": 1, "d": 1}
    assert run(path, doubler, "a:1", "b:2", "c:3", "d:5") == [{"twice": 2}, {"twice": 4}, {"twice": 6}, {"twice": 10}]
    assert doubler.done() == {"b": 1, "d": 1}


def test_what_no_task_confirms_is_dropped_at_the_end_and_not_before(tmp_path: Path, doubler: Doubler) -> None:
    path = tmp_path / "journal"
    run(path, doubler, "a:1", "b:2", "c:3")
    stopped = journaled(path, doubler, ["a:1"], workers=1)
    next(stopped)
    stopped.close()  # type: ignore[attr-defined]
    assert [name for name, _ in noted_in(path)] == ["a", "b", "c"]
    run(path, doubler, "c:3", "a:1")
    assert [name for name, _ in noted_in(path)] == ["a", "c"]


def test_a_passing_error_is_told_and_not_remembered_a_crash_is(tmp_path: Path, doubler: Doubler) -> None:
    path = tmp_path / "journal"
    told = [{"quarantined": "unreadable file"}, {"quarantined": "crashed the decoder"}, {"twice": 2}]
    assert run(path, doubler, "a:drive", "b:crash", "c:1") == told
    doubler.done()
    assert run(path, doubler, "a:drive", "b:crash", "c:1") == told
    assert doubler.done() == {"a": 1}
    assert [name for name, _ in noted_in(path)] == ["b", "c"]


def test_a_missing_model_stops_the_run_and_what_was_done_is_kept(tmp_path: Path, doubler: Doubler) -> None:
    path = tmp_path / "journal"
    with pytest.raises(SettingsError, match="no such model"):
        list(journaled(path, doubler, ["a:1", "b:model", "c:3"], workers=1, chunk=1))
    assert [name for name, _ in noted_in(path)] == ["a"]


def test_its_digest_tells_what_it_says_and_not_how_it_came_to_be(tmp_path: Path, doubler: Doubler) -> None:
    one, two, other = tmp_path / "one", tmp_path / "two", tmp_path / "other"
    run(one, doubler, "a:1", "b:2", "c:3")
    run(two, doubler, "c:7", "x:9")
    run(two, doubler, "c:3", "b:2", "a:1")
    run(other, doubler, "a:1", "b:2", "c:4")
    assert journal_sha256(one) == journal_sha256(two) != journal_sha256(other)
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


def test_a_second_run_changes_nothing(tmp_path: Path, doubler: Doubler) -> None:
    path = tmp_path / "journal"
    run(path, doubler, "a:1", "b:2")
    before = path.read_bytes()
    run(path, doubler, "b:2", "a:1")
    assert path.read_bytes() == before


def test_nothing_lies_beside_it_after_a_run(tmp_path: Path, doubler: Doubler) -> None:
    run(tmp_path / "journal", doubler, "a:1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal", "marks"]


KILLED = """
import os, signal, sys
from pathlib import Path
from medveil.runtime import journal
from medveil.runtime.journal import Journal, Noted

journal.OFTEN = float(sys.argv[3])
kept = Journal(Path(sys.argv[1]))
for at in range(int(sys.argv[2])):
    kept.put(f"{at:05d}", Noted(str(at), {"filling": "x" * 500}))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("often", ["0", "0.002", "9"])
def test_a_kill_loses_the_last_entries_at_most(tmp_path: Path, often: str) -> None:
    """Also with a transaction larger than SQLite's memory for it, part of which is on the disk already."""
    path = tmp_path / "journal"
    kept = Journal(path)
    kept.put("before", Noted("", {}))
    kept.close()
    number = "300" if often == "0" else "8000"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), number, often], check=False)
    assert done.returncode == -signal.SIGKILL
    kept = Journal(path)  # takes back what was half-written
    assert kept.get("before") == Noted("", {})
    kept.close()
    names = [name for name, _ in noted_in(path) if name != "before"]
    assert names == [f"{at:05d}" for at in range(len(names))]
    assert len(names) == (300 if often == "0" else 0 if often == "9" else len(names))
    assert [other.name for other in tmp_path.iterdir()] == ["journal"]


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
entries = st.dictionaries(names, st.one_of(st.integers(-(2**53), 2**53), st.text(max_size=5), st.none()), max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(said=st.dictionaries(names, entries, max_size=6))
def test_what_is_put_is_got(tmp_path: Path, said: dict[str, Entry]) -> None:
    path = tmp_path / "journal"
    kept = Journal(path)
    for name, entry in said.items():
        kept.put(name, Noted("d", entry))
    kept.finish()
    kept.close()
    assert {name: noted.entry for name, noted in noted_in(path)} == said


@pytest.mark.parametrize("content", [b"no database" * 100, b'{"files": []}\n'])
def test_a_damaged_journal_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal"
    path.write_bytes(content)
    for look in (lambda: Journal(path), lambda: list(noted_in(path))):
        with pytest.raises(InputError, match=r"journal cannot be read; bring it back, or start in a new folder\Z"):
            look()


def test_a_missing_journal_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(noted_in(tmp_path / "journal"))
    with pytest.raises(StorageError, match="cannot be written there"):
        Journal(tmp_path / "no such folder" / "journal")


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Journal(tmp_path / "journal")
    kept._rows.execute("PRAGMA max_page_count = 4")
    with pytest.raises(StorageError, match="the disk is full"):
        for at in range(100):
            kept.put(str(at), Noted("", {"filling": "x" * 500}))
    kept._rows.close()


def test_a_journal_another_run_writes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Journal(tmp_path / "journal")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *told, **more: connect(*told, **more, timeout=0))
    with pytest.raises(MedveilError, match="another run is at work"):
        Journal(tmp_path / "journal")
    kept.close()

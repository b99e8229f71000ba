from __future__ import annotations

from itertools import islice
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medveil.runtime.journal import Journal

lines = st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"") + b"\n"), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=lines, cut=st.integers(0, 300))
def test_a_journal_cut_anywhere_ends_the_same(tmp_path: Path, lines: list[bytes], cut: int) -> None:
    whole = b"".join(lines)
    path = tmp_path / "journal"
    path.write_bytes(whole[:cut])
    journal = Journal(path)
    earlier = list(islice(journal.earlier_lines(), len(lines)))
    complete = whole[:cut].count(b"\n")
    assert earlier == lines[:complete] + [None] * (len(lines) - complete)
    for line in lines:
        journal.record(line)
    journal.finish()
    journal.close()
    assert path.read_bytes() == whole


def test_a_changed_line_voids_what_followed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\nthree\n")
    journal = Journal(path)
    journal.record(b"one\n")
    journal.record(b"2\n")
    journal.finish()
    journal.close()
    assert path.read_bytes() == b"one\n2\n"


def test_a_shorter_run_leaves_no_tail(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\n")
    journal = Journal(path)
    journal.record(b"one\n")
    journal.finish()
    journal.close()
    assert path.read_bytes() == b"one\n"


def test_a_run_that_stops_early_keeps_what_the_earlier_one_did(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\nthree\n")
    journal = Journal(path)
    journal.record(b"one\n")
    journal.close()
    assert path.read_bytes() == b"one\ntwo\nthree\n"

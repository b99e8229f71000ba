from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.errors import InputError
from medveil.person.keys import Keys
from medveil.release.clean import deidentify

KEY = "5a" * 32
KEYS = Keys(bytes.fromhex(KEY))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "report.txt").write_text("No effusion.")
    (folder / "Miller\x1b[2J.pdf").write_bytes(b"%PDF-1.7")
    (folder / "empty.dcm").write_bytes(b"")
    (tmp_path / "key").write_text(KEY)
    deidentify(folder, tmp_path / "out", keys=KEYS, workers=1)
    return folder


def shown(tmp_path: Path, source: Path) -> str:
    command = ["quarantine", tmp_path / "out", "--source", source, "--key-file", tmp_path / "key", "--quiet"]
    done = CliRunner().invoke(app, [str(word) for word in command], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_files_are_shown_by_name_beside_their_pseudonym_and_nothing_is_written(archive: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    said = shown(tmp_path, archive).splitlines()
    assert said == [
        "empty file (1)",
        f"  empty.dcm  [{KEYS.pseudonym('file', 'empty.dcm')}]",
        "not a kind of file that can be cleaned (1)",
        f"  Miller\\x1b[2J.pdf  [{KEYS.pseudonym('file', 'Miller' + chr(27) + '[2J.pdf')}]",
    ]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_pseudonym_of_no_file_is_shown_as_such(archive: Path, tmp_path: Path) -> None:
    (archive / "empty.dcm").unlink()
    assert f"  not in this source  [{KEYS.pseudonym('file', 'empty.dcm')}]" in shown(tmp_path, archive)


def test_another_key_and_another_folder_are_refused(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="has no quarantine"):
        CliRunner().invoke(
            app,
            ["quarantine", str(tmp_path / "other"), "--source", str(archive), "--key-file", str(tmp_path / "key")],
            catch_exceptions=False,
        )


def test_rows_of_a_table_are_shown_by_their_numbers(tmp_path: Path) -> None:
    source = tmp_path / "reports"
    source.mkdir()
    (source / "t.csv").write_text("patient_id,report\n1,Clear.\n2,Clear.,more\n" + "3,,\n" * 21)
    (tmp_path / "key").write_text(KEY)
    deidentify(source, tmp_path / "out", keys=KEYS, workers=1)
    rows = ", ".join(map(str, range(3, 23)))
    assert f"  rows {rows} and 2 more of t.csv  [" in shown(tmp_path, source)

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from medveil.errors import StorageError
from medveil.runtime.locks import locked


def test_a_file_and_a_folder_are_held_until_the_end(tmp_path: Path) -> None:
    for path in (tmp_path / "file", tmp_path):
        with locked(path, wait=True), pytest.raises(BlockingIOError), locked(path, wait=False):
            pass
        with locked(path, wait=False):
            pass


def test_a_place_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be created there"), locked(tmp_path / "absent" / "file", wait=True):
        pass


def test_nothing_needs_locks_to_be_imported() -> None:
    """As on Windows, where there is no fcntl."""
    code = "import sys; sys.modules['fcntl'] = None; import medveil.release, medveil.defenses.alignment.ledger"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

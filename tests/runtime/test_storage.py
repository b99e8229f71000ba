from __future__ import annotations

import errno
import json
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from medveil.errors import StorageError
from medveil.runtime.storage import atomic_path, refuse_unwritable, sweep, told, write_bytes, write_json


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"
    with pytest.raises(RuntimeError), atomic_path(target) as temporary:
        temporary.write_bytes(b"half")
        assert not target.exists()
        raise RuntimeError
    assert list(target.parent.iterdir()) == []
    write_bytes(target, b"whole")
    assert target.read_bytes() == b"whole"


def test_a_failed_overwrite_keeps_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_bytes(target, b"old")
    with pytest.raises(RuntimeError), atomic_path(target) as temporary:
        temporary.write_bytes(b"new")
        raise RuntimeError
    assert target.read_bytes() == b"old"


def test_private_files_are_for_their_owner_only(tmp_path: Path) -> None:
    write_bytes(tmp_path / "file", b"x", private=True)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_nan_is_refused_in_json(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "file.json", {"value": float("nan")})
    assert not (tmp_path / "file.json").exists()
    write_json(tmp_path / "file.json", {"b": 1, "a": "ü"})
    assert json.loads((tmp_path / "file.json").read_text()) == {"b": 1, "a": "ü"}


def test_leftovers_of_a_killed_run_are_swept(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".x.png.123.partial").write_bytes(b"half")
    (tmp_path / "a" / ".x.sqlite.123.partial-journal").write_bytes(b"what SQLite would roll back")
    (tmp_path / "a" / "x.png").write_bytes(b"whole")
    sweep(tmp_path)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["x.png"]


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    """The kernel itself refuses to write past the limit, as it does on a full disk."""
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "from medveil.errors import StorageError; from medveil.runtime.storage import write_bytes\n"
        "try: write_bytes(Path(sys.argv[1]), b'x' * 5000)\n"
        "except StorageError as error: print(error)\n"
    )
    target = tmp_path / "file"
    done = subprocess.run([sys.executable, "-c", code, str(target)], capture_output=True, text=True, check=True)
    assert done.stdout == "the disk is full; free some space and run the same command again\n"
    assert list(tmp_path.iterdir()) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EACCES, "cannot be written there"),
        (errno.EROFS, "cannot be written there"),
        (errno.ENOENT, "cannot be created there"),
        (errno.ENOTDIR, "is a file"),
    ],
)
def test_other_refusals_are_one_sentence_too(number: int, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence), told():
        raise OSError(number, "no", "/some/patient/name")


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "new" / "folder" / "page.html", "the page")
    (tmp_path / "file").write_bytes(b"")
    refuse_unwritable(tmp_path / "file", "the page")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    for place in (tmp_path, tmp_path / "file" / "page.html", Path("/proc/page.html")):  # where nobody may write
        with pytest.raises(StorageError, match=r"\Athe page cannot be written to .*; choose another place"):
            refuse_unwritable(place, "the page")

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from medveil.commands import releases  # noqa: F401
from medveil.commands.app import app
from medveil.errors import InputError, SettingsError


def run(*arguments: object) -> None:
    CliRunner().invoke(app, ["release", *map(str, arguments)], catch_exceptions=False)


def test_a_mistyped_key_file_is_refused_and_none_is_made(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(SettingsError, match="there is no key at"):
        run(tmp_path / "in", "-o", tmp_path / "out", "--key-file", tmp_path / "site.kye")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_what_comes_out_is_one_of_two(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "key").write_text("5a" * 32)
    with pytest.raises(SettingsError, match="table or as dicom"):
        run(tmp_path / "in", "-o", tmp_path / "out", "--key-file", tmp_path / "key", "--as", "nifti")


def test_no_key_is_made_for_an_input_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with pytest.raises(InputError, match="there is nothing at"):
        run(tmp_path / "mistyped", "-o", tmp_path / "out")
    assert not (tmp_path / "config").exists()

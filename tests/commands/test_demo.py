from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from medveil.cli import app


def test_fewer_patients_cannot_show_a_small_risk(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "40"])
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir())

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from medveil.cli import app


def test_the_demonstration_releases_a_hospital_and_protects_a_model(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "4", "--json"])
    assert done.exit_code == 0, done.exception
    told = json.loads(done.stdout)
    assert Path(told["page"]).is_file()
    assert Path(told["model"]["page"]).is_file()
    guarantee = json.loads(next((tmp_path / "model").rglob("guarantee.json")).read_text())
    assert guarantee["epsilon"]["pld"] <= 0.34

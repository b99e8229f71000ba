from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from medveil.cli import app


def test_a_hospital_too_small_for_a_model_is_released_all_the_same(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "4", "--workers", "1", "--json"])
    assert done.exit_code == 0, done.exception
    told = json.loads(done.stdout)
    assert Path(told["report"]).is_file()
    assert "model" not in told
    assert done.stderr.startswith("medveil: no model was protected: ")

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold


def test_the_command_writes_a_report_and_private_links(hospital_folder: Path, hospital: Cohort, tmp_path: Path) -> None:
    command = ["attack", "identity", str(hospital_folder), "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, command)
    found = json.loads(done.stdout)
    assert done.exit_code == (0 if found["verdict"] == "PASS" else 1)
    assert found["links"] > 0
    for name in ("links.csv", "set-aside.csv"):
        assert (tmp_path / "out" / name).stat().st_mode & 0o777 == 0o600
    gold = load_gold(hospital_folder)
    assert not gold.leaks((tmp_path / "out" / "report.html").read_text())
    assert not gold.leaks((tmp_path / "out" / "links.csv").read_text())

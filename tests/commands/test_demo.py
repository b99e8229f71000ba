from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from medveil.cli import app


def value(told: dict[str, Any], part: str) -> float:
    after = next(each for each in told["comparisons"] if each["part"] == part)["after"]
    return float(after["estimates"][after["headline"]]["value"])


@pytest.mark.slow
def test_the_demonstration_gives_both_answers_and_protects_a_model(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "60", "--json"])
    assert done.exit_code == 0, done.exception
    told = json.loads(done.stdout)
    assert told["verdict"] == "FAIL"
    protected = told["protected"]
    assert value(told, "identity") > 0.4 > 0.1 > value(protected, "identity")
    assert value(told, "singling-out") > 0.5 > 0.1 > value(protected, "singling-out")
    assert value(protected, "identity-adversaries") < 0.15
    assert all(Path(page["page"]).is_file() for page in (told, protected, told["model"]))
    guarantee = json.loads(next((tmp_path / "model").rglob("guarantee.json")).read_text())
    assert guarantee["epsilon"]["pld"] <= 0.34


def test_fewer_patients_cannot_show_a_small_risk(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path), "--patients", "40"])
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir())

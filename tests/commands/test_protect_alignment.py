from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from medveil.cli import app
from medveil.cohort import Cohort
from medveil.cohort.phantom.gold import load_gold
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.ledger import BudgetSpent
from medveil.errors import InputError, MedveilError, SettingsError
from medveil.release.protect import preparation


def protect(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["protect", "alignment", *map(str, arguments)])


@pytest.fixture(scope="module")
def pairs(hospital: Cohort, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The phantom hospital with most patients to measure on, and a finding that every second patient has."""
    folder = tmp_path_factory.mktemp("pairs")
    shutil.copytree(hospital.root / "files", folder / "files")
    table = hospital.table.copy()
    number = table.groupby("patient_id", sort=False).ngroup()
    table["split"] = np.select([number < 20, number < 23], ["test", "val"], "train")
    table["Edema"] = (number % 2).astype(float)
    Cohort.of(table, folder, name="Phantom hospital").save(folder)
    return folder


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    cache = tmp_path_factory.mktemp("cache")
    return ["--cache", cache, "--epochs", 1, "--batch", 8, "--canaries", 0, "--json"]


@pytest.fixture(autouse=True)
def few_phantoms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "PHANTOMS", 12)


def test_heads_and_their_guarantee_are_handed_over(pairs: Path, quick: list[object], tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [pairs, "-o", out, *quick, "--canaries", 20, "--transfer", pairs.parent / pairs.name / ".." / "none"]
    done = protect(*command[:-2])
    assert done.exit_code == 1, done.exception
    told = json.loads(done.stdout)
    assert told["settings"]["dp, ε 0.34"]["kind"] == "formal"
    guarantee = json.loads((out / "guarantee.json").read_text())
    assert guarantee["encoder"] == "medveil-small"
    assert 0.3 < guarantee["epsilon"]["pld"] <= 0.34
    assert "one patient that is there or not" in guarantee["guarantee"]["statement"]
    assert guarantee["audit"]["canaries"] == 20
    assert Heads.load(out / "heads.safetensors").parameter_count == guarantee["parameters"] == 2 * 128 * 257
    assert (out / "runs").stat().st_mode & 0o777 == 0o700
    report = json.loads((out / "report.json").read_text())
    assert report["removals"][0]["guarantee"]["kind"] == "formal"
    assert [c["part"] for c in report["comparisons"]] == ["linkage", "alignment"]
    assert any(gap["what"] == "Refit" and gap["blocking"] for gap in report["gaps"])  # too few pairs for one
    gold = load_gold(pairs.parent / "no" if not (pairs / "gold").exists() else pairs)
    for name in ("report.html", "report.json", "guarantee.json", "frontier.csv"):
        assert not gold.leaks((out / name).read_text()), name

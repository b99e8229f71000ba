"""`medveil release --advise` on the command line: the table, commands with the user's own paths, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.person.keys import Keys
from medveil.report.advice import Advice, Trial, TriedAttack

FOUND = {"value": 0.5, "sd": 0.1, "interval": [0.4, 0.6], "level": 0.95, "chance": 0.02, "control": None, "n": 9}
FOUND |= {"units": 9, "unit": "patient", "scenario": False}
ASKED = Trial("asked", "As asked for", "medveil release IN -o OUT", (TriedAttack("identity", "films", "FAIL", FOUND),))
LOST = Trial("anatomy-0.09", "Films drawn anew", "medveil release IN -o NEW", failed="too few patients")


def advised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, best: str | None, *more: str) -> Any:
    def answer(source: Path, out: Path, **rest: Any) -> Advice:
        return Advice(60, 90, 180, rest["settings"].accepted.value, (ASKED, LOST), best)

    monkeypatch.setattr("medveil.release.advise.advise", answer)
    (tmp_path / "my films").mkdir(exist_ok=True)
    Keys.load_or_create(tmp_path / "key")
    words = ["release", str(tmp_path / "my films"), "-o", str(tmp_path / "out"), "--key-file", str(tmp_path / "key")]
    return CliRunner().invoke(app, [*words, "--advise", *more])


def test_risk_and_utility_are_printed_and_the_command_can_be_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    best = "medveil release IN -o NEW --key-file KEY_FILE --protect anatomy --risk 0.045"
    done = advised(monkeypatch, tmp_path, best, "--recipient", "researcher")
    shown = done.stdout.replace("\u00a0", " ")
    assert done.exit_code == 0
    assert "Tried on 60 of 90 patients, 180 images, by attackers with little effort" in shown
    assert "accepted is a risk of 20 %" in shown
    assert "50.0 % (40.0–60.0 %); guessing" in shown
    assert "Films drawn anew: not possible on the sample: too few patients" in shown
    source, new, key = tmp_path / "my films", tmp_path / "out-2", tmp_path / "key"
    assert f"medveil release '{source}' -o {new} --key-file {key} --protect anatomy --risk 0.045" in shown
    assert not (tmp_path / "out").exists(), "nothing is released"


def test_where_nothing_keeps_the_risk_the_exit_code_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = advised(monkeypatch, tmp_path, None)
    assert done.exit_code == 1 and "Nothing that was tried keeps the accepted risk" in done.stdout
    told = json.loads(advised(monkeypatch, tmp_path, None, "--json").stdout)
    assert told["trials"][1]["failed"] == "too few patients" and told["best"] is None

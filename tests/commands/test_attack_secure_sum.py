from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from medveil.attacks.secure_sum.trials import OURS, STOCK, Trial
from medveil.cli import app


def test_the_command_tells_both_protocols_apart() -> None:
    pytest.importorskip("flwr")
    done = CliRunner().invoke(app, ["attack", "secure-sum", "--sites", "4", "--size", "64", "--json"])
    assert done.exit_code == 0, done.output
    seen = dict.fromkeys((STOCK, OURS), 0)
    for trial in json.loads(done.stdout)["trials"]:
        seen[trial["protocol"]] += trial["seen"]
    assert seen == {STOCK: 4 + 3, OURS: 0}  # with all there, and with one lost


def test_an_update_seen_under_our_masks_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Trial(OURS, "some means", sites=3, lost=0, seen=1, seconds=0.1)]
    monkeypatch.setattr("medveil.attacks.secure_sum.trials.trials", lambda *_, **__: found)
    done = CliRunner().invoke(app, ["attack", "secure-sum", "--sites", "3"])
    assert done.exit_code == 1 and "1 of 3 updates seen" in done.output


def test_one_hospital_is_refused() -> None:
    done = CliRunner().invoke(app, ["attack", "secure-sum", "--sites", "1"])
    assert done.exit_code == 2

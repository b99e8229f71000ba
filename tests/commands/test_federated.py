from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from medveil.cli import app
from medveil.commands.federated_coordinator import show_record
from medveil.errors import InputError, SettingsError
from medveil.federated.record import Record, RoundRecord, SiteRecord, save
from medveil.runtime.locks import locked

NAMES = ("north", "south", "west")
PLAN = """
title = "Effusions"
data = "frontal films of adults"
rounds = 2
[coordinator]
name = "North"
address = "127.0.0.1:8000"
[recipe]
side = 32
channels = 8
text = "none"
findings = ["Edema"]
[sites]
"""


def run(*words: object, expect: int = 0, typed: str | None = None) -> Any:
    done = CliRunner().invoke(app, ["federated", *map(str, words)], input=typed)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == expect, done.output
    return done


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    lines = []
    for name in NAMES:
        line = json.loads(run("keys", tmp_path / name, "--json").stdout)["key"]
        lines.append(f'{name} = "{line}"')
    path = tmp_path / "plan.toml"
    path.write_text(PLAN + "\n".join(lines))
    return path


def test_a_site_sees_the_plan_and_says_yes(plan: Path, tmp_path: Path) -> None:
    shown = run("approve", plan, "--folder", tmp_path / "south", typed="y\n").output
    for words in ("frontal films of adults", "127.0.0.1:8000", "What leaves this site", "No differential privacy"):
        assert words in shown
    assert "south has approved plan" in shown
    assert json.loads((tmp_path / "south" / "approval.json").read_text())["site"] == "south"


@pytest.mark.parametrize("how", ["--quiet", "--json"])
def test_nobody_is_asked_about_a_plan_that_is_not_shown(plan: Path, tmp_path: Path, how: str) -> None:
    done = run("approve", plan, "--folder", tmp_path / "south", how, typed="y\n")
    assert "What leaves this site" in done.stderr and "What leaves this site" not in done.stdout


def test_who_says_no_has_approved_nothing(plan: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["federated", "approve", str(plan), "--folder", str(tmp_path / "west")], input="n\n")
    assert done.exit_code == 1 and "Nothing was signed" in done.output
    assert not (tmp_path / "west" / "approval.json").exists()
    with pytest.raises(SettingsError, match="approved no plan"):
        run("join", plan, tmp_path, "--folder", tmp_path / "west")


def test_the_digest_stands_for_the_answer_only_if_it_is_the_plans(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="digest is") as told:
        run("approve", plan, "--folder", tmp_path / "west", "--digest", "00000000")
    digest = str(told.value).split("digest is ")[1][:12]
    run("approve", plan, "--folder", tmp_path / "west", "--digest", digest, "--quiet")
    plan.write_text(plan.read_text().replace("rounds = 2", "rounds = 3"))
    with pytest.raises(SettingsError, match="not this one"):
        run("join", plan, tmp_path, "--folder", tmp_path / "west")


def test_a_site_whose_budget_lasts_for_no_round_is_told_before_it_joins(
    plan: Path, tmp_path: Path, hospital_folder: Path
) -> None:
    pytest.importorskip("flwr")
    plan.write_text(plan.read_text().replace("[sites]", "[recipe.privacy]\nepsilon = 0.1\nnoise = 0.5\n[sites]"))
    run("approve", plan, "--folder", tmp_path / "west", typed="y\n")
    with pytest.raises(SettingsError, match=r"one round costs more than ε = 0\.1"):
        run("join", plan, hospital_folder, "--folder", tmp_path / "west", "--ledger", tmp_path / "ledger.json")
    assert not (tmp_path / "ledger.json").exists()


def test_a_site_is_told_in_a_sentence_why_it_is_over(
    plan: Path, tmp_path: Path, hospital_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("approve", plan, "--folder", tmp_path / "west", typed="y\n")
    monkeypatch.setattr("medveil.federated.joining.join", lambda *given, **how: "plan")
    done = run("join", plan, hospital_folder, "--folder", tmp_path / "west", expect=1)
    assert "is over for this site: it has approved another plan" in done.stdout


def test_a_run_without_a_round_has_failed(tmp_path: Path) -> None:
    record = Record("d" * 64, "Effusions", 5, True, "mean", {"north": SiteRecord(why="budget")}, "ended")
    with pytest.raises(typer.Exit) as left:
        show_record(record, tmp_path, json=False, quiet=True)
    assert left.value.exit_code == 1
    record.history.append(RoundRecord(1, ("north",), {}, {}, {}, 1.5))
    show_record(record, tmp_path, json=False, quiet=True)


def test_keys_for_a_coordinator_fit_a_plan(tmp_path: Path) -> None:
    done = run("keys", tmp_path / "c", "--host", "fed.example.org")
    assert 'authority = "' in done.output and (tmp_path / "c" / "coordinator.pem").exists()
    assert run("keys", tmp_path / "c", "--host", "fed.example.org").output == done.output
    with pytest.raises(SettingsError, match="is not for other"):
        run("keys", tmp_path / "c", "--host", "other.example.org")


def test_the_line_of_a_key_is_printed_again(tmp_path: Path) -> None:
    first = run("keys", tmp_path / "site").output
    key = (tmp_path / "site" / "node.key").read_bytes()
    assert run("keys", tmp_path / "site").output == first and (tmp_path / "site" / "node.key").read_bytes() == key


def test_without_a_certificate_the_coordinator_stays_on_its_machine(plan: Path, tmp_path: Path) -> None:
    pytest.importorskip("flwr")
    with pytest.raises(SettingsError, match="on this machine only"):
        run("coordinate", plan, "-o", tmp_path / "out", "--host", "0.0.0.0")


def test_status_tells_rounds_bytes_and_who_is_missing(tmp_path: Path) -> None:
    sites = {
        "north": SiteRecord(present=True, bytes_sent=1234, epsilon=0.5),
        "south": SiteRecord(why="budget", bytes_sent=99),
    }
    record = Record("d" * 64, "Effusions", 5, True, "mean", sites, "training")
    record.history.append(RoundRecord(1, ("north",), {"south": "absent"}, {"north": 1234}, {"north": 5}, 1.5))
    save(tmp_path, record)
    assert "Effusions: stopped; round 1 of 5" in run("status", tmp_path).output
    with locked(tmp_path, wait=False):
        told = run("status", tmp_path).output
    assert "Effusions: training; round 1 of 5" in told and "north: present, 1,234 bytes sent, ε = 0.5 spent" in told
    assert "south: absent, 99 bytes sent, it has spent its privacy budget" in told
    assert json.loads(run("status", tmp_path, "--json").stdout)["history"][0]["set_aside"] == {"south": "absent"}
    with pytest.raises(InputError, match="holds no federation"):
        run("status", tmp_path / "none")


def test_a_device_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    parts = ("--trained", tmp_path / "none", "--test", tmp_path / "none", "-o", tmp_path / "report")
    with pytest.raises(SettingsError, match="device gpu cannot be used"):
        run("report", tmp_path / "plan.toml", tmp_path, *parts, "--device", "gpu")


def test_pooled_films_are_trained_on_for_comparison(plan: Path, tmp_path: Path, hospital_folder: Path) -> None:
    words = ("simulate", plan, hospital_folder, "--pooled", "-o", tmp_path / "central")
    with pytest.raises(SettingsError, match="--pooled deals nobody out"):
        run(*words, "--clients", 3)
    assert "for comparison alone: 2 rounds" in run(*words).output
    assert json.loads(run(*words, "--json").stdout)["rounds"] == 2
    assert (tmp_path / "central" / "model.safetensors").exists()

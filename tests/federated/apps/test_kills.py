"""Kills at random moments, of sites and of the coordinator, as the commands themselves run: the books never say less
than was spent, and training goes on. Four of them, or as many as MEDVEIL_KILLS says; twenty take minutes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.cohort.phantom.hospital import build_hospital
from medveil.federated.approval import approve, write_approval
from medveil.federated.credentials import make_node_key, read_node_key
from medveil.federated.plan import read_plan
from medveil.federated.record import read_record

KILLS = int(os.environ.get("MEDVEIL_KILLS", "4"))
ROUNDS = 2 + KILLS // 2
NAMES = ("north", "south", "west")
PLAN = """
title = "Kills"
data = "phantoms"
rounds = {rounds}
patience = 3600.0
[coordinator]
name = "here"
address = "127.0.0.1:{port}"
[recipe]
side = 32
channels = 8
text = "none"
findings = ["Edema", "Cardiomegaly"]
local_steps = 6
batch = 4
[recipe.privacy]
epsilon = 1000.0
delta = 1e-3
noise = 0.7
[sites]
"""


class Process:
    """One command, which is started again whenever it was killed."""

    def __init__(self, folder: Path, name: str, *words: object) -> None:
        self.name, self._words, self._log = name, list(map(str, words)), folder / f"{name}.log"
        self._environment = os.environ | {"XDG_CONFIG_HOME": str(folder / "config" / name), "OMP_NUM_THREADS": "1"}
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.running = subprocess.Popen(
                [sys.executable, "-c", "from medveil.cli import main; main()", "federated", *self._words],
                stdout=log,
                stderr=log,
                env=self._environment,
            )

    def kill(self) -> None:
        self.running.send_signal(signal.SIGKILL)
        self.running.wait()

    def said(self) -> str:
        return self._log.read_text()


def booked(folder: Path) -> list[str]:
    """The rounds in a site's ledger, by what was asked."""
    ledger = folder / "ledger.json"
    return list(json.loads(ledger.read_text())["runs"]) if ledger.exists() else []


def kept(folder: Path) -> str | None:
    """What the update that lies at a site was an answer to. Nothing leaves before it lies there."""
    try:
        with np.load(folder / "training" / "last-update.npz") as held:
            return bytes(held["question"]).decode()
    except FileNotFoundError:
        return None


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")
def test_kills_cost_no_privacy_and_no_round(tmp_path: Path, free_port: int) -> None:
    build_hospital(tmp_path / "hospital", patients=12, sites=1, size=64, workers=1)
    lines = [f'{name} = "{make_node_key(tmp_path / name)}"' for name in NAMES]
    plan_file = tmp_path / "plan.toml"
    plan_file.write_text(PLAN.format(rounds=ROUNDS, port=free_port) + "\n".join(lines))
    plan = read_plan(plan_file)
    for name in NAMES:
        write_approval(tmp_path / name, approve(plan, read_node_key(tmp_path / name)))
    out, rng = tmp_path / "out", np.random.default_rng(20)
    site = [
        Process(
            tmp_path,
            name,
            "join",
            plan_file,
            tmp_path / "hospital",
            "--folder",
            tmp_path / name,
            "--ledger",
            tmp_path / name / "ledger.json",
            "--tell-epsilon",
        )
        for name in NAMES
    ]
    everybody = [*site, Process(tmp_path, "coordinator", "coordinate", plan_file, "-o", out)]
    kills, last = 0, ""
    try:
        until = time.monotonic() + 3600
        while time.monotonic() < until:
            time.sleep(float(rng.uniform(0.05, 0.8)))
            state = read_record(out).state if (out / "federation.json").exists() else "waiting"
            if state == "finished" and all(one.running.poll() is not None for one in everybody):
                break
            if kills < KILLS and progressed(tmp_path, out) != last and state != "finished":
                last = progressed(tmp_path, out)
                victim = everybody[int(rng.integers(len(everybody)))]
                victim.kill()
                kills += 1
                for name in NAMES:  # at this very moment
                    question = kept(tmp_path / name)
                    assert question is None or question in booked(tmp_path / name)
                victim.start()
            for one in everybody:
                assert one.running.poll() in (None, 0), one.said()
        record = read_record(out)
        assert record.state == "finished", "\n".join(one.said() for one in everybody)
    finally:
        for one in everybody:
            if one.running.poll() is None:
                one.kill()
    assert kills == KILLS
    counted = [one for one in record.history if one.counted]
    assert record.round == ROUNDS and len(counted) >= 1
    for name in NAMES:
        took_part = sum(name in one.took_part for one in counted)
        assert len(booked(tmp_path / name)) >= took_part == len(counted)
        told = record.sites[name].epsilon
        assert told is not None and told > 0
        assert all(len(run) == 32 and int(run, 16) >= 0 for run in booked(tmp_path / name))
    assert hashlib.sha256((out / record.weights).read_bytes()).hexdigest() == record.weights_sha256


def rounds_over(out: Path) -> int:
    return read_record(out).round if (out / "federation.json").exists() else 0


def progressed(folder: Path, out: Path) -> str:
    """Changes whenever something was written down: kills fall into work and not into the start of a program."""
    seen: list[Any] = [rounds_over(out)]
    for name in NAMES:
        for file in ("rounds-*.json", "session.json", "ledger.json"):
            seen.append([path.stat().st_mtime_ns for path in (folder / name).glob(file)])
    return json.dumps(seen)

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KILLS, ROUNDS = 20, 8

# Children of one process that has everything loaded: each trains until it is killed, or to the end.
DRIVER = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path

import numpy as np
import torch

torch.set_num_threads(1)
from medveil.federated.local_training import LEDGER, SECRET, LocalTraining, initial
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.rounds import federate
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import LocalSteps

folder, kills, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
recipe = Recipe(
    findings=("Edema",), side=32, channels=8, words=8, buckets=64, text_width=16, text_layers=1, embedding=8,
    local_steps=3, batch=6, negatives=4, privacy=Privacy(epsilon=50.0, noise=1.5),
)
rng = np.random.default_rng(0)
films = Films.gathered(
    rng.integers(0, 255, (12, 32, 32)).astype(np.uint8), ["edema is seen"] * 12,
    np.ones((12, 1), np.float32), np.ones((12, 1), bool), [f"p{n // 2}" for n in range(12)], recipe,
)
initial(recipe)  # loads what the children need
steps = LocalSteps.run

def watched(self, network, round_number, randomness):
    with open(folder / "begun", "a") as file:
        file.write(f"{round_number}\\n")
        file.flush()
        os.fsync(file.fileno())
    steps(self, network, round_number, randomness)

LocalSteps.run = watched

def train(place):
    return federate(recipe, {"a": LocalTraining(recipe, films, place / "site")}, rounds, folder=place / "server")

def booked():
    path = folder / "site" / LEDGER
    return len(json.loads(path.read_text())["runs"]) if path.exists() else 0

chance = random.Random(5)
undercounted = ended = killed = 0
while True:
    child = os.fork()
    if child == 0:
        done = train(folder)
        os._exit(0 if len(done.rounds) == rounds else 3)
    if killed < kills:
        time.sleep(chance.uniform(0.01, 0.6))
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    begun = set((folder / "begun").read_text().split()) if (folder / "begun").exists() else set()
    undercounted += booked() < len(begun)
    if os.WIFSIGNALED(status):
        killed += 1
        continue
    ended = os.WEXITSTATUS(status)
    if killed >= kills or ended:
        break
    killed += 1  # it was done before the blow fell
other = folder / "other"
(other / "site").mkdir(parents=True)
shutil.copy(folder / "site" / SECRET, other / "site" / SECRET)
LocalSteps.run = steps
first, second = train(folder).shared, train(other).shared
same = all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
print(json.dumps({"undercounted": undercounted, "ended": ended, "killed": killed, "booked": booked(), "same": same}))
"""


@pytest.mark.exhaustive
def test_twenty_kills_never_leave_the_ledger_short_and_training_ends_in_the_same_weights(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(tmp_path), str(KILLS), str(ROUNDS)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {"undercounted": 0, "ended": 0, "killed": KILLS, "booked": ROUNDS, "same": True}

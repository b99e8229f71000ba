"""A release killed at twenty random moments and restarted ends with the same bytes as an undisturbed one."""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
from pathlib import Path

import pytest

from medveil.runtime.journal import FILE as JOURNAL
from medveil.runtime.journal import journal_sha256

pytestmark = pytest.mark.slow

# One process imports everything once, then forks a release after another and kills it.
DRIVER = """
import os, random, signal, sys, time
from pathlib import Path
from medveil.cohort.dicom import many
from medveil.person.keys import Keys
from medveil.runtime import journal
from medveil.release import Settings, release

many.ordered_map = journal.ordered_map = lambda function, items, **more: map(function, items)  # no start of workers
source, folder, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

# quick parts: more kills land while files are written
SETTINGS = Settings(defenses=("headers", "table"), attacks=("pixel-similarity", "singling-out"))

def start(out):
    pid = os.fork()
    if pid == 0:
        release(source, out, keys=Keys.for_demonstration(1), settings=SETTINGS, workers=1)
        os._exit(0)
    return pid

def finish(out):
    assert os.waitpid(start(out), 0)[1] == 0

began = time.monotonic()
finish(folder / "undisturbed")
whole = time.monotonic() - began
rng = random.Random(seed)
kills, trial = 0, 0
while kills < 20:
    out = folder / f"killed{trial}"
    for _ in range(5):
        pid = start(out)
        time.sleep(rng.uniform(0, whole))
        os.kill(pid, signal.SIGKILL)
        if not os.WIFSIGNALED(os.waitpid(pid, 0)[1]):
            break  # it was done before the kill
        kills += 1
    finish(out)
    trial += 1
print(trial)
"""


def same(one: Path, other: Path) -> bool:
    names = [{str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} for folder in (one, other)]
    files = names[0] - {JOURNAL}
    return (
        names[0] == names[1]
        and not any(filecmp.cmpfiles(one, other, files, shallow=False)[1:])
        and journal_sha256(one / JOURNAL) == journal_sha256(other / JOURNAL)
    )


@pytest.fixture
def small_hospital(tmp_path: Path) -> Path:
    from medveil.cohort.phantom.hospital import build_hospital

    build_hospital(tmp_path / "hospital", patients=14, size=256, seed=3, workers=1)
    return tmp_path / "hospital"


def test_twenty_kills_change_no_byte(small_hospital: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, small_hospital, tmp_path, "5"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    for trial in range(int(done.stdout)):
        assert same(tmp_path / f"killed{trial}", tmp_path / "undisturbed"), f"trial {trial} differs"

"""A de-identification killed at random moments and started again ends with the same bytes as an undisturbed one."""

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

# One process imports everything and loads the models once, then forks a run after another and kills it.
DRIVER = """
import os, random, signal, sys, time
from pathlib import Path
from medveil.cohort.dicom import many
from medveil.person.keys import Keys
from medveil.runtime import journal
from medveil.release.clean import deid_defenses, deidentify

many.ordered_map = journal.ordered_map = lambda function, items, **more: map(function, items)  # no start of workers
source, folder = Path(sys.argv[1]), Path(sys.argv[2])
KEYS, SETTINGS = Keys.for_demonstration(1), deid_defenses(fill="black")

def run(out):
    deidentify(source, out, keys=KEYS, defenses=SETTINGS, workers=1)

def start(out):
    pid = os.fork()
    if pid == 0:
        run(out)
        os._exit(0)
    return pid

run(folder / "undisturbed")  # here: what it loads is there in every fork
began = time.monotonic()
assert os.waitpid(start(folder / "timed"), 0)[1] == 0
whole = time.monotonic() - began
rng = random.Random(3)
kills, trial = 0, 0
while kills < 10:
    out = folder / f"killed{trial}"
    for _ in range(5):
        pid = start(out)
        time.sleep(rng.uniform(0, whole))
        os.kill(pid, signal.SIGKILL)
        if not os.WIFSIGNALED(os.waitpid(pid, 0)[1]):
            break  # it was done before the kill
        kills += 1
    assert os.waitpid(start(out), 0)[1] == 0
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


def test_ten_kills_change_no_byte(tmp_path: Path, write_dicom) -> None:
    for number in range(8):
        values = {"PatientID": f"MR-000{number // 2}", "StudyInstanceUID": f"1.2.{number}"}
        write_dicom(tmp_path / f"in/{number}.dcm", SOPInstanceUID=f"1.2.3.{number}", **values)
        (tmp_path / f"in/{number}.txt").write_text("John Pemberton was seen on 02/20/2024 by Dr. Kowalczyk.\n" * 4)
    (tmp_path / "in/strange.pdf").write_bytes(b"%PDF")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, tmp_path / "in", tmp_path], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for trial in range(int(done.stdout)):
        assert same(tmp_path / f"killed{trial}", tmp_path / "undisturbed"), f"trial {trial} differs"

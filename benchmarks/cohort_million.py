"""A cohort of a million rows: open, validate, split and describe. The limits are 20 s and 2 GB.

    python benchmarks/cohort_million.py [ROWS]

Writes a table of realistic proportions (reports of about 600 characters, 3.5 images a patient), then opens
and describes it in a fresh process, whose time and peak memory are printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from medveil.cohort import LABELS, Cohort
from medveil.cohort.describe import describe
from medveil.cohort.splits import assign_splits


def make(folder: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    patients = np.sort(rng.integers(rows // 3.5, size=rows))
    words = np.array(["no ", "acute ", "finding ", "heart ", "is ", "enlarged ", "small ", "left ", "effusion "])
    bodies = np.array(["".join(rng.choice(words, 100)) for _ in range(2000)], dtype=object)
    number = np.arange(rows)
    table = pd.DataFrame(
        {
            "image_id": [f"1.2.840.113619.{k}" for k in number],
            "patient_id": [f"MRN{p:08d}" for p in patients],
            "study_id": [f"ACC{k:09d}" for k in number],
            "site": rng.choice(["north", "south"], rows),
            "view": rng.choice(["PA", "AP"], rows),
            "path": [f"files/{p % 100:02d}/{p}/{k}.dcm" for k, p in zip(number, patients, strict=True)],
            "report": [f"Study {k}. {bodies[k % 2000]}" for k in number],
            "age": rng.integers(18, 90, rows),
            "sex": np.array(["F", "M"])[patients % 2],
            "date": pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 2000, rows), unit="D"),
            **{label: rng.choice([1, 0, -1, np.nan], rows) for label in LABELS},
        }
    )
    Cohort.of(table, folder).save(folder)


def use(folder: Path) -> None:
    start = time.perf_counter()
    cohort = Cohort.open(folder)
    opened = time.perf_counter()
    splits = assign_splits(cohort.table["patient_id"])
    split = time.perf_counter()
    describe(cohort)
    end = time.perf_counter()
    # not getrusage: its peak is inherited from the process that started this one
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 2**20
    print(f"{len(cohort):,} rows, {len(splits.unique())} splits")
    print(f"open and validate {opened - start:.1f} s, split {split - opened:.1f} s, describe {end - split:.1f} s")
    print(f"in all {end - start:.1f} s (limit 20 s), peak memory {peak:.2f} GB (limit 2 GB)")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        use(Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            count = sys.argv[1] if len(sys.argv) > 1 else "1000000"
            make(Path(folder), int(count))
            subprocess.run([sys.executable, __file__, count, folder], check=True)

"""A plan for a table of a million images, and the same task beside anjana, with pycanon as a second count.

    python benchmarks/table_search.py [--patients 450000] [--k 11 | --risk 0.09] [--dates] [--peers FOLDER]

A table of realistic proportions is drawn: 2.2 studies a patient, twelve sites of unequal size, ten years. It is planned
in a fresh process, whose time and peak memory are printed. `--peers` names a folder into which the peers were installed
(pip install --no-deps --target FOLDER anjana pycanon beartype): both then plan a smaller table of one study a patient,
with the same steps for age and site, and the loss of each is counted in the same way. `--dates` prints instead what
each way of telling dates leaves to the attack on visit intervals.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from medveil.attacks.visit_intervals.attack import VisitIntervals
from medveil.cohort import Cohort
from medveil.cohort.schema import conform
from medveil.defenses.table.application import applied
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.generalisation import AGES, WEIGHTS, Node, age_loss
from medveil.defenses.table.search import plan_table
from medveil.person.keys import Keys

KEYS = Keys.for_demonstration(7)
PEER_PATIENTS = 20_000
LOST = "*"


def drawn(patients: int, *, several: bool = True) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    studies = draw.geometric(0.45, patients) if several else np.ones(patients, dtype=int)
    patient = np.repeat(np.arange(patients), studies)
    gaps = draw.exponential(120, len(patient)).astype(int) + 1
    first = np.r_[True, patient[1:] != patient[:-1]]
    gaps[first] = draw.integers(0, 3650, patients)
    days = np.cumsum(gaps)
    days -= np.repeat(days[first] - gaps[first], studies)
    return conform(
        pd.DataFrame(
            {
                "image_id": [f"image-{number}" for number in range(len(patient))],
                "patient_id": [f"MRN{number:08d}" for number in patient],
                "study_id": [f"ACC{number:09d}" for number in range(len(patient))],
                "path": "x.dcm",
                "site": [f"site {number}" for number in np.minimum(draw.geometric(0.25, patients), 12)[patient]],
                "age": np.clip(draw.normal(55, 20, patients), 0, 104)[patient],
                "sex": np.where(draw.random(patients) < 0.5, "F", "M")[patient],
                "date": pd.Timestamp("2010-01-01") + pd.to_timedelta(days, unit="D"),
                "Pneumonia": (draw.random(len(patient)) < 0.1).astype(float),
            }
        )
    )


def large(patients: int, k: int, risk: float | None) -> None:
    table = drawn(patients)
    start, worked = time.perf_counter(), time.process_time()
    plan = plan_table(table, KEYS, risk=risk, k=None if risk else k)
    took, worked = time.perf_counter() - start, time.process_time() - worked
    figures = plan.figures
    print(
        f"{len(table):,} images of {patients:,} patients, {f'risk {risk:g}' if risk else f'k = {k}'}: {took:.1f} s by "
        f"the clock, {worked:.1f} s of one core; {figures.searched} of {figures.generalisations} generalisations "
        f"looked at; {plan.node}, smallest group {figures.alike}, loss {figures.loss:.3f}, withheld "
        f"{figures.withheld_images:,} images, cells {dict(figures.cells)}, success {figures.success_before:.3f} "
        f"before, {figures.success:.4f} after (upper end {figures.upper:.4f})"
    )
    # not getrusage: its peak is inherited from the process that started this one
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 2**20
    print(f"peak memory {peak:.2f} GB")


def dates(patients: int) -> None:
    table = drawn(patients)
    originals = Cohort.of(table, Path())
    print(f"{patients:,} patients, {len(table):,} studies")
    for told in ("day", "blurred", "month", "quarter", "year", "dropped"):
        released, _ = applied(table, CarriedPlan(Node(dates=told)), KEYS)
        found = VisitIntervals().run(Cohort.of(table.assign(date=released["date"]), Path()), originals, seed=7)
        hit = found.estimate
        print(
            f"{told:>8}: {hit.value:.3f} ({hit.low:.3f} to {hit.high:.3f}) of {hit.n:,}; number of visits alone "
            f"{hit.control:.4f}, " + ", ".join(f"{name} {one.value:.3f}" for name, one in found.estimates.items())
        )


def beside_peers(folder: Path, k: int) -> None:
    sys.path.insert(0, str(folder))
    from anjana.anonymity import k_anonymity
    from pycanon import anonymity

    table = drawn(PEER_PATIENTS, several=False)
    start = time.perf_counter()
    plan = plan_table(table, KEYS, k=k, facts=("age", "sex", "site"), most_excepted=0.05)
    ours = time.perf_counter() - start
    told, _ = applied(table, plan.carried, KEYS)
    counted = anonymity.k_anonymity(_plain(told), ["age", "sex", "site"])
    print(
        f"medveil: {ours:.2f} s, {plan.node}, smallest group {plan.figures.alike} (pycanon counts {counted}), "
        f"loss {plan.figures.loss:.4f}"
    )
    rows = _plain(table.assign(age=np.minimum(np.floor(table["age"]), 90)))
    start = time.perf_counter()
    made = k_anonymity(rows, ["patient_id"], ["age", "sex", "site"], k, 5, _hierarchies(rows))
    theirs = time.perf_counter() - start
    print(
        f"anjana:  {theirs:.2f} s, smallest group {anonymity.k_anonymity(made, ['age', 'sex', 'site'])}, "
        f"loss {_loss(made, len(rows)):.4f}, {len(rows) - len(made):,} rows withheld"
    )


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    told = table[["patient_id", "age", "sex", "site"]].astype(object)
    return told.where(told.notna(), LOST).astype({"patient_id": str, "sex": str, "site": str})


def _hierarchies(rows: pd.DataFrame) -> dict[str, Any]:
    """The same steps as ours: bands of ages, sites kept or dropped, sex kept."""
    ages = rows["age"].to_numpy(dtype=float)
    bands = {level: (ages // width * width if width else np.full(len(ages), -1.0)) for level, width in enumerate(AGES)}
    bands[0] = rows["age"].to_numpy()
    return {
        "age": bands,
        "sex": {0: rows["sex"].to_numpy()},
        "site": {0: rows["site"].to_numpy(), 1: np.full(len(rows), LOST, dtype=object)},
    }


def _loss(made: pd.DataFrame, rows: int) -> float:
    """As medveil counts it: cells by what they lost, rows that are withheld by everything."""
    distinct = np.diff(np.unique(made["age"].astype(float)))
    width = 0 if not len(distinct) else int(distinct.min())
    cells = WEIGHTS["age"] * age_loss(width) + WEIGHTS["site"] * float((made["site"] == LOST).mean())
    whole = WEIGHTS["age"] + WEIGHTS["sex"] + WEIGHTS["site"] + WEIGHTS["film"]
    return (len(made) * cells + (rows - len(made)) * whole) / (rows * whole)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=450_000)
    parser.add_argument("--k", type=int, default=11)
    parser.add_argument("--risk", type=float)
    parser.add_argument("--dates", action="store_true")
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.dates:
        dates(given.patients)
    elif given.here:
        large(given.patients, given.k, given.risk)
    else:
        subprocess.run([sys.executable, __file__, "--here", *sys.argv[1:]], check=True)
        if given.peers:
            beside_peers(given.peers, given.k)

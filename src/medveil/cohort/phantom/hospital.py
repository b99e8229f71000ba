"""Building a phantom hospital: DICOM files, reports, the answer key, and the cohort table over them.

    OUT/phantom.json        the settings it was built with
    OUT/files/site-1/...    DICOM files, named as that site names them
    OUT/reports/site-1/...  reports as text
    OUT/gold/...            the answer key (see `gold`)
    OUT/cohort.parquet      written last: a folder that has it is whole

Patients are made one by one, each from (seed, number) alone, so the bytes do not depend on the number of
workers or patients. Every file appears by atomic rename and a patient's answer key comes last: a killed run,
started again, leaves whole patients as they are and makes the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.chart import MOST_PATIENTS, make_demographics
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.sites import MOST as MOST_SITES
from medveil.cohort.phantom.sites import make_site
from medveil.errors import InputError
from medveil.runtime.processes import warm_up
from medveil.runtime.storage import sweep, write_json
from medveil.runtime.threads import available_cores
from medveil.runtime.workers import ordered_map

if TYPE_CHECKING:
    from medveil.cohort.cohort import Cohort
    from medveil.cohort.phantom.patient_files import Row

SETTINGS = "phantom.json"
FORMAT = "medveil.phantom/1"
COHORT = "cohort.parquet"
SMALLEST, LARGEST = 64, 4096

Pair = tuple[NDArray[np.uint16], str]
Progress = Callable[[int, int], None]


def build_hospital(
    out: Path,
    *,
    patients: int = 200,
    sites: int = 3,
    seed: int = 7,
    size: int = 512,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Cohort:
    """Build the hospital in `out`, or finish or open the one already there with the same settings.

    `progress` is called with the number of patients done and the number of all.
    """
    out = Path(out)
    _check(patients=patients, sites=sites, seed=seed, size=size, workers=workers)
    _claim(out, {"format": FORMAT, "patients": patients, "sites": sites, "seed": seed, "size": size})
    if (whole := _whole(out)) is not None:
        return whole
    if (workers or available_cores()) > 1:
        warm_up("medveil.cohort.phantom.patient_files")  # they load what draws while this process loads tables
    from medveil.cohort.cohort import Cohort
    from medveil.cohort.schema import Rows
    from medveil.cohort.splits import assign_splits

    sweep(out)
    make = partial(_make_patient, out, seed, sites, size)
    rows = Rows()
    for done, made in enumerate(ordered_map(make, range(patients), workers=workers, chunk=1), 1):
        rows.extend(made)
        if progress:
            progress(done, patients)
    sweep(out)  # again: workers of a killed run outlive it by a moment and may drop half a file
    table = rows.table()
    cohort = Cohort.of(table.assign(split=assign_splits(table["patient_id"])), out, name="Phantom hospital")
    cohort.save(out)
    return cohort


def _make_patient(out: Path, seed: int, sites: int, size: int, number: int) -> list[Row]:
    from medveil.cohort.phantom.patient_files import HospitalSettings, make_patient

    return make_patient(HospitalSettings(seed, sites, size, out), number)


def _check(*, patients: int, sites: int, seed: int, size: int, workers: int | None) -> None:
    ranges = (
        ("patients", patients, 1, MOST_PATIENTS),
        ("sites", sites, 1, MOST_SITES),
        ("seed", seed, 0, 2**31 - 1),
        ("size", size, SMALLEST, LARGEST),
        ("workers", 1 if workers is None else workers, 1, 1024),
    )
    for name, value, least, most in ranges:
        if not least <= value <= most:
            raise InputError(f"{name} is {value}; choose a number from {least} to {most}")


def _claim(out: Path, settings: dict[str, Any]) -> None:
    """Note the settings, or refuse a folder that holds something else."""
    path = out / SETTINGS
    if not path.exists():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"{out} is not an empty folder; choose a new one for the phantom hospital")
        write_json(path, settings)
        return
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if found != settings:
        raise InputError(f"{out} holds a phantom hospital made with other settings; choose another folder")


def _whole(out: Path) -> Cohort | None:
    """The hospital in `out` if nothing of it is missing."""
    if not (out / COHORT).exists():
        return None
    import pandas as pd

    from medveil.cohort.cohort import Cohort
    from medveil.cohort.phantom.patient_files import gold_files, report_name

    cohort = Cohort.open(out)
    table = cohort.table
    number, _ = pd.factorize(table["patient_id"])
    visits = table.groupby("patient_id", sort=False).cumcount()
    for path, study, site, patient, visit in zip(
        table["path"], table["study_id"], table["site"], number, visits, strict=True
    ):
        expected = (path, report_name(site, study), *gold_files(int(patient), int(visit)))
        if not all((out / name).exists() for name in expected):
            return None
    return cohort


def phantom_pairs(count: int, *, seed: int, size: int = 256, workers: int | None = None) -> Iterator[Pair]:
    """Radiographs with their reports, in memory: pairs that are nobody's, wherever some are needed.

    The first visit of `count` patients from all sites; the same seed gives the same pairs.
    """
    return ordered_map(partial(_pair, seed, size), range(count), workers=workers)


def _pair(seed: int, size: int, number: int) -> Pair:
    from medveil.cohort.phantom.radiograph import draw
    from medveil.cohort.phantom.reports import write_report

    patient = plan_patient(seed, number, MOST_SITES)
    site, visit = make_site(seed, patient.site), patient.visits[0]
    report, _ = write_report(seed, patient, visit, make_demographics(seed, patient, site), site)
    return draw(patient, visit, sites_seed=seed, size=size).pixels, report.text

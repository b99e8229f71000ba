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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from medveil.cohort.cohort import FILE, Cohort
from medveil.cohort.phantom import gold, people
from medveil.cohort.phantom.file_names import image_name, in_names, report_name
from medveil.cohort.phantom.headers import Chart, make_dicom
from medveil.cohort.phantom.overlay import lay_over
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.reports.marked_text import MarkedText
from medveil.cohort.phantom.sites import MOST as MOST_SITES
from medveil.cohort.phantom.sites import make_site
from medveil.cohort.rows import Rows
from medveil.cohort.schema import LABELS
from medveil.cohort.splits import assign_splits
from medveil.errors import InputError
from medveil.runtime.storage import sweep, write_bytes, write_json
from medveil.runtime.workers import ordered_map

SETTINGS = "phantom.json"
FORMAT = "medveil.phantom/1"
SMALLEST, LARGEST = 64, 4096
_WRITERS = 4  # threads of a worker that wait for the disk

Row = dict[str, Any]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Settings:
    seed: int
    sites: int
    size: int
    out: Path


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
    sweep(out)
    make = partial(make_patient, _Settings(seed, sites, size, out))
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


def _check(*, patients: int, sites: int, seed: int, size: int, workers: int | None) -> None:
    ranges = (
        ("patients", patients, 1, people.MOST_PATIENTS),
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
    if not (out / FILE).exists():
        return None
    cohort = Cohort.open(out)
    table = cohort.table
    number, _ = pd.factorize(table["patient_id"])
    visits = table.groupby("patient_id", sort=False).cumcount()
    for path, study, site, patient, visit in zip(
        table["path"], table["study_id"], table["site"], number, visits, strict=True
    ):
        expected = (path, report_name(site, study), *_gold_files(int(patient), int(visit)))
        if not all((out / name).exists() for name in expected):
            return None
    return cohort


def _gold_files(number: int, visit: int) -> tuple[str, ...]:
    masks = (gold.mask_file(number, visit, organ) for organ in ("lungs", "heart"))
    return (gold.patient_file(number), *masks)


def make_patient(settings: _Settings, number: int) -> list[Row]:
    """Write what is missing of one patient, and return the cohort's rows."""
    seed, out = settings.seed, settings.out
    patient = plan_patient(seed, number, settings.sites)
    site = make_site(seed, patient.site)
    person = people.make_person(seed, patient, site)
    charts = [
        Chart(seed, patient, visit, person, people.make_encounter(seed, patient, visit, site), site)
        for visit in patient.visits
    ]
    reports = [write_report(seed, patient, chart.visit, person, site) for chart in charts]
    paths = [image_name(chart) for chart in charts]
    if not _present(out, charts, paths):
        texts = [text for text, _ in reports]
        _make_files(settings, charts, paths, texts)
    return [
        _row(chart, path.text, text.text, labels)
        for chart, path, (text, labels) in zip(charts, paths, reports, strict=True)
    ]


def _present(out: Path, charts: list[Chart], paths: list[MarkedText]) -> bool:
    return all(
        (out / name).exists()
        for chart, path in zip(charts, paths, strict=True)
        for name in (
            *_gold_files(chart.patient.number, chart.visit.number),
            path.text,
            report_name(chart.site.code, chart.encounter.accession),
        )
    )


def _make_files(settings: _Settings, charts: list[Chart], paths: list[MarkedText], reports: list[MarkedText]) -> None:
    """All files of a patient, the answer key last.

    Waiting for the disk takes longer than writing to it, so it is done beside the drawing.
    """
    key, out = [], settings.out
    with ThreadPoolExecutor(_WRITERS) as writers:
        written = []
        for chart, path, report in zip(charts, paths, reports, strict=True):
            entry, files = _make_image(settings, chart, path, report)
            key.append(entry)
            written += [writers.submit(write_bytes, out / name, content) for name, content in files.items()]
        for one in written:
            one.result()
    write_bytes(out / gold.patient_file(charts[0].patient.number), gold.encode_patient(key))


def _make_image(
    settings: _Settings, chart: Chart, path: MarkedText, report: MarkedText
) -> tuple[gold.ImageGold, dict[str, bytes]]:
    """Draw one visit: its part of the answer key, and its files by name."""
    number, visit = chart.patient.number, chart.visit.number
    drawing = draw(chart.patient, chart.visit, sites_seed=settings.seed, size=settings.size)
    pixels = drawing.pixels.copy()
    in_pixels, markers = lay_over(chart, pixels)
    content, in_header = make_dicom(chart, pixels)
    lungs, heart = (gold.mask_file(number, visit, organ) for organ in ("lungs", "heart"))
    report_path = report_name(chart.site.code, chart.encounter.accession)
    files = {
        path.text: content,
        report_path: report.text.encode(),
        lungs: gold.encode_mask(drawing.lungs),
        heart: gold.encode_mask(drawing.heart),
    }
    entry = gold.ImageGold(
        image_id=chart.image_uid,
        patient_id=chart.person.mrn,
        study_id=chart.encounter.accession,
        site=chart.site.code,
        path=path.text,
        report_path=report_path,
        lungs_path=lungs,
        heart_path=heart,
        in_report=report.identifiers(),
        in_header=tuple(in_header),
        in_pixels=tuple(in_pixels),
        in_names=in_names(chart),
        statements=report.statements(),
        markers=tuple(markers),
        findings=tuple(gold.Boxed(name, box) for name, box in drawing.finding_boxes),
        devices=tuple(gold.Boxed(name, box) for name, box in drawing.device_boxes),
    )
    return entry, files


def _row(chart: Chart, path: str, report: str, labels: dict[str, int]) -> Row:
    visit = chart.visit
    return {
        "image_id": chart.image_uid,
        "patient_id": chart.person.mrn,
        "study_id": chart.encounter.accession,
        "site": chart.site.code,
        "view": visit.view,
        "path": path,
        "report": report,
        "age": visit.age,
        "sex": chart.person.sex,
        "date": visit.date,
        **{label: labels.get(label) for label in LABELS},
    }

"""The files of one patient: radiographs, reports and the answer key, named as the site names them.

Hospitals name files and folders by number, by name or by date, and all of it is an identifier too.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medveil.cohort.phantom import gold
from medveil.cohort.phantom.burn_in import lay_over
from medveil.cohort.phantom.chart import Chart, make_demographics, make_encounter
from medveil.cohort.phantom.dicom_file import make_dicom
from medveil.cohort.phantom.invented_names import fold
from medveil.cohort.phantom.marked_text import MarkedText, fill, mark
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.sites import make_site
from medveil.person.identifiers import Category
from medveil.runtime.storage import write_bytes

Row = dict[str, Any]
_WRITERS = 4  # threads of a worker that wait for the disk
_LAYOUTS = {
    "by mrn": "{mrn}/{accession}.dcm",
    "by uid": "{study}/{image}.dcm",
    "by name": "{name}_{mrn}/{day}_CXR_{visit}.dcm",
    "by accession": "{accession}/IM000001.dcm",
    "by date": "{day}/{accession}_{initials}.dcm",
}


@dataclass(frozen=True)
class HospitalSettings:
    seed: int
    sites: int
    size: int
    out: Path


def make_patient(settings: HospitalSettings, number: int) -> list[Row]:
    """Write what is missing of one patient, and return the cohort's rows."""
    seed, out = settings.seed, settings.out
    patient = plan_patient(seed, number, settings.sites)
    site = make_site(seed, patient.site)
    person = make_demographics(seed, patient, site)
    charts = [
        Chart(seed, patient, visit, person, make_encounter(seed, patient, visit, site), site)
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
            *gold_files(chart.patient.number, chart.visit.number),
            path.text,
            report_name(chart.site.code, chart.encounter.accession),
        )
    )


def _make_files(
    settings: HospitalSettings, charts: list[Chart], paths: list[MarkedText], reports: list[MarkedText]
) -> None:
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
    settings: HospitalSettings, chart: Chart, path: MarkedText, report: MarkedText
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
        **labels,
    }


def gold_files(number: int, visit: int) -> tuple[str, ...]:
    masks = (gold.mask_file(number, visit, organ) for organ in ("lungs", "heart"))
    return (gold.patient_file(number), *masks)


def image_name(chart: Chart) -> MarkedText:
    """Where the site keeps this image, relative to the hospital's folder."""
    person, taken = chart.person, chart.encounter.taken
    plain_name = re.sub(r"[^A-Z]+", "_", fold(f"{person.family}_{person.given}").upper())
    staff = chart.encounter.technologist
    return fill(
        f"files/{chart.site.code}/{_LAYOUTS[chart.site.habits.layout]}",
        mrn=mark(person.mrn, Category.MRN),
        accession=mark(chart.encounter.accession, Category.ACCESSION),
        study=mark(chart.uid("study"), Category.UID),
        image=mark(chart.image_uid, Category.UID),
        name=mark(plain_name, Category.NAME, person.full),
        day=mark(f"{taken:%Y%m%d}", Category.DATE, f"{taken:%Y-%m-%d}"),
        visit=str(chart.visit.number + 1),
        initials=mark(fold(staff.initials).upper(), Category.INITIALS, staff.full),
    )


def report_name(site: str, accession: str) -> str:
    return _report_name(site, accession).text


def in_names(chart: Chart) -> tuple[gold.NameIdentifier, ...]:
    """The identifiers in the paths of this image and its report."""
    paths = (image_name(chart), _report_name(chart.site.code, chart.encounter.accession))
    return tuple(
        gold.NameIdentifier(**vars(identifier), path=path.text) for path in paths for identifier in path.identifiers()
    )


def _report_name(site: str, accession: str) -> MarkedText:
    return fill(f"reports/{site}/{{accession}}.txt", accession=mark(accession, Category.ACCESSION))

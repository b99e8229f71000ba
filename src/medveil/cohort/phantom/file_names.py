"""How hospitals name files and folders: some by number, some by name, and all of it is an identifier too."""

from __future__ import annotations

import re

from medveil.cohort.phantom.gold import NameIdentifier
from medveil.cohort.phantom.headers import Chart
from medveil.cohort.phantom.people import fold
from medveil.cohort.phantom.reports.marked_text import MarkedText, fill, mark
from medveil.person.identifiers import Category

_LAYOUTS = {
    "by mrn": "{mrn}/{accession}.dcm",
    "by uid": "{study}/{image}.dcm",
    "by name": "{name}_{mrn}/{day}_CXR_{visit}.dcm",
    "by accession": "{accession}/IM000001.dcm",
    "by date": "{day}/{accession}_{initials}.dcm",
}


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


def in_names(chart: Chart) -> tuple[NameIdentifier, ...]:
    """The identifiers in the paths of this image and its report."""
    paths = (image_name(chart), _report_name(chart.site.code, chart.encounter.accession))
    return tuple(
        NameIdentifier(**vars(identifier), path=path.text) for path in paths for identifier in path.identifiers()
    )


def _report_name(site: str, accession: str) -> MarkedText:
    return fill(f"reports/{site}/{{accession}}.txt", accession=mark(accession, Category.ACCESSION))

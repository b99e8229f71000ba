"""What is burned into the pixels: the patient's data in a corner, and the markers that must stay."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.burn_in import Corner, burn, burn_marker
from medveil.cohort.phantom.gold import Boxed, PixelIdentifier
from medveil.cohort.phantom.headers import Chart
from medveil.cohort.phantom.people import fold
from medveil.cohort.phantom.reports.marked_text import MarkedText, fill, mark
from medveil.person.identifiers import Category

SHARE = 0.45  # of all images carry burned-in identifiers


def lay_over(chart: Chart, pixels: NDArray[np.uint16]) -> tuple[list[PixelIdentifier], list[Boxed]]:
    """Burn text and markers into the pixels, in place; what identifies and what does not."""
    rng = np.random.default_rng([chart.patient.person_key, 5, chart.visit.number])
    style = chart.site.number * 2 + int(rng.integers(2))
    markers = _markers(chart, pixels, rng)
    if rng.random() >= SHARE:
        return [], markers
    corners = _free_corners(markers, pixels.shape[1])
    corner = corners[int(rng.integers(len(corners)))]
    lines = _lines(chart, rng)
    found = []
    for line, box in zip(lines, burn(pixels, [line.text for line in lines], corner, style_key=style), strict=True):
        found += [PixelIdentifier(**vars(name), line=line.text, box=box) for name in line.identifiers()]
    return found, markers


def _free_corners(markers: list[Boxed], width: int) -> list[Corner]:
    """Markers lie at the top; text keeps to the corners they leave free."""
    taken = {"left" if marker.box[0] + marker.box[2] < width else "right" for marker in markers}
    corners: tuple[Corner, ...] = get_args(Corner)
    return [corner for corner in corners if corner.startswith("bottom") or corner.split("-")[1] not in taken]


def _markers(chart: Chart, pixels: NDArray[np.uint16], rng: np.random.Generator) -> list[Boxed]:
    side: Literal["left", "right"] = "left" if rng.random() < 0.6 else "right"
    key = int(rng.integers(2**31))
    found = [Boxed(side[0].upper(), burn_marker(pixels, side[0].upper(), style_key=key, side=side))]
    if chart.visit.view == "AP" and rng.random() < 0.5:
        text = ("PORTABLE", "AP SUPINE", "ERECT", "SEMI-ERECT")[int(rng.integers(4))]
        other: Literal["left", "right"] = "right" if side == "left" else "left"
        found.append(Boxed(text, burn_marker(pixels, text, style_key=key + 1, side=other)))
    return found


def _lines(chart: Chart, rng: np.random.Generator) -> list[MarkedText]:
    """Two to six lines in plain capitals, as consoles print them."""
    person, encounter, site = chart.person, chart.encounter, chart.site
    name = mark(fold(f"{person.family}, {person.given}").upper(), Category.NAME, person.full)
    day = mark(f"{encounter.taken:%m/%d/%Y}", Category.DATE, f"{encounter.taken:%Y-%m-%d}")
    clock = mark(f"{encounter.taken:%H:%M:%S}", Category.TIME)
    birth = mark(f"{person.birth:%Y-%m-%d}", Category.DATE)
    lines = [
        name,
        fill("ID {mrn}" if site.number % 2 else "MRN {mrn}", mrn=mark(person.mrn, Category.MRN)),
        fill("DOB {birth} {sex}", birth=birth, sex=person.sex),
        fill("{day} {clock}", day=day, clock=clock),
        fill("ACC {accession}", accession=mark(encounter.accession, Category.ACCESSION)),
        mark(fold(site.hospital).upper(), Category.HOSPITAL, site.hospital),
        fill("TECH {tech} {kv} KV", tech=_initials(chart), kv="110" if chart.visit.view == "PA" else "85"),
    ]
    kept = sorted(int(place) for place in rng.choice(len(lines), int(rng.integers(2, 6)), replace=False))
    return [lines[place] for place in kept]


def _initials(chart: Chart) -> MarkedText:
    staff = chart.encounter.technologist
    return mark(fold(staff.initials).upper(), Category.INITIALS, staff.full)

"""What the two makers write into private tags: copies of the identifiers, in plain, nested and binary form."""

from __future__ import annotations

from medveil.cohort.phantom.chart import Demographics, Encounter
from medveil.cohort.phantom.marked_dataset import MarkedDataset
from medveil.cohort.phantom.marked_text import MarkedText, fill, mark
from medveil.cohort.phantom.sites import Site
from medveil.person.identifiers import Category


def add_private_tags(header: MarkedDataset, person: Demographics, encounter: Encounter, site: Site) -> None:
    if site.habits.maker.startswith("Radiant"):
        _radiant(header, person, encounter, site)
    else:
        _veritek(header, person, encounter)


def _radiant(header: MarkedDataset, person: Demographics, encounter: Encounter, site: Site) -> None:
    block = header.dataset.private_block(0x0019, "RADIANT IMAGING 1.0", create=True)
    header.write_private(block, 0x01, "LO", mark(f"{person.mrn}", Category.MRN))
    header.write_private(block, 0x02, "LO", _technologist(encounter))
    block.add_new(0x05, "DS", "1.25")
    block.add_new(0x06, "CS", "STANDARD")
    item = header.private_item(block, 0x10)
    inner = item.dataset.private_block(0x0019, "RADIANT IMAGING 1.0", create=True)
    item.write_private(inner, 0x11, "LO", _patient(person))
    item.write_private(inner, 0x12, "DA", _day(encounter))
    item.write_private(inner, 0x13, "LO", mark(site.hospital, Category.HOSPITAL))
    inner.add_new(0x14, "IS", "3")


def _veritek(header: MarkedDataset, person: Demographics, encounter: Encounter) -> None:
    block = header.dataset.private_block(0x0029, "VERITEK MEDICAL HDR", create=True)
    job = '<job pat="{patient}" id="{mrn}" acc="{accession}" op="{tech}" date="{day}"/>'
    slots = {
        "patient": _patient(person),
        "mrn": mark(person.mrn, Category.MRN),
        "accession": mark(encounter.accession, Category.ACCESSION),
        "tech": _technologist(encounter),
        "day": _day(encounter),
    }
    header.write_private(block, 0x08, "LT", fill(job, **slots))
    block.add_new(0x09, "LO", "AXION WORKFLOW 2")
    binary = fill("\x01\x02VTK{mrn}\x03{serial}\x04", mrn=slots["mrn"], serial=_serial(encounter))
    header.write_private(block, 0x20, "OB", binary)
    outer = header.private_item(block, 0x30)
    middle = outer.dataset.private_block(0x0029, "VERITEK MEDICAL HDR", create=True)
    outer.write_private(middle, 0x31, "LO", slots["accession"])
    innermost = outer.private_item(middle, 0x32)
    deepest = innermost.dataset.private_block(0x0029, "VERITEK MEDICAL HDR", create=True)
    innermost.write_private(deepest, 0x33, "LO", slots["patient"])
    innermost.write_private(deepest, 0x34, "SH", _serial(encounter))


def _patient(person: Demographics) -> MarkedText:
    return mark(f"{person.family} {person.given}", Category.NAME, person.full)


def _technologist(encounter: Encounter) -> MarkedText:
    return mark(encounter.technologist.full, Category.DOCTOR)


def _day(encounter: Encounter) -> MarkedText:
    return mark(f"{encounter.taken:%Y%m%d}", Category.DATE, f"{encounter.taken:%Y-%m-%d}")


def _serial(encounter: Encounter) -> MarkedText:
    return mark(encounter.serial, Category.DEVICE_SERIAL)

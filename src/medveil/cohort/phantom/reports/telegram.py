"""House style: telegram. Bullets, abbreviations, initials, as typed between two films."""

from __future__ import annotations

from medveil.cohort.phantom.marked_text import Claim, MarkedText, as_marked, fill, join, mark
from medveil.cohort.phantom.reports import history
from medveil.cohort.phantom.reports.device_sentences import LABEL, device_note
from medveil.cohort.phantom.reports.interpretation import Interpretation
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.reports.shorthand import note
from medveil.person.identifiers import Category

_KINDS = {
    "endotracheal tube": "ETT",
    "enteric tube": "NGT",
    "central venous catheter": "CVC",
    "PICC": "PICC",
    "pacemaker": "PPM",
    "chest tube": "chest tube",
    "sternal wires": "sternal wires",
}


def write(m: Mentions, reading: Interpretation) -> MarkedText:
    lines = [_head(m), _request(m)]
    if m.before is not None:
        lines.append(fill(m.pick("[cf|c/w|comp|prior] {date}"), date=m.loose_date(m.before.date.date())))
    bullet = m.pick("[- |* |• |]")
    lines += [bullet + line for line in _notes(m, reading)]
    lines.append(_summary(m, reading))
    if m.chance(0.4):
        lines.append(_call(m))
    lines.append(_sign(m))
    return join("\n", lines) + "\n"


def _head(m: Mentions) -> MarkedText:
    patterns = (
        "{patient} {mrn} {view} {date} {time}",
        "{date} {time} {view} // {patient} // {mrn} // {accession}",
        "pt {patient} #{mrn} rm {room} {view} {date}",
        "{hospital} {view} {accession} {patient} DOB {birth}",
    )
    return fill(
        patterns[int(m.rng.integers(len(patterns)))],
        patient=m.patient_formal(),
        mrn=m.mrn(),
        view=m.pick("[CXR AP port|pCXR|CXR port AP]" if m.visit.view == "AP" else "[CXR PA|CXR PA erect]"),
        date=m.date(m.visit.date.date()),
        time=m.time(m.encounter.taken),
        accession=m.accession(),
        room=m.room(),
        hospital=m.hospital_short(),
        birth=m.date(m.person.birth),
    )


def _request(m: Mentions) -> MarkedText:
    complaint = "[SOB|cough|fever|CP|hypoxia|AMS|s/p fall|post line|desat|? PNA|DOE|wt loss|Foley, UTI, fever|pre-op]"
    patterns = (
        f"hx: {{age}}{{sex}} {complaint}",
        f"{{age}}yo {{sex}} w/ {complaint}, req {{doctor}}",
        f"{{patient}} {{age}}{{sex}}, {complaint}",
        f"hx {complaint} since {{onset}}",
    )
    return fill(
        m.pick(patterns[int(m.rng.integers(len(patterns)))]),
        age=m.age(),
        sex=m.person.sex,
        doctor=m.doctor(m.encounter.referrer),
        patient=m.patient(),
        onset=m.loose_date(m.visit.date.date()),
    )


def _notes(m: Mentions, reading: Interpretation) -> list[MarkedText]:
    notes = [device_note(m.rng, seen) if seen.device else note(m.rng, seen) for seen in reading.observations]
    for kind in reading.removed:
        text = as_marked(f"{_KINDS[kind]} {m.pick('[out|removed|pulled]')}")
        notes.append(text if m.visit.devices else text.about(Claim((LABEL,), "resolved")))
    remark = history.quality(m).rstrip(".")
    return notes + ([as_marked(remark.lower())] if remark else [])


def _summary(m: Mentions, reading: Interpretation) -> MarkedText:
    head = m.pick("[IMP|imp|A/P|=>|Concl]: ")
    if not reading.abnormal:
        return as_marked(head + m.pick("[no acute dz|NAD|neg chest|normal|no acute CP process]"))
    said = {label for seen in reading.abnormal for label in seen.labels}
    advice = {"Lung Lesion": "CT rec per Fleischner", "Pneumonia": "f/u 6 wk", "Pneumothorax": "rpt film"}
    extra = [text for label, text in advice.items() if label in said and m.chance(0.5)]
    return head + join("; ", [*(note(m.rng, seen) for seen in reading.abnormal), *extra])


def _call(m: Mentions) -> MarkedText:
    patterns = (
        "d/w {doctor} {time}",
        "called {room} {time}, spoke w/ {second}",
        "pgd {doctor} p{pager}",
        "pt's {relation} {relative} aware, {phone}",
        "prelim to ED, {patient}, {time}",
    )
    return fill(
        patterns[int(m.rng.integers(len(patterns)))],
        doctor=m.doctor(m.encounter.referrer),
        second=m.full_name(m.encounter.second),
        time=m.time(m.encounter.dictated),
        room=m.room(),
        pager=m.pager(m.encounter.referrer),
        relation=m.person.relation,
        relative=m.relative(),
        phone=m.phone(m.person.phone),
        patient=m.patient(),
    )


def _sign(m: Mentions) -> MarkedText:
    patterns = (
        "{by}/{typist} {date}",
        "- {by} {date} {time} acc {accession}",
        "{reader} x{pager}",
        "rad: {by}  tech: {tech}  unit s/n {serial}",
    )
    encounter = m.encounter
    return fill(
        patterns[int(m.rng.integers(len(patterns)))],
        by=m.initials(encounter.reader),
        typist=m.initials(encounter.typist, lower=True),
        reader=m.signature(encounter.reader),
        date=m.loose_date(encounter.signed.date()),
        time=m.time(encounter.signed),
        accession=m.accession(),
        pager=m.pager(encounter.reader),
        tech=m.initials(encounter.technologist),
        serial=mark(encounter.serial, Category.DEVICE_SERIAL),
    )

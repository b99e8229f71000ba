"""House style: a template with a letterhead, a patient block, headed sections, and a footer on every page."""

from __future__ import annotations

from medveil.cohort.phantom.marked_text import MarkedText, as_marked, capitalized, fill, join, mark
from medveil.cohort.phantom.reports import history
from medveil.cohort.phantom.reports.device_sentences import device_sentence, removal
from medveil.cohort.phantom.reports.interpretation import Interpretation, Section
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.reports.sentences import impression, sentence
from medveil.person.identifiers import Category

_HEADS: tuple[tuple[Section, str], ...] = (
    ("devices", "Lines and tubes"),
    ("lungs", "Lungs"),
    ("pleura", "Pleura"),
    ("heart", "Heart and mediastinum"),
    ("bones", "Bones"),
)


def write(m: Mentions, reading: Interpretation) -> MarkedText:
    said = {label for seen in reading.abnormal for label in seen.labels}
    sections = [
        ("EXAMINATION", as_marked(_examination(m))),
        ("INDICATION", capitalized(history.indication(m)) + "."),
        ("TECHNIQUE", as_marked(history.technique(m))),
        ("COMPARISON", history.comparison(m) + "."),
    ]
    body = [_letterhead(m), _block(m), *(fill("{a}: {b}", a=a, b=b) for a, b in sections)]
    body += [join("\n", ["FINDINGS:", *_findings(m, reading)])]
    body += [join("\n", ["IMPRESSION:", *_impressions(m, reading, said)])]
    if m.chance(0.4):
        body.append(history.told(m))
    body += [_signature(m), _footer(m)]
    return join("\n\n", body).wrapped(78) + "\n"


def _examination(m: Mentions) -> str:
    return m.pick(
        "[CHEST (PORTABLE AP)|XR CHEST 1 VIEW PORTABLE|CHEST, AP]"
        if m.visit.view == "AP"
        else "[CHEST (PA)|XR CHEST PA|CHEST RADIOGRAPH, PA]"
    )


def _letterhead(m: Mentions) -> MarkedText:
    return join(
        "\n",
        [
            m.hospital().upper(),
            m.site.department,
            m.site_address(),
            fill("Tel {phone}   Fax {fax}", phone=m.phone(m.site.phone), fax=m.fax()),
        ],
    )


def _block(m: Mentions) -> MarkedText:
    rows = [
        (("Patient:", m.patient_formal()), ("MRN:", m.mrn())),
        (("DOB:", m.date(m.person.birth)), ("Accession:", m.accession())),
        (("Age/Sex:", m.age() + f" / {m.person.sex}"), ("Exam date:", _moment(m))),
        (("Ordering:", m.signature(m.encounter.referrer)), ("Location:", m.room())),
    ]
    if m.chance(0.35):
        plan = mark(m.person.plan_number, Category.HEALTH_PLAN)
        rows.append((("Insurance:", m.person.plan + " " + plan), ("SSN:", mark(m.person.ssn, Category.SSN))))
    if m.chance(0.25):
        rows.append((("Address:", m.home_address()), ("Phone:", m.phone(m.person.phone))))
    return join(
        "\n",
        (
            as_marked(left[0]).padded(11)
            + as_marked(left[1]).padded(36)
            + as_marked(right[0]).padded(12)
            + as_marked(right[1])
            for left, right in rows
        ),
    )


def _moment(m: Mentions) -> MarkedText:
    return m.date(m.encounter.taken.date()) + " " + m.time(m.encounter.taken)


def _findings(m: Mentions, reading: Interpretation) -> list[MarkedText]:
    lines = [as_marked(remark)] if (remark := history.quality(m)) else []
    for section, head in _HEADS:
        said = [
            device_sentence(m.rng, seen, m.prior()) if seen.device else sentence(m.rng, seen, m.prior())
            for seen in reading.of(section)
        ]
        if section == "devices":
            gone = not m.visit.devices
            said += [removal(m.rng, kind, m.prior(), gone) for kind in reading.removed]
            note = history.implant_note(m)
            said += [note] if note else []
        if said:
            lines.append(fill("{head}: {said}", head=head, said=join(" ", said)))
    return lines or [as_marked("Unremarkable.")]


def _impressions(m: Mentions, reading: Interpretation, said: set[str]) -> list[MarkedText]:
    lines = [impression(m.rng, seen) for seen in reading.abnormal]
    if not lines:
        lines = [as_marked(m.pick("No acute cardiopulmonary [process|abnormality|disease]."))]
    if advice := history.advice(m, said):
        lines.append(as_marked(advice))
    return [f"{number}. " + line for number, line in enumerate(lines, 1)]


def _signature(m: Mentions) -> MarkedText:
    encounter = m.encounter
    signed = m.date(encounter.signed.date()) + " " + m.time(encounter.signed)
    lines = [
        fill(
            m.pick("[Electronically signed by|Finalized by|I have reviewed the images. Signed by]: {who} {when}"),
            who=m.signature(encounter.reader),
            when=signed,
        )
    ]
    if m.chance(0.5):
        lines.append(fill("Resident: {who}", who=m.signature(encounter.second)))
    if m.chance(0.5):
        lines.append(fill("Technologist: {who}", who=m.signature(encounter.technologist)))
    return join("\n", lines)


def _footer(m: Mentions) -> MarkedText:
    line = fill(
        m.pick("[{patient} / MRN {mrn} / {accession} / Page 1 of 1|{mrn} {patient} {hospital} Page 1/1]"),
        patient=m.patient_formal(),
        mrn=m.mrn(),
        accession=m.accession(),
        hospital=m.hospital_short(),
    )
    if m.chance(0.5):
        line = join("\n", [line, fill("Results online: {url}", url=m.url())])
    return join("\n", ["-" * 60, line])

"""House style: free prose as dictated, with the typist's line at the end."""

from __future__ import annotations

from medveil.cohort.phantom.marked_text import MarkedText, as_marked, capitalized, fill, join, mark
from medveil.cohort.phantom.reports import history
from medveil.cohort.phantom.reports.device_sentences import aside, device_sentence, removal
from medveil.cohort.phantom.reports.interpretation import Interpretation
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.reports.sentences import impression, sentence
from medveil.person.identifiers import Category


def write(m: Mentions, reading: Interpretation) -> MarkedText:
    paragraphs = [_heading(m), _opening(m), _findings(m, reading), _conclusion(m, reading)]
    if m.chance(0.55):
        paragraphs.append(history.told(m))
    paragraphs.append(_typist(m))
    text = join("\n\n", paragraphs)
    return (text.wrapped(84) if m.chance(0.5) else text) + "\n"


def _heading(m: Mentions) -> MarkedText:
    patterns = (
        "RADIOLOGY REPORT   {hospital}\n{patient}   {mrn}   DOB {birth}",
        "{hospital}\nRE: {patient}, unit no. {mrn}, born {birth}",
        "CHEST, {view} VIEW, {date}\n{patient} ({mrn})",
    )
    return fill(
        patterns[int(m.rng.integers(len(patterns)))],
        hospital=m.hospital(),
        patient=m.patient_formal(),
        mrn=m.mrn(),
        birth=m.loose_date(m.person.birth) if m.chance(0.5) else m.date(m.person.birth),
        view=m.visit.view,
        date=m.date(m.visit.date.date()),
    )


def _opening(m: Mentions) -> MarkedText:
    sentences = [
        capitalized(m.pick("[Clinical history|History|Clinical information]: ") + history.indication(m)) + ".",
        as_marked(history.technique(m)),
    ]
    if m.before is not None and m.chance(0.5):
        day = m.pick("[taken |obtained |]") + m.recent_date(m.before.date.date())
        sentences.append(fill(m.pick("Comparison is made with the [film|study|radiograph] {day}."), day=day))
    elif m.before is not None:
        sentences.append(fill(m.pick("[Compared to|Comparison]: {what}."), what=history.comparison(m)))
    return join(" ", sentences)


def _findings(m: Mentions, reading: Interpretation) -> MarkedText:
    sentences = [as_marked(remark)] if (remark := history.quality(m)) else []
    order = m.rng.permutation(len(reading.observations))
    first = sorted(order, key=lambda place: reading.observations[place].says == "absent")
    for place in first:
        seen = reading.observations[place]
        say = device_sentence if seen.device else sentence
        sentences.append(say(m.rng, seen, m.prior()))
    gone = not m.visit.devices
    sentences += [removal(m.rng, kind, m.prior(), gone) for kind in reading.removed]
    if m.visit.devices and m.chance(0.25):
        sentences.append(as_marked(aside(m.rng)))
    if note := history.implant_note(m):
        sentences.append(note)
    return join(" ", sentences or ["Normal chest."])


def _conclusion(m: Mentions, reading: Interpretation) -> MarkedText:
    head = m.pick("[IMPRESSION|Impression|Conclusion|CONCLUSION|Opinion]: ")
    lines = [impression(m.rng, seen) for seen in reading.abnormal]
    if not lines:
        normal = (
            "[No acute [process|disease|cardiopulmonary abnormality].|Normal chest radiograph.|"
            "No acute intrathoracic process in {patient}.]"
        )
        return head + fill(m.pick(normal), patient=m.patient())
    said = {label for seen in reading.abnormal for label in seen.labels}
    if advice := history.advice(m, said):
        lines.append(as_marked(advice))
    return head + join(" ", lines)


def _typist(m: Mentions) -> MarkedText:
    encounter = m.encounter
    patterns = (
        "{reader}\n{by}/{typist}  D: {dictated}  T: {signed} {time}  Job #{job}",
        "Dictated by {reader} on {dictated} at {time}, transcribed by {typist}.\nAccession {accession}",
        "{by}:{typist}\nD {dictated}  T {signed}\ncc: {referrer}, {hospital}, phone {phone}",
        "Signed {reader}, {hospital}, {signed}. Ref. {accession}. Tel. {phone}.",
    )
    return fill(
        patterns[int(m.rng.integers(len(patterns)))],
        reader=m.signature(encounter.reader),
        by=m.initials(encounter.reader),
        typist=m.initials(encounter.typist, lower=True),
        dictated=m.loose_date(encounter.dictated.date()),
        signed=m.date(encounter.signed.date()),
        time=m.time(encounter.dictated),
        job=mark(encounter.job, Category.OTHER_ID),
        accession=m.accession(),
        referrer=m.doctor(encounter.referrer),
        hospital=m.hospital_short() if m.chance(0.5) else m.hospital(),
        phone=m.phone(m.site.phone),
    )

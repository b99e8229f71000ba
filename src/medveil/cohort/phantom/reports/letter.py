"""House style: a letter to the referring doctor."""

from __future__ import annotations

import datetime as dt

from medveil.cohort.phantom.marked_text import MarkedText, as_marked, capitalized, fill, join, mark
from medveil.cohort.phantom.reports import history
from medveil.cohort.phantom.reports.device_sentences import device_sentence, removal
from medveil.cohort.phantom.reports.interpretation import Interpretation
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.reports.sentences import impression, sentence
from medveil.person.identifiers import Category


def write(m: Mentions, reading: Interpretation) -> MarkedText:
    parts = [
        _letterhead(m),
        _addressee(m),
        _subject(m),
        fill("Dear Dr. {name},", name=mark(m.encounter.referrer.family, Category.DOCTOR, m.encounter.referrer.full)),
        _thanks(m),
        _findings(m, reading),
        _summary(m, reading),
    ]
    if m.chance(0.5):
        parts.append(history.told(m))
    parts += [_close(m), _footer(m)]
    return join("\n\n", parts).wrapped(88) + "\n"


def _letterhead(m: Mentions) -> MarkedText:
    contact = fill("Telephone {phone}, fax {fax}", phone=m.phone(m.site.phone), fax=m.fax())
    lines = [m.hospital() + ", " + m.site.department, m.site_address(), contact]
    if m.chance(0.6):
        lines.append(m.url())
    return join("\n", [*lines, "", m.date(m.encounter.signed.date())])


def _addressee(m: Mentions) -> MarkedText:
    return join("\n", [m.full_name(m.encounter.referrer) + f", {m.encounter.referrer.degree}", m.hospital()])


def _subject(m: Mentions) -> MarkedText:
    pattern = m.pick(
        "[Re: {patient}, born {birth}, {address}|Re: {patient}, d.o.b. {birth}, hospital no. {mrn}|"
        "Concerning: {patient}, {mrn}, {plan} {number}]"
    )
    return fill(
        pattern + "\nChest radiograph of {date}, our reference {accession}",
        patient=m.patient_formal(),
        birth=m.loose_date(m.person.birth),
        address=m.home_address(),
        mrn=m.mrn(),
        plan=m.person.plan,
        number=mark(m.person.plan_number, Category.HEALTH_PLAN),
        date=m.date(m.visit.date.date()),
        accession=m.accession(),
    )


def _thanks(m: Mentions) -> MarkedText:
    pattern = m.pick(
        "[Thank you for referring|Many thanks for sending us|Thank you for asking us to see] {patient}, who [was seen|"
        "attended|was examined] {on_day}. [Clinical details|The request reads|History]: {indication}. {technique}"
    )
    text = fill(
        pattern,
        patient=m.patient_titled() if m.chance(0.5) else m.patient(),
        on_day=m.recent_date(m.visit.date.date()),
        indication=history.indication(m),
        technique=history.technique(m),
    )
    if m.before is None:
        return text
    return text + " " + fill("We compared it with {what}.", what=_film(m, m.before.date.date()))


def _film(m: Mentions, day: dt.date) -> MarkedText:
    return m.pick("[the film of |your film of |the earlier radiograph of |]") + m.loose_date(day)


def _findings(m: Mentions, reading: Interpretation) -> MarkedText:
    sentences = [as_marked(remark)] if (remark := history.quality(m)) else []
    for seen in reading.observations:
        say = device_sentence if seen.device else sentence
        sentences.append(say(m.rng, seen, m.prior()))
    sentences += [removal(m.rng, kind, m.prior(), not m.visit.devices) for kind in reading.removed]
    if note := history.implant_note(m):
        sentences.append(note)
    return join(" ", sentences or ["The chest is normal."])


def _summary(m: Mentions, reading: Interpretation) -> MarkedText:
    said = {label for seen in reading.abnormal for label in seen.labels}
    if not said:
        pattern = m.pick(
            "[In summary, no acute abnormality.|I see no cause for {patient}'s symptoms on this film.|"
            "In conclusion, a normal study for a {age}-year-old.]"
        )
        return fill(pattern, patient=m.patient_titled(), age=m.age())
    lines = [impression(m.rng, seen) for seen in reading.abnormal]
    if advice := history.advice(m, said):
        lines.append(as_marked(advice))
    return m.pick("[In summary: |In conclusion: |Opinion: ]") + join(" ", lines)


def _close(m: Mentions) -> MarkedText:
    encounter = m.encounter
    return fill(
        m.pick("[Yours sincerely,|With kind regards,|Kind regards,]") + "\n\n{reader}\n{email}, pager {pager}",
        reader=capitalized(m.signature(encounter.reader)),
        email=m.site_email(encounter.reader),
        pager=m.pager(encounter.reader),
    )


def _footer(m: Mentions) -> MarkedText:
    line = fill(
        m.pick("[{by}/{typist} typed {date}|{by}:{typist}|Dictated {date} {time}, {by}/{typist}]"),
        by=m.initials(m.encounter.reader),
        typist=m.initials(m.encounter.typist, lower=True),
        date=m.loose_date(m.encounter.dictated.date()),
        time=m.time(m.encounter.dictated),
    )
    copy = fill("c.c. {patient}\n{address}", patient=m.patient_titled(), address=m.home_address("\n"))
    return join("\n\n", [line, copy]) if m.chance(0.4) else line

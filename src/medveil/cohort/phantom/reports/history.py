"""Why the film was taken, how, and to whom the result was told: the prose around the findings."""

from __future__ import annotations

import datetime as dt

from medveil.cohort.phantom.marked_text import MarkedText, fill, mark
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.person.identifiers import Category

_COMPLAINTS = (
    "[shortness of breath|dyspnea|cough|productive cough|fever|fever and cough|chest pain|pleuritic chest pain|"
    "hypoxia|weakness|hemoptysis|altered mental status|syncope|weight loss|leukocytosis|new oxygen requirement|"
    "abdominal pain|a fall|night sweats|wheezing|edema of the legs|tachycardia]"
)
_BACKGROUND = (
    "[|, history of COPD|, known heart failure|, history of lung cancer|, ESRD on dialysis via Hickman catheter|"
    ", Parkinson disease|, Crohn disease on steroids|, former smoker|, Hodgkin lymphoma in remission|"
    ", Foley catheter in place|, status post Whipple procedure|, Graves disease|, atrial fibrillation|"
    ", prior Swan-Ganz monitoring|, Alzheimer dementia|, type 2 diabetes|, sickle cell disease]"
)


def indication(m: Mentions) -> MarkedText:
    """One clause, no full stop."""
    patterns = (
        f"{{age}}-year-old {{noun}} with {_COMPLAINTS}{_BACKGROUND}",
        f"{{age}} year old {{noun}} with {_COMPLAINTS}{_BACKGROUND}",
        f"{{age}} y/o {{noun}}, {_COMPLAINTS}{_BACKGROUND}",
        f"{{patient}} is a {{age}}-year-old {{noun}} with {_COMPLAINTS}{_BACKGROUND}",
        f"{_COMPLAINTS} since {{onset}}{_BACKGROUND}",
        "status post [CABG|lobectomy|valve replacement|line placement] {on_onset}, [evaluate for|assess for|please "
        "rule out] [pneumothorax|effusion|interval change|infiltrate]",
        "[interval change|line placement|preoperative evaluation|routine follow-up], per {doctor}",
    )
    onset = m.visit.date.date() - dt.timedelta(days=int(m.rng.integers(1, 25)))
    return fill(
        m.pick(patterns[int(m.rng.integers(len(patterns)))]),
        age=m.age(),
        noun=m.noun,
        patient=m.patient(),
        onset=m.loose_date(onset),
        on_onset=m.recent_date(onset),
        doctor=m.doctor(m.encounter.referrer),
    )


def technique(m: Mentions) -> str:
    """One sentence on the view."""
    if m.visit.view == "AP":
        return m.pick(
            "[Portable AP [semi-erect |supine |upright |]view of the chest|Single frontal AP portable radiograph of "
            "the chest|Frontal AP chest, portable[|, at the bedside]]."
        )
    return m.pick(
        "[PA view of the chest|Frontal PA radiograph of the chest|Single PA projection of the chest|Chest, PA, erect]"
        "[|, in inspiration|, at 180 cm]."
    )


def quality(m: Mentions) -> str:
    """A remark where the film is poor, else nothing."""
    remarks = []
    if m.visit.inspiration < 0.3:
        remarks.append("[Lung volumes are low.|Poor inspiratory effort.|Low lung volumes accentuate the markings.]")
    if abs(m.visit.rotation) > 5:
        side = "left" if m.visit.rotation > 0 else "right"
        remarks.append(f"[The patient is rotated to the {side}.|Rotation to the {side} limits assessment.]")
    if m.visit.exposure < 0.75 or m.visit.exposure > 1.35:
        remarks.append("[Exposure is suboptimal.|The film is technically limited.]")
    return m.pick(" ".join(remarks))


def comparison(m: Mentions) -> MarkedText:
    """One clause, no full stop."""
    if m.before is None or m.earlier is None:
        return fill(m.pick("[None|None available|No prior studies|No previous films for comparison]"))
    patterns = (
        "[Chest radiograph|Radiograph|Chest x-ray|Prior film|Portable chest film] [of|dated|from] {date}",
        "{date}",
        "[Chest x-ray|Study] of {loose}[ (accession {accession})|, accession {accession}]",
        "[Prior study|Examination] of {loose}",
    )
    day = m.before.date.date()
    return fill(
        m.pick(patterns[int(m.rng.integers(len(patterns)))]),
        date=m.date(day) if m.chance(0.5) else m.loose_date(day),
        loose=m.loose_date(day),
        accession=mark(m.earlier.accession, Category.ACCESSION),
    )


def told(m: Mentions) -> MarkedText:
    """Who heard of the result and how."""
    patterns = (
        "[These findings were|This result was] [discussed with|communicated to|called to] {doctor} by telephone at "
        "{time} {on_day}.",
        "{doctor} [was paged|was notified] at {time} (pager {pager}).",
        "Findings [were relayed to|were discussed with] the patient's {relation}, {relative}, at {phone}.",
        "Results were discussed with {patient} and [a copy was sent to|faxed to] {doctor}, fax {fax}.",
        "Wet read was called to room {room} at {time} by {initials}.",
        "{patient} may be reached at {phone}.",
        "Please contact {doctor} ({email}) with any questions.",
    )
    encounter, rng = m.encounter, m.rng
    return fill(
        m.pick(patterns[int(rng.integers(len(patterns)))]),
        doctor=m.doctor(encounter.referrer),
        time=m.time(encounter.dictated),
        on_day=m.recent_date(encounter.dictated.date()),
        pager=m.pager(encounter.referrer),
        relation=m.person.relation,
        relative=m.relative(),
        phone=m.phone(m.person.phone),
        patient=m.patient(),
        fax=m.fax(),
        room=m.room(),
        initials=m.initials(encounter.reader),
        email=m.site_email(encounter.referrer),
    )


def advice(m: Mentions, labels: set[str]) -> str:
    """What to do next, where something calls for it."""
    if "Lung Lesion" in labels:
        return m.pick(
            "[CT of the chest is recommended[|, see Fleischner Society guidelines].|"
            "Follow-up per Fleischner criteria is advised.|Further evaluation with CT is suggested.]"
        )
    if labels & {"Pneumonia", "Consolidation"}:
        return m.pick(
            "[Follow-up radiograph in 6 weeks to document resolution.|Repeat film after treatment is advised.]"
        )
    if "Edema" in labels:
        return m.pick("[Clinical correlation is advised.|Correlate with volume status.|Consider diuresis.]")
    return ""


def implant_note(m: Mentions) -> MarkedText | None:
    """A pacemaker's serial number, as some readers copy it from the request."""
    if not any(device.kind == "pacemaker" for device in m.visit.devices) or not m.chance(0.6):
        return None
    serial = mark(m.person.implant_serial, Category.DEVICE_SERIAL)
    return fill(m.pick("[Pacemaker serial number {serial}.|Generator S/N {serial}.|Device {serial}.]"), serial=serial)

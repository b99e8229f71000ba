"""An invented patient on paper, and each visit to the hospital: names, numbers, addresses, who read the film and when.

Telephone numbers are 555-01xx, domains end in example.org, social security numbers begin with 9, states do not
exist: nothing here can belong to anybody.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from medveil.cohort.phantom import invented_names as names
from medveil.cohort.phantom.invented_names import fold
from medveil.cohort.phantom.marked_text import MarkedText, mark
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan
from medveil.cohort.phantom.sites import Site, Staff, draw_name
from medveil.person.identifiers import Category

_MRNS = 10**7
_ACCESSIONS = 10**7
_VISITS = 16  # room for this many visits a patient in the running number of accessions
MOST_PATIENTS = _ACCESSIONS // _VISITS
_STRIDE = 7_368_787  # prime to a power of ten: numbers look drawn, and never repeat


@dataclass(frozen=True)
class Demographics:
    given: str
    middle: str  # an initial, or nothing
    family: str
    sex: str
    birth: dt.date
    mrn: str
    old_mrn: str  # from before the hospitals merged their records
    ssn: str
    phone: str
    email: str
    street: str
    town: str
    state: str
    postal: str
    plan: str
    plan_number: str
    relative: str  # given name of the next of kin, same surname
    relation: str
    implant_serial: str

    @property
    def full(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def title(self) -> str:
        return "Mr." if self.sex == "M" else ("Mrs." if self.relation == "husband" else "Ms.")


@dataclass(frozen=True)
class Encounter:
    """One visit's paperwork."""

    accession: str
    order: str
    referrer: Staff
    reader: Staff
    second: Staff  # a resident, or whoever was told of the result
    technologist: Staff
    typist: Staff
    station: str
    serial: str
    room: str
    taken: dt.datetime
    dictated: dt.datetime
    signed: dt.datetime
    job: str


def make_demographics(seed: int, patient: PatientPlan, site: Site) -> Demographics:
    rng = np.random.default_rng([patient.person_key, 1])
    given, family = draw_name(rng, patient.sex)
    middle = "ABCDEFGHJKLMNPRSTW"[int(rng.integers(18))] + "." if rng.random() < 0.4 else ""
    number = (patient.number * _STRIDE + seed * 7919 + 12_345) % _MRNS
    relation = ("husband" if patient.sex == "F" else "wife", "daughter", "son")[int(rng.integers(3))]
    plan = names.HEALTH_PLANS[int(rng.integers(len(names.HEALTH_PLANS)))]
    handle = fold(f"{given[0]}.{family}").replace(" ", "").replace("'", "").lower()
    return Demographics(
        given=given,
        middle=middle,
        family=family,
        sex=patient.sex,
        birth=patient.birth,
        mrn=site.habits.mrn.format(n=number),
        old_mrn=f"{'XQK'[int(rng.integers(3))]}{int(rng.integers(10**6, 10**7))}",
        ssn=f"9{int(rng.integers(100)):02d}-{int(rng.integers(1, 100)):02d}-{int(rng.integers(1, 10**4)):04d}",
        phone=site.phone_number(rng),
        email=f"{handle}{int(rng.integers(1, 99))}@mail.example.org",
        street=f"{int(rng.integers(1, 2400))} {names.STREETS[int(rng.integers(len(names.STREETS)))]}",
        town=names.TOWNS[int(rng.integers(len(names.TOWNS)))],
        state=site.state,
        postal=f"{int(rng.integers(10, 99990)):05d}",
        plan=plan,
        plan_number=f"{plan[:2].upper()}{int(rng.integers(10**8, 10**9))}",
        relative=draw_name(rng, "M" if relation in ("husband", "son") else "F")[0],
        relation=relation,
        implant_serial=f"SN{int(rng.integers(10**7, 10**8))}",
    )


def make_encounter(seed: int, patient: PatientPlan, visit: VisitPlan, site: Site) -> Encounter:
    rng = np.random.default_rng([patient.person_key, 2, visit.number])
    number = ((patient.number * _VISITS + visit.number) * _STRIDE + seed * 104_729) % _ACCESSIONS
    machine = int(rng.integers(3))
    taken = visit.date + dt.timedelta(seconds=int(rng.integers(60)))
    dictated = taken + dt.timedelta(minutes=int(rng.integers(12, 900)))
    reader = _one(rng, site.readers)
    return Encounter(
        accession=site.habits.accession.format(n=number, y=f"{visit.date:%y}"),
        order=f"ORD{int(rng.integers(10**6, 10**7))}",
        referrer=_referrer(patient, rng, site),
        reader=reader,
        second=_one(rng, [staff for staff in site.readers if staff is not reader]),
        technologist=_one(rng, site.technologists),
        typist=_one(rng, site.typists),
        station=site.stations[machine],
        serial=site.serials[machine],
        room=f"{int(rng.integers(2, 9))}{'NSEW'[int(rng.integers(4))]}-{int(rng.integers(1, 40)):02d}",
        taken=taken,
        dictated=dictated,
        signed=dictated + dt.timedelta(minutes=int(rng.integers(5, 600))),
        job=f"{int(rng.integers(10**6, 10**7))}",
    )


def _referrer(patient: PatientPlan, rng: np.random.Generator, site: Site) -> Staff:
    """Mostly the patient's own doctor."""
    if rng.random() < 0.7:
        return site.referrers[patient.person_key % len(site.referrers)]
    return _one(rng, site.referrers)


def _one(rng: np.random.Generator, people: tuple[Staff, ...] | list[Staff]) -> Staff:
    return people[int(rng.integers(len(people)))]


@dataclass(frozen=True)
class Chart:
    """Everything the header of one visit speaks of."""

    seed: int
    patient: PatientPlan
    visit: VisitPlan
    person: Demographics
    encounter: Encounter
    site: Site

    def uid(self, what: str, visit: int | None = None) -> str:
        """A unique identifier that follows from the seed; `visit` 0 or more makes it that visit's own."""
        name = f"{self.seed}/{self.patient.number}/{self.visit.number if visit is None else visit}/{what}"
        return f"2.25.{int.from_bytes(hashlib.blake2b(name.encode(), digest_size=15).digest())}"

    @cached_property
    def image_uid(self) -> str:
        return self.uid("image")

    @cached_property
    def slots(self) -> dict[str, MarkedText | str]:
        """What remarks typed at the console may mention."""
        person, encounter, doctor = self.person, self.encounter, self.encounter.referrer
        technologist = encounter.technologist
        return {
            "title": person.title.rstrip("."),
            "name": mark(person.family, Category.NAME, person.full),
            "full": mark(person.full, Category.NAME),
            "upper": mark(f"{person.family}, {person.given}".upper(), Category.NAME, person.full),
            "phone": mark(person.phone, Category.PHONE),
            "room": mark(encounter.room, Category.OTHER_ID),
            "plan": mark(person.plan_number, Category.HEALTH_PLAN),
            "email": mark(person.email, Category.EMAIL),
            "mrn": mark(person.mrn, Category.MRN),
            "accession": mark(encounter.accession, Category.ACCESSION),
            "doctor": mark(doctor.family, Category.DOCTOR, doctor.full),
            "tech": mark(technologist.initials, Category.INITIALS, technologist.full),
            "date": mark(f"{encounter.taken:%m/%d/%Y}", Category.DATE, f"{encounter.taken:%Y-%m-%d}"),
            "view": self.visit.view,
        }

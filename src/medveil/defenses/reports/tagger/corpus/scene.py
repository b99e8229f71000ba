"""One invented encounter: who, where and when, and how each of them is written wherever a template asks."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from medveil.cohort.identifiers import Category
from medveil.defenses.reports.tagger.corpus import names, numbers, places, terms
from medveil.defenses.reports.tagger.corpus.everyday import NARRATIVE
from medveil.defenses.reports.tagger.corpus.grammar import Pieces, render
from medveil.defenses.reports.tagger.corpus.sentences import CLINICAL, PROCEDURES, RADIOLOGY

T = TypeVar("T")
_TITLES = {
    "F": ("Ms. ", "Mrs. ", "Mrs ", "Ms ", "Miss ", "Frau ", "Mme ", "Sra. "),
    "M": ("Mr. ", "Mr ", "Mr. ", "Herr ", "M. ", "Sr. ", "Mister "),
}
_GIVEN, _SURNAMES = names.given_names(), names.surnames()
_WORD_GIVEN, _WORD_SURNAMES = names.WORD_GIVEN.split(), names.WORD_SURNAMES.split()
_GAPS = (
    "___",
    "XXXX",
    "____",
    "[**Hospital 12**]",
    "[**Last Name (un) 334**]",
    "[NAME]",
    "[DOCTOR]",
    "<redacted>",
    "*****",
    "xxx",
)
_TERMS: dict[str, list[str] | tuple[str, ...]] = {
    "dx": terms.DIAGNOSES,
    "symptom": terms.SYMPTOMS,
    "anatomy": terms.ANATOMY,
    "device": terms.DEVICES,
    "finding": terms.FINDINGS,
    "exam": terms.EXAMS,
    "section": terms.SECTIONS,
    "specialty": terms.SPECIALTIES,
    "unit": terms.UNITS,
    "rel": terms.RELATIONS,
    "cred": terms.CREDENTIALS,
    "dept": terms.DEPARTMENTS,
    "plan": terms.PLANS,
    "job": terms.JOBS,
    "procedure": PROCEDURES,
    "radiology": RADIOLOGY,
    "clinical": CLINICAL,
    "st": places.STATES,
    "stop": (".", ".", "", ","),
    "abbr": terms.ABBREVIATIONS,
    "narrative": NARRATIVE,
    "lab": ("{cm}", "{old_number}", "{bignum}", "{num}", "{small}.{num}", "0.{num}"),
    "old_number": ("9{small}", "10{small}", "11{small}", "{num}", "100", "90"),
    "icd": ("786.{num}", "{num}.{small2}", "V76.{small2}", "491.21", "J{small2}.{small}", "I50.{small}", "R0{small}.{small}", "V72.83", "{small2}{small}.{small}", "Z{num}.{small2}"),
    "nth": ("10th", "6th", "4th", "11th", "12th", "8th", "2nd", "first", "3rd", "ninth"),
    "dose": (
        "{num} mg [po|PO|IV] [daily|bid|BID|tid|q6h|qhs|prn]",
        "{small}.5 mg daily",
        "{num} mg",
        "{num} mcg/hr",
        "{small} units",
        "{bignum} mg [x1|daily]",
    ),
    "bp": ("1{num}/{num}", "{num}/{num}", "[110|120|135|142|158]/[60|70|78|85|92]"),
    "level": ("T{small}", "L{small}", "C{small}", "T1{small}", "L4", "L5-S1"),
    "rib": ("6th", "7th", "fifth", "eighth", "4th", "9th and 10th", "second"),
    "temp": ("98.{small}", "10{small}.{small}", "99.{small}", "37.{small}", "38.{small}", "36.{small}"),
    "size": ("{mm} x {mm} mm", "{cm} x {cm} cm", "{cm} cm", "{mm}mm", "{cm} x {cm} x {cm} cm", "{mm} x {mm} x {mm} mm"),
}


@dataclass(frozen=True)
class Lexicon:
    """Further words, mined from a vocabulary: each is tried where the lists above are tried too."""

    given: list[str] = field(default_factory=list)
    surnames: list[str] = field(default_factory=list)
    towns: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # that name nobody and no place


@dataclass(frozen=True)
class Someone:
    given: str
    middle: str
    family: str
    sex: str

    @property
    def initials(self) -> str:
        letters = [self.given[0], self.middle[:1], next((c for c in self.family if c.isupper()), self.family[0])]
        return "".join(letters).upper()


class Scene:
    def __init__(self, rng: random.Random, lexicon: Lexicon) -> None:
        self.rng, self.lexicon = rng, lexicon
        self.patient, self.kin = self.someone(), self.someone()
        if rng.random() < 0.6:
            self.kin = Someone(self.kin.given, "", self.patient.family, self.kin.sex)
        self.staff = [self.someone() for _ in range(4)]
        self.day = dt.date(1985, 1, 1) + dt.timedelta(days=int(rng.random() * 18_500))
        self.town, self.home = self._town(), self._town()
        self.hospital = places.hospital(rng, self.staff[3].family, self.town)
        self.mrn, self.accession = numbers.record(rng), numbers.accession(rng, self.day.year)
        self.age = rng.randint(90, 104) if rng.random() < 0.25 else rng.randint(1, 89)
        self._drawn: dict[str, Callable[[], Pieces]] = {
            "p": self._patient, "pf": self._formal, "pfull": lambda: self._name(self._full(self.patient)),
            "pfirst": lambda: self._name(self.patient.given), "plast": lambda: self._name(self.patient.family),
            "kin": self._relative, "other": lambda: self._name(self._full(self.someone())),
            "d": self._doctor, "dr": self._titled_doctor, "dsig": self._signature, "dfull": self._full_doctor,
            "dlast": lambda: [(self._one(self.staff).family, Category.DOCTOR)],
            "dfirst": lambda: [(self._one(self.staff).given, Category.DOCTOR)],
            "di": lambda: self._initials(str.upper), "ti": lambda: self._initials(str.lower), "pi": self._patient_initials,
            "date": lambda: [(numbers.date(rng, self._near()), Category.DATE)],
            "ld": lambda: [(numbers.loose_date(rng, self._near()), Category.DATE)],
            "dob": lambda: [(numbers.date(rng, dt.date(self.day.year - min(self.age, 84), rng.randint(1, 12), rng.randint(1, 28))), Category.DATE)],
            "dayof": lambda: [(numbers.ordinal(rng.randint(1, 28)), Category.DATE)],
            "year": lambda: [(str(self.day.year - rng.randint(1, 30)), Category.DATE)],
            "yearnot": lambda: [(str(self.day.year - rng.randint(0, 20)), None)],
            "time": lambda: [(numbers.time(rng), Category.TIME)],
            "mrn": lambda: [(self.mrn if rng.random() < 0.7 else numbers.record(rng), Category.MRN)],
            "acc": lambda: [(self.accession if rng.random() < 0.7 else numbers.accession(rng, self.day.year), Category.ACCESSION)],
            "ssn": lambda: [(numbers.ssn(rng), Category.SSN)], "plann": lambda: [(numbers.plan_number(rng), Category.HEALTH_PLAN)],
            "phone": lambda: [(numbers.phone(rng), Category.PHONE)], "fax": lambda: [(numbers.phone(rng), Category.FAX)],
            "ext": lambda: [(numbers.extension(rng), Category.PHONE)], "email": self._email, "url": self._url,
            "street": lambda: [(places.street(rng, self._surname()), Category.ADDRESS)],
            "town": lambda: [(self.home if rng.random() < 0.6 else self._town(), Category.ADDRESS)],
            "zip": lambda: [(places.postal(rng), Category.ADDRESS)],
            "region": lambda: [(self._one(places.STATE_NAMES if rng.random() < 0.5 else places.COUNTRIES), Category.ADDRESS)],
            "hosp": self._hospital, "hs": lambda: [(places.short_hospital(rng, self.hospital), Category.HOSPITAL)],
            "serial": lambda: [(numbers.serial(rng), Category.DEVICE_SERIAL)], "uid": lambda: [(numbers.uid(rng), Category.UID)],
            "oid": lambda: [(numbers.other_id(rng), Category.OTHER_ID)], "room": lambda: [(numbers.room(rng), Category.OTHER_ID)],
            "ip": lambda: [(f"{rng.randint(10, 220)}.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}", Category.OTHER_ID)],
            "q": lambda: [('"', None)], "drug": self._drug, "eponym": self._eponym,
            "gap": lambda: [(self._one(_GAPS), None)],
            "agex": self._age, "age": lambda: [(str(rng.randint(1, 89)), None)], "old": lambda: [(numbers.old_age(rng), Category.AGE_OVER_89)],
            "mm": lambda: [(str(rng.randint(2, 40)), None)], "cm": lambda: [(f"{rng.randint(1, 9)}.{rng.randint(0, 9)}", None)],
            "num": lambda: [(str(rng.randint(10, 150)), None)], "small": lambda: [(str(rng.randint(1, 9)), None)],
            "small2": lambda: [(str(rng.randint(8, 30)), None)], "bignum": lambda: [(str(rng.randint(200, 4000)), None)],
        }  # fmt: skip

    def write(self, template: str) -> Pieces:
        return render(template, self.rng, self.slot)

    def slot(self, name: str) -> Pieces:
        if draw := self._drawn.get(name):
            return draw()
        return self.write(self._one(_TERMS[name]))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _one(self, options: Sequence[T]) -> T:
        return options[int(self.rng.random() * len(options))]

    def _near(self) -> dt.date:
        return self.day - dt.timedelta(days=int(self.rng.expovariate(1 / 60)))

    # people

    def someone(self) -> Someone:
        rng = self.rng
        origin = self._one(list(_SURNAMES))
        if rng.random() < 0.3:
            origin = "english"
        kind = rng.random()
        given = (
            self._one(_GIVEN.get(origin) or _GIVEN["english"]) if kind < 0.5
            else names.coined("given").draw(rng) if kind < 0.65
            else self._one(self.lexicon.given) if kind < 0.8 and self.lexicon.given
            else self._one(_WORD_GIVEN) if kind < 0.88
            else self._one(_GIVEN[self._one(list(_GIVEN))])
        )  # fmt: skip
        middle = self._one(("", "", "", "A.", "B.", "J.", "M.", "R", "L.", "E", "Lee", "Ann", "Marie", "S.", "T", "W."))
        return Someone(given, middle, self._surname(origin), rng.choice("FM"))

    def _surname(self, origin: str | None = None) -> str:
        rng, kind = self.rng, self.rng.random()
        if kind < 0.42:
            name = self._one(_SURNAMES[origin or self._one(list(_SURNAMES))])
        elif kind < 0.6:
            name = names.coined("surname").draw(rng)
        elif kind < 0.8 and self.lexicon.surnames:
            name = self._one(self.lexicon.surnames)
        else:
            name = self._one(_WORD_SURNAMES)
        if rng.random() < 0.03:
            name = f"{name}-{names.coined('surname').draw(rng)}"
        return name + rng.choice([" Jr.", " Sr", " III", " Jr"]) if rng.random() < 0.015 else name

    def _typed(self, name: str) -> str:
        """Now and then with a typing error."""
        if len(name) < 4 or not self.chance(0.05):
            return name
        place = self.rng.randint(1, len(name) - 2)
        kind, letter = self.rng.random(), name[place]
        if kind < 0.3:
            return name[:place] + name[place + 1 :]
        if kind < 0.6:
            return name[:place] + letter + name[place:]
        if kind < 0.85:
            return name[:place] + name[place + 1] + letter + name[place + 2 :]
        return name[:place] + self.rng.choice("aeirstn") + name[place + 1 :]

    def _name(self, text: str) -> Pieces:
        return [(self._typed(text), Category.NAME)]

    def _full(self, one: Someone) -> str:
        middle = f"{one.middle} " if one.middle and self.chance(0.5) else ""
        return f"{one.given} {middle}{one.family}"

    def _patient(self) -> Pieces:
        one, rng = self.patient, self.rng
        title = self._one(_TITLES[one.sex])
        kind = rng.random()
        forms = (
            (0.28, self._full(one)), (0.52, title + one.family), (0.62, one.family), (0.72, one.given), (0.77, f"{one.given[0]}. {one.family}"),
            (0.81, f"{one.family}, {one.given}"), (0.84, title + self._full(one)), (0.87, one.family.upper()), (0.9, f"{one.given.upper()} {one.family.upper()}"),
            (0.92, f"{one.family.upper()}, {one.given.upper()}"), (0.94, f"{one.family} {one.given}"), (0.96, f"{one.given} {one.family[0]}."),
            (0.97, f"{one.family} {one.given[0]}"), (0.98, f"{title}{one.given}"), (1.0, f"{one.family.upper()} {one.given}"),
        )  # fmt: skip
        return self._name(next(text for share, text in forms if kind <= share))

    def _formal(self) -> Pieces:
        one = self.patient
        middle = f" {one.middle.rstrip('.')}" if one.middle and self.chance(0.6) else ""
        text = self._one(
            (f"{one.family}, {one.given}{middle}", f"{one.family.upper()}, {one.given.upper()}{middle.upper()}", f"{one.family},{one.given}{middle}".upper(),
             f"{one.given}{middle} {one.family}", f"{one.family}^{one.given}{middle.replace(' ', '^')}", f"{one.given} {one.family}".upper(),
             f"{one.family} {one.given}", f"{one.family.upper()} {one.given}", f"{one.family}, {one.given}{middle}", f"{one.family}, {one.given[0]}.")
        )  # fmt: skip
        return self._name(text)

    def _relative(self) -> Pieces:
        one = self.kin
        title = self._one(_TITLES[one.sex])
        return self._name(
            self._one(
                (
                    one.given,
                    one.given,
                    self._full(one),
                    title + one.family,
                    f"{one.given} {one.family}",
                    one.given.upper(),
                )
            )
        )

    def _doctor(self) -> Pieces:
        one = self._one(self.staff)
        text = self._one(
            (
                one.family,
                one.family,
                self._full(one),
                f"{one.given[0]}. {one.family}",
                one.family.upper(),
                f"{one.given} {one.family}",
                f"{one.given[0]} {one.family}",
            )
        )
        return [(self._typed(text), Category.DOCTOR)]

    def _titled_doctor(self) -> Pieces:
        return [*self.write("[Dr. |Dr. |Dr |Dr. |DR. |Dr.|Doctor |Prof. |Professor |Drs. ]{d}")]

    def _full_doctor(self) -> Pieces:
        one = self._one(self.staff)
        text = self._full(one)
        return [(self._typed(text if self.chance(0.7) else text.upper()), Category.DOCTOR)]

    def _signature(self) -> Pieces:
        return (
            self.write("{dfull}[, {cred}|, {cred}| {cred}|, {cred}, {cred}|]")
            if self.chance(0.8)
            else self.write("{dlast}, {dfirst}[, {cred}| {cred}|]")
        )

    def _initials(self, case: Callable[[str], str]) -> Pieces:
        letters = self._one(self.staff).initials
        text = case(letters if self.chance(0.5) else letters[0] + letters[-1])
        return [(".".join(text) + "." if self.chance(0.08) else text, Category.INITIALS)]

    def _patient_initials(self) -> Pieces:
        letters = self.patient.initials
        return [(self._one((letters, letters[0] + letters[-1], ".".join(letters) + ".")), Category.INITIALS)]

    def _age(self) -> Pieces:
        if self.age <= 89:
            return [(str(self.age), None)]
        return [(str(self.age) if self.chance(0.85) else numbers.old_age(self.rng), Category.AGE_OVER_89)]

    # what sounds like a name and is none

    def _drug(self) -> Pieces:
        if self.chance(0.25):
            coined = names.coined_words("drug", tuple(terms.DRUGS)).draw(self.rng)
            return [(coined if self.chance(0.5) else coined.lower(), None)]
        return [(self._one(terms.DRUGS), None)]

    def _eponym(self) -> Pieces:
        if self.chance(0.3):
            name = self._surname()
            if self.chance(0.2):
                name += "-" + self._surname()
            return [(f"{name}{self._one(('', '', chr(39) + 's'))} {self._one(terms.NAMED_AFTER)}", None)]
        return [(self._one(terms.EPONYMS), None)]

    # places

    def _town(self) -> str:
        if self.lexicon.towns and self.chance(0.2):
            return self._one(self.lexicon.towns)
        return places.town(self.rng)

    def _hospital(self) -> Pieces:
        text = self.hospital if self.chance(0.75) else places.hospital(self.rng, self._surname(), self._town())
        return [(text.upper() if self.chance(0.12) else text, Category.HOSPITAL)]

    def _domain(self) -> str:
        bare = "".join(c for c in self.hospital.lower() if c.isascii() and c.isalpha())[:18] or "hospital"
        return self._one(
            (
                f"{bare}.org",
                f"{bare}.example.org",
                "gmail.com",
                "mail.example.org",
                f"{bare}.edu",
                f"rad.{bare}.com",
                "nhs.uk",
                f"{bare}.de",
                "hotmail.com",
            )
        )

    def _email(self) -> Pieces:
        one = self._one([self.patient, *self.staff])
        plain = "".join(c for c in one.family.lower() if c.isascii() and c.isalpha()) or "desk"
        first = "".join(c for c in one.given.lower() if c.isascii() and c.isalpha()) or "x"
        handle = self._one(
            (
                f"{first}.{plain}",
                f"{first[0]}{plain}",
                plain,
                f"{plain}{self.rng.randint(1, 99)}",
                f"{first}_{plain}",
                "radiology",
                f"{first[0]}.{plain}",
            )
        )
        return [(f"{handle}@{self._domain()}", Category.EMAIL)]

    def _url(self) -> Pieces:
        return [
            (
                self._one(("https://", "http://", "www.", "https://portal."))
                + self._domain()
                + self._one(("", "/results", "/portal", "/radiology", "/patients?id=" + numbers.digits(self.rng, 5))),
                Category.URL,
            )
        ]

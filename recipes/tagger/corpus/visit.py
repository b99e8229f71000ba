"""One invented visit: who, where and when, and how each of them is written wherever a template asks."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from medveil.person.identifiers import Category
from recipes.tagger.corpus import names, numbers, papers, places, places_abroad, workplaces
from recipes.tagger.corpus.grammar import Pieces, render
from recipes.tagger.corpus.lists import lines
from recipes.tagger.corpus.people import Lexicon, People
from recipes.tagger.corpus.terms import GAPS, TERMS

T = TypeVar("T")


class Visit:
    def __init__(self, rng: random.Random, lexicon: Lexicon, tongue: str | None = None) -> None:
        self.rng, self.lexicon, self.tongue = rng, lexicon, tongue
        self.people = People(rng, lexicon, origin="hispanic" if tongue == "spanish" else tongue)
        self.day = dt.date(1985, 1, 1) + dt.timedelta(days=int(rng.random() * 18_500))
        self.town, self.home = self._town(), self._town()
        self.hospital = self._house(self.people.staff[3].family, self.town)
        self.mrn, self.accession = numbers.record(rng), numbers.accession(rng, self.day.year)
        self.age = rng.randint(90, 104) if rng.random() < 0.25 else rng.randint(1, 89)
        self._drawn: dict[str, Callable[[], Pieces]] = {
            "p": self.people.patient_somehow,
            "pf": self.people.patient_formally,
            "pfull": lambda: self.people.as_name(self.people.full(self.people.patient)),
            "pfirst": lambda: self.people.as_name(self.people.patient.given),
            "plast": lambda: self.people.as_name(self.people.patient.family),
            "kin": self.people.relative,
            "other": lambda: self.people.as_name(self.people.full(self.people.someone())),
            "d": self.people.doctor,
            "dr": self._titled_doctor,
            "dsig": self._signature,
            "dfull": self.people.full_doctor,
            "dlast": lambda: [(self._one(self.people.staff).family, Category.DOCTOR)],
            "dfirst": lambda: [(self._one(self.people.staff).given, Category.DOCTOR)],
            "di": lambda: self.people.initials(str.upper),
            "ti": lambda: self.people.initials(str.lower),
            "pi": self.people.patient_initials,
            "date": lambda: self._date(self._near()),
            "ld": lambda: self._date(self._near(), loose=True),
            "dob": lambda: self._date(
                dt.date(self.day.year - min(self.age, 84), rng.randint(1, 12), rng.randint(1, 28))
            ),
            "dayof": lambda: [(numbers.ordinal(rng.randint(1, 28)), Category.DATE)],
            "year": lambda: [(str(self.day.year - rng.randint(1, 30)), Category.DATE)],
            "yearnot": lambda: [(str(self.day.year - rng.randint(0, 20)), None)],
            "time": lambda: [((numbers.time_abroad if self.tongue else numbers.time)(rng), Category.TIME)],
            "mrn": lambda: [(self.mrn if rng.random() < 0.7 else numbers.record(rng), Category.MRN)],
            "acc": lambda: [
                (self.accession if rng.random() < 0.7 else numbers.accession(rng, self.day.year), Category.ACCESSION)
            ],
            "ssn": lambda: [(numbers.ssn(rng), Category.SSN)],
            "plann": lambda: [(numbers.plan_number(rng), Category.HEALTH_PLAN)],
            "phone": lambda: [(numbers.phone(rng), Category.PHONE)],
            "fax": lambda: [(numbers.phone(rng), Category.FAX)],
            "ext": lambda: [(numbers.extension(rng), Category.PHONE)],
            "email": self._email,
            "url": self._url,
            "street": lambda: [(self._street(), Category.ADDRESS)],
            "town": lambda: [(self.home if rng.random() < 0.6 else self._town(), Category.ADDRESS)],
            "zip": lambda: [(places.postal(rng), Category.ADDRESS)],
            "region": lambda: [
                (self._one(lines("state_names" if rng.random() < 0.5 else "countries")), Category.ADDRESS)
            ],
            "hosp": self._hospital,
            "hs": lambda: [(places.short_hospital(rng, self.hospital), Category.HOSPITAL)],
            "serial": lambda: [(numbers.serial(rng), Category.DEVICE_SERIAL)],
            "uid": lambda: [(numbers.uid(rng), Category.UID)],
            "oid": lambda: [(numbers.other_id(rng), Category.OTHER_ID)],
            "room": lambda: [(numbers.room(rng), Category.OTHER_ID)],
            "ip": lambda: [(papers.network_address(rng), Category.OTHER_ID)],
            "national": lambda: [(papers.national(rng), Category.OTHER_ID)],
            "plate": lambda: [(papers.plate(rng), Category.OTHER_ID)],
            "account": lambda: [(papers.account(rng), Category.OTHER_ID)],
            "station": lambda: [(papers.station(rng), Category.OTHER_ID)],
            "user": self._user,
            "ward": lambda: [(workplaces.ward(rng, self.people.surname()), Category.OTHER_ID)],
            "firm": lambda: [(workplaces.firm(rng, self.people.surname(), self._town()), Category.HOSPITAL)],
            "carehome": lambda: [(workplaces.care_home(rng, self.people.surname(), self._town()), Category.HOSPITAL)],
            "oddi": lambda: self.people.odd_initials(),
            "many": lambda: [(self.people.many_names(self.people.patient), Category.NAME)],
            "dmany": lambda: [(self.people.many_names(self._one(self.people.staff)), Category.DOCTOR)],
            "q": lambda: [('"', None)],
            "lb": lambda: [("{", None)],
            "rb": lambda: [("}", None)],
            "yy": lambda: [(numbers.clipped_year(rng, self._long_ago()), Category.DATE)],
            "wd": lambda: [(numbers.spoken_date(rng, self._near()), Category.DATE)],
            "mon": lambda: [(numbers.month_name(rng, self._near()), Category.DATE)],
            "wkd": lambda: [(numbers.weekday(rng, self._near()), Category.DATE)],
            "isotime": lambda: [(numbers.moment(rng, self._near()), Category.DATE)],
            "stamp": lambda: [(numbers.stamp(rng, self._near()), Category.DATE)],
            "clock": lambda: [(numbers.clock(rng), Category.TIME)],
            "hb": lambda: [(places.bare_hospital(rng, self.people.surname(), self._town()), Category.HOSPITAL)],
            "practice": lambda: [(workplaces.practice(rng, self.people.surname(), self._town()), Category.HOSPITAL)],
            "vessel": lambda: [
                (workplaces.vessel(rng, self.people.someone().given, self.people.surname()), Category.HOSPITAL)
            ],
            "road": lambda: [(places.road(rng, self.people.surname()), Category.ADDRESS)],
            "dshort": lambda: [(self.people.short_name(), Category.DOCTOR)],
            "dnick": lambda: [(self.people.nickname(), Category.DOCTOR)],
            "dinit": lambda: [(self._one(self.people.staff).given[0], Category.DOCTOR)],
            "licence": lambda: [(papers.licence(rng), Category.OTHER_ID)],
            "hexid": lambda: [(numbers.hex_id(rng), Category.OTHER_ID)],
            "wardname": lambda: [(workplaces.ward_name(rng, self.people.surname()), Category.OTHER_ID)],
            "small_id": lambda: [(str(rng.randint(1, 12)), Category.OTHER_ID)],
            "small2_id": lambda: [(str(rng.randint(2, 60)), Category.ADDRESS)],
            "county": self._county,
            "county_name": lambda: [(self._town(), Category.ADDRESS)],
            "udi": lambda: [(papers.device_identifier(rng), Category.DEVICE_SERIAL)],
            "vin": lambda: [(papers.chassis(rng), Category.OTHER_ID)],
            "bio": lambda: [(papers.biometric(rng), Category.OTHER_ID)],
            "photo": self._photograph,
            "handle": self._handle,
            "org": self._organisation,
            "epo": lambda: [(self.people.surname().split()[-1], None)],
            "holiday": lambda: [(self._one(numbers.HOLIDAYS), Category.DATE)],
            "carehome_de": lambda: [(workplaces.care_home_abroad(rng, self._town()), Category.HOSPITAL)],
            "oldword": lambda: [(self._one(numbers.OLD), Category.AGE_OVER_89)],
            "oldword_plural": lambda: [(self._one(numbers.NINETIES), Category.AGE_OVER_89)],
            "abbr": self._abbreviation,
            "cred": self._credential,
            "brand": self._brand,
            "scored": self._score,
            "drug": self._drug,
            "eponym": self._eponym,
            "gap": lambda: [(self._one(GAPS), None)],
            "w": self._word,
            "agex": self._age,
            "age": lambda: [(str(rng.randint(1, 89)), None)],
            "old": lambda: [(numbers.old_age(rng), Category.AGE_OVER_89)],
            "mm": lambda: [(str(rng.randint(2, 40)), None)],
            "cm": lambda: [(f"{rng.randint(1, 9)}.{rng.randint(0, 9)}", None)],
            "num": lambda: [(str(rng.randint(10, 150)), None)],
            "small": lambda: [(str(rng.randint(1, 9)), None)],
            "small2": lambda: [(str(rng.randint(8, 30)), None)],
            "bignum": lambda: [(str(rng.randint(200, 4000)), None)],
        }

    def write(self, template: str) -> Pieces:
        return render(template, self.rng, self.slot)

    def slot(self, name: str) -> Pieces:
        if draw := self._drawn.get(name):
            return draw()
        return self.write(self._one(TERMS[name]))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _one(self, options: Sequence[T]) -> T:
        return options[int(self.rng.random() * len(options))]

    def _long_ago(self) -> dt.date:
        return self.day - dt.timedelta(days=int(self.rng.expovariate(1 / 3000)))

    def _near(self) -> dt.date:
        return self.day - dt.timedelta(days=int(self.rng.expovariate(1 / 60)))

    def _date(self, day: dt.date, *, loose: bool = False) -> Pieces:
        if self.tongue is not None and self.chance(0.9):
            return [(numbers.date_abroad(self.rng, day, self.tongue, loose=loose), Category.DATE)]
        return [((numbers.loose_date if loose else numbers.date)(self.rng, day), Category.DATE)]

    def _titled_doctor(self) -> Pieces:
        return [*self.write("[Dr. |Dr. |Dr |Dr. |DR. |Dr.|Doctor |Prof. |Professor |Drs. ]{d}")]

    def _signature(self) -> Pieces:
        return (
            self.write("{dfull}[, {cred}|, {cred}| {cred}|, {cred}, {cred}|]")
            if self.chance(0.8)
            else self.write("{dlast}, {dfirst}[, {cred}| {cred}|]")
        )

    def _age(self) -> Pieces:
        if self.age <= 89:
            return [(str(self.age), None)]
        return [(str(self.age) if self.chance(0.85) else numbers.old_age(self.rng), Category.AGE_OVER_89)]

    # what sounds like a name and is none

    def _word(self) -> Pieces:
        known = self.lexicon.words if self.lexicon.words and self.chance(0.6) else lines("function_words")
        return [(self._one(known), None)]

    def _drug(self) -> Pieces:
        if self.chance(0.25):
            coined = names.coined_words("drug", lines("drugs")).draw(self.rng)
            return [(coined if self.chance(0.5) else coined.lower(), None)]
        return [(self._one(lines("drugs")), None)]

    def _abbreviation(self) -> Pieces:
        """Of the list, or letters that nobody has met: most of a ward's abbreviations are nobody's initials."""
        if self.chance(0.35):
            return [(papers.letters(self.rng, self._one((2, 3, 3, 3, 4, 4, 5))), None)]
        return [(self._one(lines("abbreviations")), None)]

    def _credential(self) -> Pieces:
        unknown = self.chance(0.08)
        return [
            (papers.letters(self.rng, self._one((3, 4, 4, 5))) if unknown else self._one(lines("credentials")), None)
        ]

    def _brand(self) -> Pieces:
        """Of a suture, a dressing, a pump: a word that sounds like a name."""
        if self.chance(0.45):
            return [(names.coined_words("brand", lines("brands")).draw(self.rng), None)]
        return [(self._one(lines("brands")), None)]

    def _score(self) -> Pieces:
        """A scale that bears a name, with its result."""
        name = self.people.surname().split()[-1] if self.chance(0.4) else self._one(lines("scores"))
        if self.chance(0.25):
            name += "-" + self.people.surname().split()[-1]
        return self.write(
            name
            + "[ | | grade | score | class | stage | ][{small}|{small}|I|II|III|IV|IIIA|{small}/10|{num}|{cm}|{small}a]"
        )

    def _eponym(self) -> Pieces:
        if self.chance(0.4):
            name = self.people.surname()
            if self.chance(0.2):
                name += "-" + self.people.surname()
            owned = name + self._one(("", "", "'s"))
            return [(f"{owned} " + self._one(lines("named_after")), None)]
        return [(self._one(lines("eponyms")), None)]

    def _user(self) -> Pieces:
        one = self._one(self.people.staff)
        return [(papers.user(self.rng, one.given, one.family), Category.OTHER_ID)]

    def _organisation(self) -> Pieces:
        known = names.telling_words(tuple(self.lexicon.words))
        coined = names.coined("surname").draw(self.rng)
        name = workplaces.organisation(
            self.rng, self.people.surname(), self._town(), coined, self._one(known), self._one(known)
        )
        return [(name, Category.HOSPITAL)]

    def _handle(self) -> Pieces:
        one = self._one([self.people.patient, self.people.kin, *self.people.staff])
        return [("@" + papers.user(self.rng, one.given, one.family), Category.OTHER_ID)]

    def _photograph(self) -> Pieces:
        one = self.people.patient
        return [(papers.photograph(self.rng, one.given, one.family, self._near()), Category.OTHER_ID)]

    # places

    def _town(self) -> str:
        if self.tongue is not None and self.chance(0.7):
            return places_abroad.town(self.rng, self.tongue)
        if self.chance(0.08):
            return places.named_after(self.rng, self.people.surname())
        if self.lexicon.towns and self.chance(0.2):
            return self._one(self.lexicon.towns)
        return places.town(self.rng)

    def _county(self) -> Pieces:
        before, name, after = places.county(self.rng, self._town())
        return [(before, None), (name, Category.ADDRESS), (after, None)]

    def _street(self) -> str:
        if self.tongue is not None and self.chance(0.8):
            return places_abroad.street(self.rng, self.tongue, self.people.surname(), self._town())
        return places.street(self.rng, self.people.surname())

    def _house(self, surname: str, town: str) -> str:
        if self.tongue is not None and self.chance(0.8):
            return places_abroad.house(self.rng, self.tongue, surname, town)
        return places.hospital(self.rng, surname, town)

    def _hospital(self) -> Pieces:
        text = self.hospital if self.chance(0.75) else self._house(self.people.surname(), self._town())
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
        one = self._one([self.people.patient, *self.people.staff])
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

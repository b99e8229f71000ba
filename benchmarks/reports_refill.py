"""Indiana's reports with invented people, days and places put back in; a part of reports_recall.py.

The publisher crossed identifiers out with XXXX. Where the words around say what was there (a day, an age, a doctor),
something of the kind is written again; lines that reports have elsewhere (names, numbers, addresses, who called whom)
are added. Names, streets and towns come from Faker, sentences from this file: the tagger's own texts share neither.
"""

from __future__ import annotations

import datetime as dt
import random
import re
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

from faker import Faker

from medveil.cohort.phantom.marked_text import MarkedText, as_marked, fill, join, mark
from medveil.person.identifiers import Category

_LOCALES = (
    "en_US",
    "en_US",
    "en_US",
    "es_MX",
    "en_IN",
    "de_DE",
    "fr_FR",
    "vi_VN",
    "pl_PL",
    "it_IT",
    "nl_NL",
    "en_GB",
    "tr_TR",
    "pt_BR",
    "en_IE",
    "zu_ZA",
    "fi_FI",
)
_SLOT = re.compile(
    r"(?P<age>XXXX(?=[- ]year[- ]old))|(?P<day>(?<=dated )XXXX|(?<=from )XXXX|"
    r"(?<=since )XXXX|(?<=compared to )XXXX|(?<=prior of )XXXX)"
    r"|(?P<doctor>(?<=Dr\. )XXXX)|(?P<time>(?<=at )XXXX(?= hours))"
)


def read_indiana(archive: Path) -> list[dict[str, str]]:
    """Each report's sections as the publisher has them."""
    reports = []
    with tarfile.open(archive) as tar:
        for member in sorted((m for m in tar if m.name.endswith(".xml")), key=lambda m: m.name):
            root = ET.parse(tar.extractfile(member)).getroot()
            reports.append({part.get("Label") or "": (part.text or "").strip() for part in root.iter("AbstractText")})
    return reports


class Invented:
    """The people, days and numbers of one report."""

    def __init__(self, seed: int, locales: dict[str, Faker]) -> None:
        self.rng = random.Random(seed)
        self.fake = locales[self.rng.choice(_LOCALES)]
        self.fake.seed_instance(seed)
        self.plain = locales["en_US"]
        self.plain.seed_instance(seed + 1)
        self.given, self.family = self.fake.first_name(), self.fake.last_name()
        other = locales[self.rng.choice(_LOCALES)]
        other.seed_instance(seed + 2)
        self.doctors = [(other.first_name(), other.last_name()) for _ in range(3)]
        self.day_form = self.rng.choice(
            ["%m/%d/%Y", "%B %d, %Y", "%d %b %Y", "%Y-%m-%d", "%m/%d/%y", "%d.%m.%Y", "%b %d %Y"]
        )

    def one(self, *options: str) -> str:
        return self.rng.choice(options)

    def patient(self) -> MarkedText:
        title = self.one("Mr. ", "Mrs. ", "Ms. ", "Mr ")
        name = self.one(
            f"{self.given} {self.family}",
            f"{title}{self.family}",
            f"{self.family}, {self.given}",
            f"{self.given} {self.family}".upper(),
        )
        titled = title if name.startswith(title) else ""
        return titled + mark(name.removeprefix(titled), Category.NAME)

    def listed(self) -> MarkedText:
        return mark(
            self.one(
                f"{self.family}, {self.given}",
                f"{self.family}, {self.given}".upper(),
                f"{self.given} {self.family}",
                f"{self.family.upper()} {self.given}",
            ),
            Category.NAME,
        )

    def relative(self) -> MarkedText:
        return mark(self.one(self.fake.first_name(), f"{self.fake.first_name()} {self.family}"), Category.NAME)

    def doctor(self) -> MarkedText:
        given, family = self.rng.choice(self.doctors)
        return mark(self.one(family, family, f"{given} {family}", f"{given[0]}. {family}"), Category.DOCTOR)

    def signer(self) -> MarkedText:
        given, family = self.rng.choice(self.doctors)
        return mark(
            self.one(
                f"{given} {family}",
                f"{given} {family[0]}. {family}" if self.rng.random() < 0.1 else f"{given} {family}",
                f"{given} {family}".upper(),
            ),
            Category.DOCTOR,
        ) + self.one(", M.D.", " MD", ", DO", "", ", MD, PhD")

    def letters(self) -> MarkedText:
        given, family = self.rng.choice(self.doctors)
        return mark((given[0] + family[0]).upper(), Category.INITIALS)

    def day(self) -> MarkedText:
        day = self.plain.date_between(dt.date(2012, 1, 1), dt.date(2025, 12, 31))
        loose = self.one("%m/%d/%Y", "%m/%d", "%B %d", "%B %Y", "%d %B %Y", "%m-%d-%y")
        return mark(day.strftime(self.day_form if self.rng.random() < 0.6 else loose), Category.DATE)

    def birth(self) -> MarkedText:
        day = self.plain.date_between(dt.date(1925, 1, 1), dt.date(2007, 12, 31))
        return mark(day.strftime(self.day_form), Category.DATE)

    def hour(self) -> MarkedText:
        moment = dt.time(self.rng.randint(0, 23), self.rng.randint(0, 59))
        return mark(moment.strftime(self.one("%H:%M", "%I:%M %p", "%H%M", "%I:%M%p")), Category.TIME)

    def age(self) -> MarkedText:
        age = self.rng.randint(90, 103) if self.rng.random() < 0.3 else self.rng.randint(18, 89)
        return mark(str(age), Category.AGE_OVER_89) if age > 89 else as_marked(str(age))

    def record(self) -> MarkedText:
        return mark(
            self.plain.bothify(self.one("########", "#######", "?#######", "###-##-##", "MR######")).upper(),
            Category.MRN,
        )

    def study(self) -> MarkedText:
        return mark(
            self.plain.bothify(self.one("??########", "##-#######", "RA######", "#########")).upper(),
            Category.ACCESSION,
        )

    def call_number(self) -> MarkedText:
        return mark(
            self.plain.numerify(self.one("(3##) ###-####", "3##-###-####", "###-####", "3##.###.####")), Category.PHONE
        )

    def fax_number(self) -> MarkedText:
        return mark(self.plain.numerify("(3##) ###-####"), Category.FAX)

    def beeper(self) -> MarkedText:
        return mark(self.plain.numerify(self.one("####", "#####")), Category.PHONE)

    def mail(self) -> MarkedText:
        return mark(self.plain.email(), Category.EMAIL)

    def house(self) -> MarkedText:
        town = mark(self.plain.city(), Category.ADDRESS)
        street = mark(self.plain.street_address().replace("\n", " "), Category.ADDRESS)
        state, code = self.plain.state_abbr(), mark(self.plain.postcode(), Category.ADDRESS)
        return fill("{street}, {town}, {state} {code}", street=street, town=town, state=state, code=code)

    def hospital(self) -> MarkedText:
        name = self.one(
            f"{self.plain.city()} {self.one('Medical Center', 'Hospital', 'Community Hospital', 'Methodist Hospital')}",
            f"St. {self.plain.first_name()} Hospital",
            f"{self.plain.last_name()} Clinic",
            f"University of {self.plain.state()} Hospital",
        )
        return mark(name, Category.HOSPITAL)

    def security(self) -> MarkedText:
        return mark(self.plain.ssn(), Category.SSN)

    def policy(self) -> MarkedText:
        return mark(self.plain.bothify("???#########").upper(), Category.HEALTH_PLAN)

    def serial(self) -> MarkedText:
        return mark(self.plain.bothify(self.one("??######", "########", "?#####?")).upper(), Category.DEVICE_SERIAL)

    def bed(self) -> MarkedText:
        return mark(self.plain.bothify(self.one("#?##", "###", "###-?")).upper(), Category.OTHER_ID)

    def job(self) -> MarkedText:
        return mark(self.plain.numerify("#######"), Category.OTHER_ID)

    def site(self) -> MarkedText:
        return mark(self.plain.url(), Category.URL)


_TOPS = (
    "{hospital}\nRADIOLOGIC CONSULTATION\nNAME {listed}   HOSP NO {record}   BORN {birth}\nEXAM DONE {day} {hour}\n",
    "Imaging result for {listed} (chart {record}), birthday {birth}, examined {day}.\n",
    "{listed} | {record} | {birth} | study {study} | {day}\n",
    "Clinician: Dr {doctor}   Patient seen: {listed}\nChart number {record}\nWhen: {day}, {hour}\n",
    "",
    "",
    "Study no. {study}, {day}.\n",
)
_MIDDLES = (
    "{patient} tolerated the examination well.",
    "Prior outside films from {hospital} were not available.",
    "This was conveyed to Dr. {doctor} at {hour} hours on {day}.",
    ("Dr. {doctor} of the emergency department received this by phone, {hour}, {day}."),
    "The nurse, {signer}, read the message back at {hour}.",
    ("{patient} asked that her daughter {relative} be told; number on file is {call_number}."),
    "Reviewed together with Dr. {doctor}.",
    "Overread by {letters}.",
    "The implanted generator carries serial {serial}.",
    "Ask for Dr. {doctor} on beeper {beeper}.",
    "Patient resides at {house}.",
    "He came by ambulance from {hospital} on {day}.",
    "An appointment was made for {day} with Dr. {doctor}.",
    "Wife of the patient, {relative}, was present.",
    "Film was taken in bed {bed}.",
    "Since {day} the patient has been on treatment at {hospital}.",
    "Report mailed to {mail}.",
    "Dr. {doctor} suspects infection in {patient}.",
)
_ENDS = (
    "\n{signer}\nRead {day} {hour}",
    "\nReader: {signer}. Typed by {letters}, job {job}, {day}.",
    "\nThis document was signed at {hour} on {day} by {signer}.",
    "\nReport to: Dr. {doctor}, {house}. Fax {fax_number}.",
    "\nInsurer's number {policy}; social security {security}.",
    "\nQuestions to {call_number} or {site}.",
    "\n{letters} {day}",
    "\n{signer} for Dr. {doctor}",
    "",
)


def refilled(report: dict[str, str], seed: int, locales: dict[str, Faker]) -> MarkedText:
    invented = Invented(seed, locales)
    parts: list[MarkedText | str] = [_said(invented, invented.one(*_TOPS))]
    for label in ("COMPARISON", "INDICATION", "FINDINGS", "IMPRESSION"):
        text = report.get(label, "")
        if not text:
            continue
        body = _put_back(text, label, invented)
        if label != "COMPARISON" and invented.rng.random() < 0.45:
            body = body + " " + _said(invented, invented.one(*_MIDDLES))
        parts.append(
            fill(
                invented.one("{label}: {body}\n", "{label}\n{body}\n\n"),
                label=label.title() if invented.rng.random() < 0.5 else label,
                body=body,
            )
        )
    parts.append(_said(invented, invented.one(*_ENDS)))
    return join("", parts)


def _said(invented: Invented, template: str) -> MarkedText:
    return fill(template, **{name: getattr(invented, name)() for name in re.findall(r"\{(\w+)\}", template)})


def _put_back(text: str, label: str, invented: Invented) -> MarkedText:
    if label == "COMPARISON":
        text = re.sub("x-XXXX", "x-ray", text)
        return _replaced(text, re.compile(r"(?P<day>XXXX(, XXXX)?)"), invented)
    return _replaced(text, _SLOT, invented)


def _replaced(text: str, slots: re.Pattern[str], invented: Invented) -> MarkedText:
    draw: dict[str, Callable[[], MarkedText]] = {
        "age": invented.age,
        "day": invented.day,
        "doctor": invented.doctor,
        "time": invented.hour,
    }
    pieces, place = as_marked(""), 0
    for slot in slots.finditer(text):
        assert slot.lastgroup or slot.groups()
        kind = next(
            name for name in ("day", "age", "doctor", "time") if name in slot.groupdict() and slot.groupdict()[name]
        )
        pieces = pieces + text[place : slot.start()] + draw[kind]()
        place = slot.end()
    return pieces + text[place:]


def faker_locales() -> dict[str, Faker]:
    return {name: Faker(name) for name in sorted(set(_LOCALES))}

"""How a report writes down who, when and where: every way of naming a thing comes marked."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import numpy as np

from medveil.cohort.phantom.chart import Demographics, Encounter
from medveil.cohort.phantom.invented_names import fold, mistyped
from medveil.cohort.phantom.marked_text import MarkedText, as_marked, fill, mark, vary
from medveil.cohort.phantom.plan import VisitPlan
from medveil.cohort.phantom.sites import Site, Staff
from medveil.person.identifiers import Category

_TENS = {9: "ninety", 10: "one hundred", 11: "one hundred and ten"}
_ONES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Mentions:
    """Everything nameable about one visit, written with this visit's own chance."""

    rng: np.random.Generator
    visit: VisitPlan
    before: VisitPlan | None
    person: Demographics
    encounter: Encounter
    earlier: Encounter | None
    site: Site

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, pattern: str) -> str:
        return vary(self.rng, pattern)

    # people

    def patient(self) -> MarkedText:
        """Somewhere in the running text: any form of the name, now and then with a typing error."""
        person, family = self.person, self.person.family
        if self.chance(0.12):
            slip = mistyped(self.rng, family)
            text = self.pick(f"[{person.given} {slip}|{person.title} {slip}|{slip}]")
            return self._name(text, misspelled=True)
        if self.chance(0.1):
            return mark(f"{person.given[0]}{_capital(family)}", Category.INITIALS, person.full)
        middle = f"{person.middle} " if person.middle else ""
        return self._name(
            self.pick(
                f"[{person.given} {family}|{person.given} {middle}{family}|{person.title} {family}|{family}|"
                f"{person.title} {family}|{family.upper()}|{person.given[0]}. {family}|{family}, {person.given}]"
            )
        )

    def patient_formal(self) -> MarkedText:
        """For letterheads and tables."""
        person = self.person
        middle = f" {person.middle.rstrip('.')}" if person.middle else ""
        formal = f"{person.family}, {person.given}{middle}"
        return self._name(self.pick(f"[{formal}|{formal.upper()}]"))

    def patient_titled(self) -> MarkedText:
        return self._name(f"{self.person.title} {self.person.family}")

    def relative(self) -> MarkedText:
        full = f"{self.person.relative} {self.person.family}"
        return mark(self.pick(f"[{full}|{self.person.relative}]"), Category.NAME, full)

    def _name(self, text: str, *, misspelled: bool = False) -> MarkedText:
        """A title before it is not part of the name."""
        title = f"{self.person.title} " if text.startswith(f"{self.person.title} ") else ""
        return title + mark(text.removeprefix(title), Category.NAME, self.person.full, misspelled=misspelled)

    def doctor(self, staff: Staff) -> MarkedText:
        """In running text; the title is not part of the name."""
        text = self.pick(f"[{staff.family}|{staff.family}|{staff.full}|{staff.given[0]}. {staff.family}]")
        return "Dr. " + mark(text, Category.DOCTOR, staff.full)

    def signature(self, staff: Staff) -> MarkedText:
        text = self.pick(f"[{staff.full}|{staff.full}|{staff.full.upper()}]")
        degree = f", {staff.degree}" if staff.degree else ""
        return mark(text, Category.DOCTOR, staff.full) + degree

    def full_name(self, staff: Staff) -> MarkedText:
        return mark(staff.full, Category.DOCTOR)

    def initials(self, staff: Staff, *, lower: bool = False) -> MarkedText:
        text = fold(staff.initials)
        return mark(text.lower() if lower else text.upper(), Category.INITIALS, staff.full)

    def pager(self, staff: Staff) -> MarkedText:
        return mark(staff.pager, Category.PHONE)

    def age(self) -> MarkedText:
        """In digits or, sometimes, letters; only above 89 is it an identifier."""
        age = self.visit.age
        if age <= 89:
            return as_marked(str(age))
        words = "-".join(filter(None, (_TENS[age // 10], _ONES[age % 10]))) if age < 120 else str(age)
        return mark(words if self.chance(0.15) and age < 100 else str(age), Category.AGE_OVER_89, str(age))

    @property
    def noun(self) -> str:
        return self.pick("[man|gentleman|male]" if self.person.sex == "M" else "[woman|lady|female]")

    # times

    def date(self, day: dt.date) -> MarkedText:
        """The house's own format."""
        return _dated(day, day.strftime(self.site.habits.date))

    def loose_date(self, day: dt.date) -> MarkedText:
        """Any format a tired person might dictate."""
        forms = [
            f"{day:%Y-%m-%d}",
            f"{day:%m/%d/%y}",
            f"{day:%m/%d/%Y}",
            f"{day.month}/{day.day}/{day.year}",
            f"{day:%B} {day.day}, {day.year}",
            f"{day.day} {day:%b} {day.year}",
            f"{day:%B} {day.day}",
            f"{day:%b} {_ordinal(day.day)}",
            f"{day.month}/{day.day}",
            f"{day:%d.%m.%Y}",
        ]
        return _dated(day, forms[int(self.rng.integers(len(forms)))])

    def recent_date(self, day: dt.date) -> MarkedText:
        """With its preposition; within the month just the day of it."""
        if (day.year, day.month) == (self.visit.date.year, self.visit.date.month) and self.chance(0.5):
            return "on the " + _dated(day, _ordinal(day.day))
        return "on " + self.loose_date(day)

    def time(self, moment: dt.datetime) -> MarkedText:
        forms = (f"{moment:%H:%M}", f"{moment:%H%M}", moment.strftime("%I:%M %p").lstrip("0"))
        text = forms[self.site.number % 3]
        return mark(text, Category.TIME, f"{moment:%H:%M}")

    def prior(self) -> MarkedText | str:
        """The earlier study as a sentence names it; empty where there is none."""
        if self.before is None:
            return ""
        if self.chance(0.55):
            return self.pick("[the prior study|the previous examination|the prior film|the earlier radiograph]")
        day = self.before.date.date()
        return self.pick("[|the study of |the film of |]") + self.loose_date(day)

    # numbers and places

    def mrn(self) -> MarkedText:
        return mark(self.person.mrn, Category.MRN)

    def accession(self) -> MarkedText:
        return mark(self.encounter.accession, Category.ACCESSION)

    def hospital(self) -> MarkedText:
        return mark(self.site.hospital, Category.HOSPITAL)

    def hospital_short(self) -> MarkedText:
        return mark(self.site.short, Category.HOSPITAL, self.site.hospital)

    def phone(self, text: str) -> MarkedText:
        return mark(text, Category.PHONE)

    def fax(self) -> MarkedText:
        return mark(self.site.fax, Category.FAX)

    def site_address(self) -> MarkedText:
        site = self.site
        return fill(
            "{street}, {town}, {state} {postal}",
            street=mark(site.street, Category.ADDRESS),
            town=mark(site.town, Category.ADDRESS),
            state=site.state,
            postal=mark(site.postal, Category.ADDRESS),
        )

    def home_address(self, separator: str = ", ") -> MarkedText:
        person = self.person
        return fill(
            "{street}{separator}{town}, {state} {postal}",
            street=mark(person.street, Category.ADDRESS),
            separator=separator,
            town=mark(person.town, Category.ADDRESS),
            state=person.state,
            postal=mark(person.postal, Category.ADDRESS),
        )

    def url(self) -> MarkedText:
        path = self.pick("[/results|/portal|/radiology|]")
        return mark(f"https://{self.site.domain}{path}", Category.URL)

    def site_email(self, staff: Staff) -> MarkedText:
        family = fold(staff.family).replace(" ", "").replace("'", "").lower()
        return mark(f"{family}@{self.site.domain}", Category.EMAIL)

    def room(self) -> MarkedText:
        return mark(self.encounter.room, Category.OTHER_ID)


def _dated(day: dt.date, text: str) -> MarkedText:
    return mark(text, Category.DATE, f"{day:%Y-%m-%d}")


def _ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _capital(family: str) -> str:
    return next(letter for letter in family if letter.isupper())

"""One person, one pseudonym and one shift: in headers, burned-in text, reports and file names alike."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from functools import cached_property

from medveil.person.blurring import blurred
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.telling import Telling
from medveil.person.written_dates import DateOrder


@dataclass(frozen=True, order=True)
class Known:
    """Something known to identify this person or those around: from a header, a table, a file name."""

    category: Category
    value: str = field(repr=False)


@dataclass(frozen=True)
class Person:
    """A patient as the defenses see one. Told apart by the id alone: a name may be shared or misspelled."""

    keys: Keys = field(repr=False)
    patient_id: str = field(repr=False)
    known: tuple[Known, ...] = field(default=(), repr=False)  # the person's own name before those of others
    sex: str = field(default="", repr=False)  # M or F where it is known, for names that fit
    date_order: DateOrder | None = field(default=None, repr=False)  # of dates in the table this person stands in

    def __hash__(self) -> int:
        """By the id alone, for speed: it tells nearly all people apart."""
        return hash(self.patient_id)

    @cached_property
    def pseudonym(self) -> str:
        return self.keys.pseudonym("patient", self.patient_id)

    @cached_property
    def shift(self) -> dt.timedelta:
        """How far every date of this person moves back."""
        return dt.timedelta(days=self.keys.date_shift(self.patient_id))

    @cached_property
    def telling(self) -> Telling:
        """How much is told of this person's age and dates."""
        tellings = self.keys.tellings
        return tellings.of(self.keys.digest("patient", self.patient_id)) if tellings.differ else tellings.usual

    def owned(self, value: str) -> str:
        """What a surrogate of the hospital is keyed by: the value alone, or this person's where sites are not told."""
        return value if self.telling.sites else f"{self.patient_id}\x1f{value}"

    def moved(self, day: dt.date) -> dt.date:
        """The day that stands for this one; how much of it is told is another matter."""
        if self.telling.dates == "blurred":
            day = blurred(day, self.patient_id, self.keys)
        return day - self.shift

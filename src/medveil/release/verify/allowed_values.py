"""Known values that may rightly stand in the output: what an option retains, and dates another date was moved onto."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from pathlib import Path

from medveil.cohort.dicom.opening import open_dicom, quarantining
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.known import dates_of
from medveil.release.clean.groups import Group
from medveil.release.verify.header_check import attributes, retains, texts

DATED = frozenset({Category.DATE, Category.OTHER_ID})  # a date in a file's name is known as a number too
_RETAINING = frozenset({Option.UIDS, Option.DEVICE_IDENTITY, Option.INSTITUTION_IDENTITY, Option.FULL_DATES})


@dataclass(frozen=True)
class RetainedByProfile:
    """What the options of the profile retain, by the headers of the originals."""

    source: Path
    profile: Profile

    def person(self, group: Group, keys: Keys) -> Person:
        """Who a group of files is about, known by what may not stay."""
        person = group.person(keys, self.source)
        if not self.profile.options & _RETAINING:
            return person  # nothing that is known is kept, and no header need be read again
        values = {value for file in group.header_files for value in self._values(file)}
        days = {day for value in values for day in dates_of(value)}
        known = tuple(one for one in person.known if not self._stays(one, values, days))
        return replace(person, known=known)

    def _stays(self, one: Known, values: set[str], days: set[dt.date]) -> bool:
        """A house that may be named may be so by any of its names: stations are called after its initials."""
        if one.category is Category.HOSPITAL and Option.INSTITUTION_IDENTITY in self.profile.options:
            return True
        return one.value in values or (one.category in DATED and not days.isdisjoint(dates_of(one.value)))

    def _values(self, file: str) -> set[str]:
        try:
            with quarantining("unreadable attribute"):
                every = attributes(open_dicom(self.source / file, pixels=False), None)
                kept = [met.element for met in every if met.element.VR != "SQ" and retains(met.element, self.profile)]
                return {text.strip("^=") for element in kept for text in texts(element)}
        except Quarantined:  # whose file was withheld
            return set()


def without_moved_dates(person: Person) -> tuple[Known, ...]:
    """What is known, but for dates that another date of the person was moved onto: those stand there rightly."""
    days = {day for one in person.known if one.category is Category.DATE for day in dates_of(one.value)}
    moved = {person.moved(day) for day in days}
    met = {one.value for one in person.known if one.category is Category.DATE and moved & dates_of(one.value)}
    return tuple(one for one in person.known if one.category not in DATED or one.value not in met)

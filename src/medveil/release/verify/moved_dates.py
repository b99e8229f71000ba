"""Dates that stand in the output rightly, although they are known: another date of the person was moved onto them."""

from __future__ import annotations

from medveil.person.identifiers import Category
from medveil.person.person import Known, Person
from medveil.person.search.known import dates_of

DATED = frozenset({Category.DATE, Category.OTHER_ID})  # a date in a file's name is known as a number too


def without_moved_dates(person: Person) -> tuple[Known, ...]:
    """What is known, but for dates that another date of the person was moved onto: those stand there rightly."""
    days = {day for one in person.known if one.category is Category.DATE for day in dates_of(one.value)}
    moved = {day - person.shift for day in days}
    met = {one.value for one in person.known if one.category is Category.DATE and moved & dates_of(one.value)}
    return tuple(one for one in person.known if one.category not in DATED or one.value not in met)

"""Rules for the 18 identifiers of HIPAA in free text: one file a family, applied in an order that lets the sure ones
go first.

Every rule starts from a word or a number of the text and looks at a bounded stretch around it, so the time taken
grows with the length of the text and with nothing else. Start with `find_by_rules`: a family reads a `page.Page` and
takes what it recognises on it, and `lists` say what a word can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from medveil.defenses.reports.rules import (
    addresses,
    ages,
    codes,
    contacts,
    dates,
    forms,
    hospitals,
    initials,
    institutions,
    labelled_numbers,
    name_echoes,
    name_followers,
    name_labels,
    name_lists,
    name_titles,
    phrases,
    spoken,
    times,
    times_of_year,
    towns,
)
from medveil.defenses.reports.rules.page import Page
from medveil.person.span import Span, without_overlaps

Clears = Callable[[Span], bool]

FAMILIES = (
    forms.take,
    contacts.take,
    labelled_numbers.take,
    addresses.take,
    spoken.take,
    times.take_spoken_days,
    dates.take,
    times_of_year.take,
    times.take,
    times.take_spoken,
    ages.take,
    codes.take,
    hospitals.take,
    institutions.take,
    institutions.take_employers,
    name_lists.take_inverted,
    name_followers.take_before_degrees,
    name_titles.take,
    name_labels.take,
    name_followers.take,
    name_lists.take_unknown,
    name_lists.take,
    name_echoes.take,
    initials.take,
    hospitals.take_short_names,
    times.take_beside_identifiers,
    towns.take,
    institutions.take_by_events,
)


def find_by_rules(text: str, clears: Clears | None = None) -> list[Span]:
    """Every identifier the rules see, in order of place; not those told by a list alone that somebody else clears."""
    return _found(text, FAMILIES, clears)


def find_in_phrase(text: str, clears: Clears | None = None) -> list[Span]:
    """The same in a few words that are no sentence, such as a study's description."""
    return _found(text, (*FAMILIES, phrases.take), clears)


def _found(text: str, families: Iterable[Callable[[Page], None]], clears: Clears | None) -> list[Span]:
    page = Page(text)
    for family in families:
        family(page)
    cleared = {one for one in page.doubted if clears(one)} if clears else set()
    if cleared:
        cleared = name_echoes.strangers(page, cleared)
    return without_overlaps(one for one in page.found if one not in cleared)

"""Rules for the 18 identifiers of HIPAA in free text: one file a family, applied in an order that lets the sure ones
go first.

Every rule starts from a word or a number of the text and looks at a bounded stretch around it, so the time taken
grows with the length of the text and with nothing else. Start with `find_by_rules`: a family reads a `page.Page` and
takes what it recognises on it, and `lists` say what a word can be.
"""

from __future__ import annotations

from medveil.defenses.reports.proposal import Proposal
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

FAMILIES = {
    "forms": forms.take,
    "contacts": contacts.take,
    "labelled numbers": labelled_numbers.take,
    "addresses": addresses.take,
    "spoken": spoken.take,
    "spoken days": times.take_spoken_days,
    "dates": dates.take,
    "times of year": times_of_year.take,
    "times": times.take,
    "spoken times": times.take_spoken,
    "ages": ages.take,
    "codes": codes.take,
    "hospitals": hospitals.take,
    "institutions": institutions.take,
    "employers": institutions.take_employers,
    "inverted names": name_lists.take_inverted,
    "degrees": name_followers.take_before_degrees,
    "titles": name_titles.take,
    "name labels": name_labels.take,
    "name followers": name_followers.take,
    "unknown names": name_lists.take_unknown,
    "listed names": name_lists.take,
    "echoes": name_echoes.take,
    "initials": initials.take,
    "short names": hospitals.take_short_names,
    "times beside": times.take_beside_identifiers,
    "towns": towns.take,
    "events": institutions.take_by_events,
}
IN_PHRASES = {"phrases": phrases.take}  # in a few words that are no sentence, such as a study's description


def proposed(page: Page, *, phrase: bool = False) -> list[Proposal]:
    """Everything that the rules take for an identifier."""
    for name, family in (FAMILIES | IN_PHRASES if phrase else FAMILIES).items():
        page.family = name
        family(page)
    return page.found


def find_by_rules(text: str) -> list[Span]:
    """Every identifier the rules see, in order of place."""
    return without_overlaps(one.span for one in proposed(Page(text)))


def find_in_phrase(text: str) -> list[Span]:
    return without_overlaps(one.span for one in proposed(Page(text), phrase=True))

"""Rules for the 18 identifiers of HIPAA in free text: one file a family, applied in an order that lets the sure ones
go first.

Every rule starts from a word or a number of the text and looks at a bounded stretch around it, so the time taken
grows with the length of the text and with nothing else. Start with `proposed`: a family reads a `page.Page` and takes
what it recognises on it, and the `lexicon` says what a word can be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medveil.defenses.reports.proposal import Proposal
from medveil.defenses.reports.rules import (
    ages,
    codes,
    contacts,
    dates,
    forms,
    initials,
    labelled_numbers,
    name_echoes,
    people,
    phrases,
    spoken,
    times,
)
from medveil.defenses.reports.rules.page import Page
from medveil.person.span import Span, without_overlaps

FAMILIES = {
    "forms": forms.take,
    "contacts": contacts.take,
    "labelled numbers": labelled_numbers.take,
    "spoken": spoken.take,
    "dates": dates.take,
    "times": times.take,
    "ages": ages.take,
    "codes": codes.take,
    "people": people.take,
    "initials": initials.take,
}
IN_PHRASES = {"phrases": phrases.take}  # in a few words that are no sentence, such as a study's description
# What follows from what was recognised: the same person elsewhere.
FOLLOWING = {
    "echoes": name_echoes.take,
}

# What has a grammar needs less of a vote, and what hardly anything else fits none; what a family doubts, a whole one.
GRAMMARS = frozenset(FAMILIES)
CERTAIN = frozenset({"contacts", "labelled numbers", "forms", "codes", "people", "initials"})

Families = Mapping[str, Callable[[Page], None]]


def proposed(page: Page, *, phrase: bool = False) -> list[Proposal]:
    """What the rules take for an identifier, whatever else was recognised."""
    return _read(page, FAMILIES | IN_PHRASES if phrase else FAMILIES)


def following(page: Page) -> list[Proposal]:
    """What they take for one because of what has been recognised on the page."""
    return _read(page, FOLLOWING)


def _read(page: Page, families: Families) -> list[Proposal]:
    before = len(page.found)
    for name, family in families.items():
        page.family = name
        family(page)
    return page.found[before:]


def find_by_rules(text: str, *, phrase: bool = False) -> list[Span]:
    """Every identifier the rules see, in order of place; where there is no network, nothing weighs them."""
    page = Page(text)
    return without_overlaps(one.span for one in (*proposed(page, phrase=phrase), *following(page)))

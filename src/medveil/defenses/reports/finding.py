"""Everything in a text that identifies somebody: finders propose, the scorer decides, spans are made whole; and what
follows from it, such as the same name elsewhere, is proposed and decided in turn."""

from __future__ import annotations

from collections.abc import Iterable

from medveil.defenses.reports.edges import narrowed
from medveil.defenses.reports.merging import merged
from medveil.defenses.reports.proposal import FAINT, TAGGER, Proposal
from medveil.defenses.reports.rules import find_by_rules, following, proposed
from medveil.defenses.reports.rules.ages import whole_age
from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.scoring.scorer import Scorer
from medveil.defenses.reports.tagger.tagged_text import TaggedText
from medveil.defenses.reports.whole_spans import completed, trimmed, whole_numbers
from medveil.person.identifiers import Category
from medveil.person.span import Span, without_overlaps

_NETWORK = (TAGGER, FAINT)


def found_in(text: str, tagged: TaggedText | None, *, phrase: bool = False, scorer: Scorer | None = None) -> list[Span]:
    """In order of place. Without a network there is nothing to weigh by, and all that rules propose is taken."""
    if tagged is None:
        return merged(text, find_by_rules(text, phrase=phrase))
    scorer = scorer or Scorer.bundled()
    page = Page(text)
    found = whole(page, scorer.kept(page, all_proposals(page, tagged, phrase=phrase), tagged))
    page = recognised(text, found)
    more = scorer.kept(page, following(page), tagged)
    return merged(text, found, (one.span for one in more)) if more else found


def all_proposals(page: Page, tagged: TaggedText, *, phrase: bool = False) -> list[Proposal]:
    """Of rules and network."""
    network = [*_of_network(page, tagged.found, TAGGER), *_of_network(page, tagged.faint, FAINT)]
    return [*proposed(page, phrase=phrase), *network]


def _of_network(page: Page, found: list[Span], by: str) -> list[Proposal]:
    """What somebody has blanked out before is none, nor is one letter a day, or another number a great age."""
    pieces = (trimmed(page.text, one) for one in whole_numbers(page.text, found))
    pieces = (_as_age(page.text, one) if one and one.category is Category.AGE_OVER_89 else one for one in pieces)
    written = (one for one in pieces if one is not None and page.legible(one.start, one.end))
    return [Proposal(one.start, one.end, one.category, by) for one in written]


def _as_age(text: str, one: Span) -> Span | None:
    place = whole_age(text, one.start, one.end)
    return Span(*place, one.category) if place else None


def whole(page: Page, kept: Iterable[Proposal]) -> list[Span]:
    """As spans of their full length and no more; where rules and network both have one, the rules say of what kind."""
    kept = list(kept)
    by_rules = without_overlaps(one.span for one in kept if one.by not in _NETWORK)
    by_network = without_overlaps(one.span for one in kept if one.by in _NETWORK)
    return narrowed(page, completed(page, merged(page.text, by_rules, by_network)))


def recognised(text: str, found: Iterable[Span]) -> Page:
    page = Page(text)
    page.recognise(found)
    return page

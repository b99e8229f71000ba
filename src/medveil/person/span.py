"""What is found in a text: characters [start, end) and the kind of identifier they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medveil.person.identifiers import Category


@dataclass(frozen=True, slots=True, order=True)
class Span:
    start: int
    end: int
    category: Category


@dataclass(frozen=True, slots=True, order=True)
class DoubtfulSpan(Span):
    """What may as well be no identifier: a tag stands for it, never another value."""


def spanning(one: Span, other: Span, category: Category) -> Span:
    """Both, and what lies between them; in doubt only if both are."""
    kind = DoubtfulSpan if isinstance(one, DoubtfulSpan) and isinstance(other, DoubtfulSpan) else Span
    return kind(min(one.start, other.start), max(one.end, other.end), category)


def without_overlaps(found: Iterable[Span]) -> list[Span]:
    """In order of place; what overlaps becomes one, of the longest part's kind: nothing found is left out."""
    merged: list[Span] = []
    widest = 0
    for one in sorted(found, key=lambda one: (one.start, one.end, one.category)):
        if not merged or one.start >= merged[-1].end:
            merged.append(one)
            widest = one.end - one.start
            continue
        last = merged[-1]
        category = last.category
        if one.end - one.start > widest:
            category, widest = one.category, one.end - one.start
        merged[-1] = spanning(last, one, category)
    return merged

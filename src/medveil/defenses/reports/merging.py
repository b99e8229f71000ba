"""One list out of several finders: what is known decides, then the rules, then the tagger; nothing found is lost."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

from medveil.person.identifiers import Category
from medveil.person.span import Span, spanning

# Names of people and places: two findings that overlap are one name.
_GROWING = frozenset({Category.NAME, Category.DOCTOR, Category.HOSPITAL, Category.ADDRESS, Category.INITIALS})


# The kinds of numbers; one that is known by its label in one place is the same number in another.
_NUMBERS = (
    Category.MRN,
    Category.ACCESSION,
    Category.SSN,
    Category.HEALTH_PLAN,
    Category.PHONE,
    Category.FAX,
    Category.DEVICE_SERIAL,
    Category.OTHER_ID,
)
# What goes on after each kind without a space.
_RESTS = {
    **dict.fromkeys(_NUMBERS, re.compile(r"[^\W_]{1,3}(?![^\W_])")),
    **dict.fromkeys((Category.NAME, Category.DOCTOR), re.compile(r"(?:\^[^\W\d_][\w'’.-]{0,40}){1,6}")),
    Category.HOSPITAL: re.compile(
        r"(?:[ ](?:Surgery|Cardiology|Oncology|Radiology|Imaging|Orthopa?edics|Pa?ediatrics|Dermatology|Neurology|"
        r"Urology|Dental|Pharmacy|Chapel|Church|School|College|University|Academy|Elementary|Associates|Partners|Group|"
        r"Practice|Centre|Center|Clinic|Hospital|Infirmary|Hospice|House|Lodge|Manor|Inn|Inc|Ltd|LLC|Trust))+(?!\w)"
    ),
    Category.DATE: re.compile(r"H(?![^\W_])"),  # of the Hijra
    Category.URL: re.compile(r"[^\s<>\"')\]]{0,2000}[\w/]"),
}
_ADDRESSES = (Category.EMAIL, Category.URL)


def merged(text: str, *layers: Iterable[Span]) -> list[Span]:
    """The layers in order of trust. Of one that overlaps a better one only the rest is taken, as a piece of its own."""
    result: list[Span] = []
    for layer in layers:
        for one in layer:
            _add(text, result, _whole(text, one))
    return _one_kind_each(text, result)


def _whole(text: str, one: Span) -> Span:
    """With what follows without a space and belongs to it: the letter after a number, the path of a web address."""
    rest = _RESTS.get(one.category)
    tail = rest.match(text, one.end) if rest and (text[one.end - 1].isalnum() or text[one.end - 1] == "/") else None
    return replace(one, end=tail.end()) if tail else one


def _one_kind_each(text: str, found: list[Span]) -> list[Span]:
    kinds: dict[str, Category] = {}
    for one in found:
        if one.category in _NUMBERS:
            value = text[one.start : one.end]
            kinds[value] = min(one.category, kinds.get(value, one.category), key=_NUMBERS.index)
    return [
        replace(one, category=kinds[text[one.start : one.end]]) if one.category in _NUMBERS else one for one in found
    ]


def _add(text: str, result: list[Span], one: Span) -> None:
    """Into the sorted list without overlaps."""
    first = bisect_left(result, one.start, key=lambda other: other.end)
    while first < len(result) and result[first].end <= one.start:
        first += 1
    last = first
    while last < len(result) and result[last].start < one.end:
        last += 1
    touched = result[first:last]
    if not touched:
        result.insert(first, one)
    elif one.category in _ADDRESSES and one.start <= touched[0].start and touched[-1].end <= one.end:
        result[first:last] = [one]  # a hospital's name inside a web address is part of the address
    elif len(touched) == 1 and _same_kind(touched[0], one):
        result[first] = spanning(touched[0], one, touched[0].category)
    else:
        result[first:last] = sorted([*touched, *_rest(text, touched, one)], key=lambda one: one.start)


def _same_kind(one: Span, other: Span) -> bool:
    return one.category is other.category or (one.category in _GROWING and other.category in _GROWING)


def _rest(text: str, touched: list[Span], one: Span) -> list[Span]:
    rest, place = [], one.start
    for other in (*touched, None):
        end = other.start if other else one.end
        if place < end and (piece := _trimmed(text, place, min(end, one.end), one.category)):
            rest.append(piece)
        place = max(place, other.end) if other else place
    return rest


def _trimmed(text: str, start: int, end: int, category: Category) -> Span | None:
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end, category) if end > start else None

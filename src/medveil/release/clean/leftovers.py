"""A last look at the bytes before they are written: nothing that is surely known of the person may stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.person.search.ordinary_words import is_ordinary

_SHORTEST = 6  # bytes: shorter ones turn up by chance
_SURE = frozenset(
    {
        Category.NAME,
        Category.MRN,
        Category.ACCESSION,
        Category.SSN,
        Category.PHONE,
        Category.EMAIL,
        Category.HEALTH_PLAN,
    }
)


def refuse_leftovers(content: bytes, known: Iterable[Known]) -> None:
    """Raises `Quarantined` where a name or number of the person stands in the bytes as it is known."""
    for one in known:
        if one.category not in _SURE:
            continue
        for text in _spellings(one):
            if any(needle in content and _alone(needle, content) for needle in _encoded(text)):
                raise Quarantined("an identifier is left")


def _alone(needle: bytes, content: bytes) -> bool:
    """As a word of its own: the digits of a long number hold any short one."""
    return re.search(rb"(?<![0-9A-Za-z])" + re.escape(needle) + rb"(?![0-9A-Za-z])", content) is not None


def _spellings(one: Known) -> set[str]:
    if one.category is not Category.NAME:
        return {one.value} if any(letter.isdigit() for letter in one.value) or "@" in one.value else set()
    parts = [part for part in re.split(r"[\^=\\,\s]+", one.value) if part]
    whole = (
        {one.value, " ".join(parts), ", ".join(parts[:2]), " ".join(reversed(parts[:2]))} if len(parts) > 1 else set()
    )
    long = {part for part in parts if len(part) >= _SHORTEST and not is_ordinary(part.lower())}
    return whole | long | {part.upper() for part in long} | {part.capitalize() for part in long}


def _encoded(text: str) -> set[bytes]:
    if len(text) < _SHORTEST:
        return set()
    found = {text.encode("utf-8", "ignore"), text.encode("latin-1", "ignore")}
    return {needle for needle in found if len(needle) >= _SHORTEST}

"""A number that the tagger saw in pieces is one number: `RA` and `096063`, `(01)0064` and `(21)RNB4`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medveil.person.identifiers import NUMBERS, Category
from medveil.person.span import Span

WRITTEN_NUMBERS = NUMBERS | {Category.PHONE, Category.FAX}
_NO_GAP = re.compile(r"[-/.()]{0,2}")


def whole_numbers(text: str, found: Sequence[Span]) -> list[Span]:
    """The findings in order, with numbers that touch made one, of the longest piece's kind."""
    result: list[Span] = []
    longest = 0
    for one in found:
        last = result[-1] if result else None
        if last and {last.category, one.category} <= WRITTEN_NUMBERS and _NO_GAP.fullmatch(text, last.end, one.start):
            category = one.category if one.end - one.start > longest else last.category
            longest = max(longest, one.end - one.start)
            result[-1] = Span(last.start, one.end, category)
        else:
            longest = one.end - one.start
            result.append(one)
    return result

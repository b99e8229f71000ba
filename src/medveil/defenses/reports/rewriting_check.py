"""Whether a rewritten text still tells whom it is about; what stands for somebody, or for a day, is no leak."""

from __future__ import annotations

from collections.abc import Iterable

from medveil.defenses.reports.draft import Draft
from medveil.person.identifiers import Category
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.person.surrogates.drawing import plain
from medveil.person.written_dates import readings


def leaks(rewritten: str, found: Iterable[Span], blanks: Draft, known: KnownSearch) -> bool:
    """Whether anything found in a rewritten text is more than what stands for it: moved dates, pseudonyms, numbers.

    What is known of the person is a leak, unless it is a date on which a moved one has fallen.
    """
    written = [blanks.text[one.start : one.end] for one in blanks.replaced]
    stand_ins = [plain(one) for one in written]
    days = {day for one in written for reading in readings(one) if (day := reading.whole)}

    def stands_for(one: Span) -> bool:
        piece = rewritten[one.start : one.end]
        if any(reading.whole in days for reading in readings(piece)):
            return True
        return any(plain(piece) in stand_in for stand_in in stand_ins)

    told = [one for one in known.find(rewritten) if one.category is not Category.DATE]
    return bool(told) or not all(map(stands_for, found))

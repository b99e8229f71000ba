"""Whether a rewritten text still tells whom it is about; what stands for somebody, or for a day, is no leak."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medveil.defenses.reports.draft import Draft
from medveil.person.identifiers import Category
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.person.surrogates.drawing import plain
from medveil.person.telling import OLDEST_SHOWN
from medveil.person.written_dates import readings


def leaks(rewritten: str, found: Iterable[Span], blanks: Draft, known: KnownSearch) -> bool:
    """Whether anything found in a rewritten text is more than what stands for it: moved dates, pseudonyms, numbers.

    What is known of the person is a leak, unless it is a date on which a moved one has fallen. What stands as it is in
    the text with placeholders stands in every other cleaned text too, and was no identifier there.
    """
    written = [blanks.text[one.start : one.end] for one in blanks.replaced]
    stand_ins = [plain(one) for one in written]
    if any(one.found.category is Category.AGE_OVER_89 for one in blanks.replaced):
        stand_ins.append(str(OLDEST_SHOWN))
    days = {day for one in written for reading in readings(one) if (day := reading.whole)}

    def stands_for(one: Span) -> bool:
        piece = rewritten[one.start : one.end]
        if re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", blanks.text):
            return True
        if any(reading.whole in days for reading in readings(piece)):
            return True
        return any(plain(piece) in stand_in for stand_in in stand_ins)

    told = [one for one in known.find(rewritten) if one.category is not Category.DATE]
    return bool(told) or not all(map(stands_for, found))

"""A calendar of the person's own, in which time runs faster and slower: intervals are blurred and the order is kept.

Blocks of 1024 days keep their length and begin at a day of the person's own. Each is halved again and again, and the
middle of each part is moved by a keyed share of its length. So an interval of any length up to a block's is stretched
or shrunk, a date moves by less than a block, and a day needs no other day to be moved.
"""

from __future__ import annotations

import datetime as dt

from medveil.person.keys import Keys

BLOCK = 1024  # days
_LEAST, _MOST = 0.3, 0.7  # where the middle of a part may come to lie


def blurred(day: dt.date, patient: str, keys: Keys) -> dt.date:
    """The day in the patient's own calendar."""
    begin = int(keys.pseudonym("calendar", patient), 16) % BLOCK
    block, at = divmod(day.toordinal() - begin, BLOCK)
    first, last, low, high = 0, BLOCK, 0.0, float(BLOCK)
    while last - first > 1:
        middle = (first + last) // 2
        drawn = int(keys.pseudonym("calendar", f"{patient}\x1f{block}\x1f{first}\x1f{last}")[:13], 16) / 16**13
        split = low + (high - low) * (_LEAST + (_MOST - _LEAST) * drawn)
        if at < middle:
            last, high = middle, split
        else:
            first, low = middle, split
    return dt.date.fromordinal(begin + block * BLOCK + int(low))

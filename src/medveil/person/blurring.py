"""A calendar of the person's own, in which time runs faster and slower: intervals are blurred and the order is kept.

Blocks of 1024 days keep their length and begin at a day of the person's own. Each is halved again and again, and the
middle of each part is moved by a keyed share of its length. So an interval of any length up to a block's is stretched
or shrunk, a date moves by less than a block, and a day needs no other day to be moved.
"""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from hashlib import shake_256

from medveil.person.keys import Keys

BLOCK = 1024  # days
_LEAST, _MOST = 0.3, 0.7  # where the middle of a part may come to lie


def blurred(day: dt.date, patient: str, keys: Keys) -> dt.date:
    """The day in the patient's own calendar."""
    begin = int(keys.pseudonym("calendar", patient), 16) % BLOCK
    block, at = divmod(day.toordinal() - begin, BLOCK)
    drawn = _drawn(keys.pseudonym("calendar", f"{patient}\x1f{block}"))
    low, high, part = 0.0, float(BLOCK), 1  # parts are numbered as in a heap: the halves of n are 2n and 2n + 1
    for bit in reversed(range(BLOCK.bit_length() - 1)):
        share = int.from_bytes(drawn[2 * part : 2 * part + 2]) / 2**16
        split = low + (high - low) * (_LEAST + (_MOST - _LEAST) * share)
        later = at >> bit & 1
        low, high, part = (split, high, 2 * part + 1) if later else (low, split, 2 * part)
    return dt.date.fromordinal(begin + block * BLOCK + int(low))


@lru_cache(maxsize=1024)
def _drawn(seed: str) -> bytes:
    """Two bytes for each part of a block."""
    return shake_256(seed.encode()).digest(2 * BLOCK)

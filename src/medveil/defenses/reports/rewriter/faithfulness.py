"""Whether a rewritten text says what its source says: by the two texts alone, however one was made from the other."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from medveil.defenses.reports.rewriter.plain_words import PlainWords, may_go
from medveil.defenses.reports.rewriter.tokens import PLACEHOLDER, read

_NUMBER = re.compile(r"[-+−<>≤≥±~=]?[.,]?\d+(?:[.,:/×^–-]\d+)*[%°+]?")
_UNSURE = re.compile(  # a dash that would become a minus; a no that denies, or stands for a number
    PLACEHOLDER.pattern + r"[-+−<>≤≥±~=]\d|[,:;][ \t]*no[.:#]?[ \t]*" + PLACEHOLDER.pattern, re.IGNORECASE
)


def is_faithful(source: str, rewritten: str, plain: PlainWords) -> bool:
    """No placeholder is left; numbers are the same, with their signs; word by word the text is the source's, less what
    may go beside a placeholder, with none but plain words between. What can be read two ways is left to nobody.
    """
    if PLACEHOLDER.search(rewritten) or _UNSURE.search(source):
        return False
    if _numbers(PLACEHOLDER.sub(" _ ", source)) != _numbers(rewritten):
        return False
    return _follows(source, rewritten, plain)


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(text)


def _follows(source: str, rewritten: str, plain: PlainWords) -> bool:
    """All the places of the source at which one may be after each word of the other."""
    tokens = read(source)
    free = may_go(tokens, plain)
    fixed = [place for place, loose in enumerate(free) if not loose] + [len(tokens)]
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.text.lower(), []).append(place)
    reached, written = {0}, set(map(str.lower, plain.written))
    for token in read(rewritten):
        word = token.text.lower()
        after = set(reached) if word in written else set()
        own = places.get(word, [])
        for at in reached:
            furthest = fixed[bisect_left(fixed, at)]  # no further without losing something
            after |= {place + 1 for place in own[bisect_left(own, at) : bisect_right(own, furthest)]}
        reached = after
        if not reached:
            return False
    return any(fixed[bisect_left(fixed, at)] == len(tokens) for at in reached)

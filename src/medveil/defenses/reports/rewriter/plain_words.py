"""What may be left out of a text beside a placeholder, and what may be written for one: plain words of closed lists.

Whatever a network says, no more than this can happen to a text. Numbers, units, signs beside numbers, parts of words
and every word that is in no list stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medveil.defenses.reports.rewriter.tokens import Token
from medveil.person.identifiers import NUMBERS

_NUMBERS = frozenset(category.replace("_", " ") for category in NUMBERS)
_CONTACTS = frozenset(("PHONE", "FAX", "EMAIL", "URL"))
_SIGNS = frozenset(",.;:-–—()[]\"'’/#*|&@_•^~=\\")
CLOSING = frozenset(",.;:)!?")
_GLUE = frozenset("-'’")
_JOINING = frozenset("and at by for from in is of on the to with".split())
_NO_TITLES = frozenset(("MS", "MR", "do", "Do"))  # Ms. is a title, MS a disease; DO a degree, do a word
_NOUNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("patient",), ("PATIENT", "NAME")),
    **dict.fromkeys(("clinician", "clinicians", "colleague", "staff"), ("DOCTOR", "INITIALS")),
    **dict.fromkeys(("someone",), ("NAME", "DOCTOR", "INITIALS")),
    **dict.fromkeys(("hospital", "institution", "institution's", "organisation", "group", "residence"), ("HOSPITAL",)),
    **dict.fromkeys(("place", "elsewhere"), ("ADDRESS", "COUNTY", "HOSPITAL")),
    **dict.fromkeys(("date", "earlier", "later", "study", "times"), ("DATE", "TIME")),
    **dict.fromkeys(("telephone", "contact", "details"), ("PHONE", "FAX", "EMAIL", "URL")),
    **dict.fromkeys(("room",), tuple(_NUMBERS)),
}
_DOCTORS = frozenset("dr drs doctor doctors prof professor".split())


@dataclass(frozen=True)
class PlainWords:
    """`leaves` may be left out beside any placeholder, `titles` only right beside one, `written` may be put there."""

    leaves: frozenset[str]
    titles: frozenset[str]
    written: tuple[str, ...]


def may_go(tokens: Sequence[Token], plain: PlainWords) -> list[bool]:
    """Whether each could be left out if a placeholder beside it is."""
    return [_may_go(tokens, place, plain) for place in range(len(tokens))]


def _may_go(tokens: Sequence[Token], place: int, plain: PlainWords) -> bool:
    token = tokens[place]
    if token.kind:
        return True
    if token.is_number:
        return False
    if _in_compound(tokens, place):
        return False
    if not token.is_word:
        return token.text in _SIGNS and not _of_number(tokens, place) and not _parts_fields(tokens, place)
    word = token.text.lower()
    before, after = tokens[max(place - 1, 0)], tokens[min(place + 1, len(tokens) - 1)]
    if before.is_number and token.gap in ("", " ") and word not in _JOINING:
        return False  # a unit, or what is counted
    if after.is_number and not after.gap:  # PGY2
        return False
    if word in plain.leaves:
        return True
    if word == "no":
        return _is_label(tokens, place, plain)
    if len(word) == 1:  # p[PHONE], T: [PHONE]
        next_one = tokens[min(place + 2, len(tokens) - 1)]
        touching = bool(after.kind) and not after.gap and word not in "lr"  # left and right
        if touching or (after.text == ":" and next_one.kind in _CONTACTS):
            return True
    if _is_title(tokens, place, plain):
        return _beside(tokens, place, plain, 1) or _beside(tokens, place, plain, -1)
    return _is_state(tokens, place)


def _is_title(tokens: Sequence[Token], place: int, plain: PlainWords) -> bool:
    token = tokens[place]
    if token.text in _NO_TITLES:
        return False
    return token.text.lower() in plain.titles or _dotted(tokens, place) in plain.titles


def _dotted(tokens: Sequence[Token], place: int) -> str:
    """The letters of `M.D.`, where the token is one of them."""
    first = last = place
    while first > 1 and not tokens[first].gap and tokens[first - 1].text == "." and _is_short(tokens[first - 2]):
        first -= 2
    while last + 2 < len(tokens) and tokens[last + 1].text == "." and _is_short(tokens[last + 2]):
        if tokens[last + 2].gap:
            break
        last += 2
    return "".join(token.text for token in tokens[first : last + 1 : 2]).lower() if last > first else ""


def _is_short(token: Token) -> bool:
    return token.is_word and len(token.text) <= 2 and token.text[0].isupper()


def _of_number(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is not None and after.is_number and not after.gap:
        return True
    if before is None or not before.is_number or token.gap:
        return False
    return token.text not in CLOSING or (after is not None and not after.gap and not after.kind)


def _in_compound(tokens: Sequence[Token], place: int) -> bool:
    """Part of `on-call`, `acc'd`, `#NOF` or `=>`, of which half would be something else."""
    near = tokens[max(place - 2, 0) : place + 3]
    at = min(place, 2)

    def glued(left: int, right: int) -> bool:
        return left >= 0 and right < len(near) and not any(one.gap or one.kind for one in near[left + 1 : right + 1])

    def worded(number: int) -> bool:
        return near[number].is_word or near[number].is_number

    if near[at].text in _GLUE:
        return glued(at - 1, at + 1) and not near[at - 1].kind and worded(at - 1) and worded(at + 1)
    if near[at].text == "#":
        return glued(at, at + 1) and worded(at + 1)
    if near[at].text == "=":
        return glued(at, at + 1) and near[at + 1].text == ">"
    before = at >= 2 and glued(at - 2, at) and near[at - 1].text in _GLUE and not near[at - 2].kind and worded(at - 2)
    return before or (glued(at, at + 2) and near[at + 1].text in _GLUE and worded(at + 2))


def _parts_fields(tokens: Sequence[Token], place: int) -> bool:
    """`PID||[MRN]||`, `"id":"[MRN]"`: what a machine counts by."""
    token = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.text in "|^~":
        return not token.gap or after is None or not after.gap
    if token.text not in '",:' or token.gap or not place or after is None or after.gap:
        return False
    return tokens[place - 1].text in '"{[:,' and (bool(after.kind) or after.text in '"{}[]')


def _is_label(tokens: Sequence[Token], place: int, plain: PlainWords) -> bool:
    """`hospital no. [MRN]`: of a number that stands next, after a word for it, or with a point where a line begins.

    It goes whenever that number goes, lest it deny something.
    """
    rest = tokens[place + 1 : place + 3]
    pointed = bool(rest) and rest[0].text in ".:#" and not rest[0].gap
    begins = not place or "\n" in tokens[place].gap
    before = "" if begins else tokens[place - 1].text.lower()
    named = before in plain.leaves and before not in _JOINING
    at = rest[1:] if pointed else rest
    return bool(at) and at[0].kind in _NUMBERS and (named or (pointed and begins))


def _beside(tokens: Sequence[Token], place: int, plain: PlainWords, step: int) -> bool:
    """Whether nothing but signs and other titles stands between it and a placeholder."""
    place += step
    while 0 <= place < len(tokens):
        token = tokens[place]
        if token.kind:
            return True
        if token.is_number or not (token.text in _SIGNS or (token.is_word and _is_title(tokens, place, plain))):
            return False
        place += step
    return False


def _is_state(tokens: Sequence[Token], place: int) -> bool:
    """`[ADDRESS], TX [ADDRESS]`."""
    token = tokens[place]
    before = place - 2 if place and tokens[place - 1].text == "," else place - 1
    beside = [tokens[at].kind for at in (before, place + 1) if 0 <= at < len(tokens)]
    return len(token.text) == 2 and token.text.isupper() and beside == ["ADDRESS", "ADDRESS"]


def may_stand_for(word: str, kind: str, *, titled: bool, known: bool) -> bool:
    """Whether a word may be written for a placeholder: nobody is called a clinician, or a place a hospital, unasked.

    `titled` says that a doctor's title stands before it, `known` that the text has the patient's name elsewhere.
    """
    kinds = _NOUNS.get(word)
    if not kind or kinds is None:
        return bool(kind)
    if word == "patient":
        return kind == "PATIENT" or (kind == "NAME" and not known and not titled)
    return kind in kinds or (kind == "NAME" and titled and "DOCTOR" in kinds)


def stood_for(tokens: Sequence[Token], free: Sequence[bool]) -> list[tuple[str, bool]]:
    """By place: of what kind the placeholder is that one would write for, if any, and whether it has a title."""
    found: list[tuple[str, bool]] = [("", False)] * len(tokens)
    for place in reversed(range(len(tokens))):
        if tokens[place].kind:
            before = place - 2 if place > 1 and tokens[place - 1].text == "." else place - 1
            found[place] = (tokens[place].kind, before >= 0 and tokens[before].text.lower() in _DOCTORS)
        elif free[place] and place + 1 < len(tokens):
            found[place] = found[place + 1]
    return found

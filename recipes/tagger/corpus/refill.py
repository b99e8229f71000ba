"""Other identifiers of the same kinds in the places of a text's own, and other values in place of its values."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterable

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.grammar import Pieces
from recipes.tagger.corpus.visit import Visit

_SLOTS = {
    Category.NAME: "p",
    Category.DOCTOR: "d",
    Category.DATE: "ld",
    Category.TIME: "time",
    Category.MRN: "mrn",
    Category.ACCESSION: "acc",
    Category.SSN: "ssn",
    Category.HEALTH_PLAN: "plann",
    Category.PHONE: "phone",
    Category.FAX: "fax",
    Category.EMAIL: "email",
    Category.URL: "url",
    Category.HOSPITAL: "hosp",
    Category.DEVICE_SERIAL: "serial",
    Category.UID: "uid",
    Category.OTHER_ID: "oid",
    Category.AGE_OVER_89: "old",
}
_INITIALS = {True: "ti", False: "di"}
_HOUSES = (
    "hosp",
    "hb",
    "practice",
    "org",
    "org",
    "firm",
    "carehome",
)  # known by its kind, or only by what is said of it
_NUMBERS = frozenset(
    {
        *(Category.MRN, Category.ACCESSION, Category.SSN, Category.HEALTH_PLAN, Category.PHONE, Category.FAX),
        *(Category.OTHER_ID, Category.DEVICE_SERIAL, Category.UID),
    }
)
_VALUE = re.compile(r"(?<![\w.])\d{1,4}(?=[^\w]|[a-z]|$)")


def refilled(text: str, found: Iterable[Span], visit: Visit) -> Pieces:
    pieces: Pieces = []
    place = 0
    for one in found:
        pieces.append((text[place : one.start], None))
        pieces += _other(text[one.start : one.end], one.category, visit)
        place = one.end
    return [*pieces, (text[place:], None)]


def revalued(pieces: Pieces, rng: random.Random) -> Pieces:
    """Other amounts of as many digits in what identifies nobody: it is not the number that tells a value."""
    return [
        (text if category else _VALUE.sub(lambda own: _reshaped(own[0], rng), text), category)
        for text, category in pieces
    ]


def _reshaped(own: str, rng: random.Random) -> str:
    """Other digits and capitals in the same form."""
    first, *rest = own
    digits = "123456789" if first in "123456789" and len(own) > 1 else string.digits
    head = rng.choice(digits) if first.isdigit() else _letter(first, rng)
    return head + "".join(rng.choice(string.digits) if sign.isdigit() else _letter(sign, rng) for sign in rest)


def _letter(sign: str, rng: random.Random) -> str:
    return rng.choice(string.ascii_uppercase) if sign.isascii() and sign.isupper() else sign


def _other(own: str, category: Category, visit: Visit) -> Pieces:
    if category in _NUMBERS and any(map(str.isdigit, own)) and visit.chance(0.6):  # each country has forms of its own
        return [(_reshaped(own, visit.rng), category)]
    if category in (Category.DATE, Category.TIME) and visit.chance(0.4):
        return [(own, category)]
    if category is Category.ADDRESS:
        return visit.slot("zip" if own[:2].isdigit() and " " not in own else "street" if own[0].isdigit() else "town")
    if category is Category.INITIALS:
        return visit.slot(_INITIALS[own.islower()])
    if category is Category.PHONE and len(own) < 6:
        return visit.slot("ext")
    if category is Category.DATE and own[-2:] in ("st", "nd", "rd", "th") and len(own) < 5:
        return visit.slot("dayof")
    if category is Category.OTHER_ID and len(own) < 6:
        return visit.slot("room")
    if category is Category.HOSPITAL and own.isupper() and " " not in own:
        return visit.slot("hs")
    if category is Category.HOSPITAL:
        return visit.slot(visit.rng.choice(_HOUSES))
    if category is Category.NAME:
        return visit.slot("pf" if "," in own else "p" if " " in own else visit.rng.choice(("pfirst", "plast")))
    return visit.slot(_SLOTS[category])

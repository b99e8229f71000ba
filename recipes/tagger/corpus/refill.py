"""Other identifiers of the same kinds in the places of a text's own."""

from __future__ import annotations

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


def refilled(text: str, found: Iterable[Span], visit: Visit) -> Pieces:
    pieces: Pieces = []
    place = 0
    for one in found:
        pieces.append((text[place : one.start], None))
        pieces += _other(text[one.start : one.end], one.category, visit)
        place = one.end
    return [*pieces, (text[place:], None)]


def _other(own: str, category: Category, visit: Visit) -> Pieces:
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
    if category is Category.NAME and "," in own:
        return visit.slot("pf")
    return visit.slot(_SLOTS[category])

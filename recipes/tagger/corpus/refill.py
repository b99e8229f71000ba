"""Other identifiers of the same kinds in the places of a text's own, and other values in place of its values."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterable

from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus import dictation, dictation_abroad
from recipes.tagger.corpus.grammar import Pieces, text_of
from recipes.tagger.corpus.people import Lexicon
from recipes.tagger.corpus.spoken_numbers import spelled
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
_TONGUES = {
    "german": re.compile(r"\b(?:und|der|die|mit|bei|ist|im)\b"),
    "french": re.compile(r"\b(?:et|le|les|une|des|du|chez)\b"),
    "spanish": re.compile(r"\b(?:el|los|una|con|y|del|por)\b"),
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
_NAMES = frozenset({Category.NAME, Category.DOCTOR})
_SAID_SO = _NUMBERS | {Category.DATE, Category.TIME}  # without a digit, it was read aloud
_READS_NUMBERS = dictation.Speaker(numbers=1.0, stops=0.0, fillers=0.0, spells=0.0, mishears=0.0, letters=0.0)
_SPELLED = re.compile(r"[^\W\d_](?:[ -][^\W\d_]){2,}")
_VALUE = re.compile(r"(?<![\w.])\d{1,4}(?=[^\w]|[a-z]|$)")


def refilled(text: str, found: Iterable[Span], rng: random.Random, lexicon: Lexicon) -> Pieces:
    """The same in place of the same; each other one is somebody else's."""
    tongue = next((name for name, words in _TONGUES.items() if len(words.findall(text)) > 3), None)
    aloud = sum(map(str.isdigit, text)) * 200 < len(text)
    others: dict[tuple[str, Category], Pieces] = {}
    pieces: Pieces = []
    place = 0
    for one in found:
        own = text[one.start : one.end], one.category
        if own not in others:
            others[own] = _other(*own, Visit(rng, lexicon, tongue), aloud=aloud)
        pieces += [(text[place : one.start], None), *others[own]]
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


def _other(own: str, category: Category, visit: Visit, *, aloud: bool) -> Pieces:
    """Something else in the same form: capitals, digits and the number of words tell what kind of note it stands in."""
    if category in (Category.DATE, Category.TIME) and (visit.tongue or visit.chance(0.6)):
        return [(_on_another_day(own, visit.rng) if visit.chance(0.5) else own, category)]
    if aloud and category in _SAID_SO and not any(map(str.isdigit, own)):
        return [(_said(_number(own, visit.rng), category, visit), category)]
    if (
        category in _NUMBERS and any(map(str.isdigit, own)) and (len(own) < 4 or visit.chance(0.6))
    ):  # each country has forms of its own
        return [(_reshaped(own, visit.rng), category)]
    if category in _NAMES and _SPELLED.fullmatch(own):
        name = text_of(visit.slot("plast")).split()[-1]
        return [(spelled(name, visit.rng) if own.islower() else own[1].join(name.upper()), category)]
    kept: Pieces = [(own, category)]
    pieces = kept if category is Category.HOSPITAL and visit.chance(0.2) else _drawn(own, category, visit)
    return [(_cased_as(own, text), kind) for text, kind in pieces]


def _drawn(own: str, category: Category, visit: Visit) -> Pieces:
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
    if category is Category.HOSPITAL and len(own.split()) < 3 and visit.chance(0.5):  # known by what is said of it
        name = text_of(visit.slot(visit.rng.choice(("plast", "town"))))
        words = visit.lexicon.words or [name]
        return [(visit.rng.choice((name, visit.rng.choice(words))).title(), category)]
    if category is Category.HOSPITAL:
        return visit.slot(visit.rng.choice(_HOUSES))
    if category is Category.NAME:
        return visit.slot("pf" if "," in own else "pfull" if " " in own else visit.rng.choice(("pfirst", "plast")))
    if category is Category.DOCTOR and " " not in own:
        name = visit.slot(visit.rng.choice(("pfirst", "plast", "plast")))
        return [(text, category if kind else None) for text, kind in name]
    return visit.slot(_SLOTS[category])


def _said(number: str, category: Category, visit: Visit) -> str:
    if visit.tongue:
        return dictation_abroad.identifier_said(number, category, dictation_abroad.TONGUES[visit.tongue], visit.rng)
    return dictation.identifier_said(number, category, visit.rng, _READS_NUMBERS)


def _cased_as(own: str, text: str) -> str:
    return text.lower() if own.islower() else text.upper() if own.isupper() and len(own) > 3 else text


def _number(own: str, rng: random.Random) -> str:
    """As many digits as there are words, about."""
    return "".join(rng.choice(string.digits) for _ in range(min(max(len(own.split()), 2), 12)))


def _on_another_day(own: str, rng: random.Random) -> str:
    """Each number another that could stand there."""

    def other(number: re.Match[str]) -> str:
        digits = len(number[0])
        if digits > 2:
            return (
                _reshaped(number[0], rng) if digits > 4 else str(rng.randint(1930, 2030)) if digits == 4 else number[0]
            )
        return str(rng.randint(1, 9 if digits == 1 else 12)).zfill(digits)

    return re.sub(r"\d+", other, own)

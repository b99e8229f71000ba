"""German, French and Spanish texts as a recogniser takes them down: no capitals, stops said, numbers in words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from medveil.person.identifiers import Category
from recipes.tagger.corpus.grammar import Pieces

_NUMBERS = frozenset(
    {
        *(Category.MRN, Category.ACCESSION, Category.SSN, Category.HEALTH_PLAN, Category.PHONE, Category.FAX),
        *(Category.OTHER_ID, Category.DEVICE_SERIAL),
    }
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Tongue:
    units: tuple[str, ...]  # zero to nineteen, or to twenty-nine
    tens: tuple[str, ...]
    hundred: str
    thousand: str
    months: tuple[str, ...]
    stops: dict[str, str]
    joined: Callable[[str, str], str]  # of tens and ones
    date: str
    times: tuple[str, ...]


_GERMAN_MONTHS = "januar februar märz april mai juni juli august september oktober november dezember"
_FRENCH_MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_SPANISH_MONTHS = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
TONGUES = {
    "german": Tongue(
        tuple(
            "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
            "siebzehn achtzehn neunzehn".split()
        ),
        tuple("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()),
        "hundert",
        "tausend",
        tuple(_GERMAN_MONTHS.split()),
        {".": "punkt", ",": "komma", ":": "doppelpunkt"},
        lambda tens, ones: f"{ones}und{tens}",
        "{day}ten {month} {year}",
        ("{hour} uhr {minute}", "{hour} uhr", "halb {hour}", "viertel nach {hour}"),
    ),
    "french": Tongue(
        tuple(
            "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
            "dix-huit dix-neuf".split()
        ),
        tuple("vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix".split()),
        " cent ",
        " mille ",
        tuple(_FRENCH_MONTHS.split()),
        {".": "point", ",": "virgule", ":": "deux points"},
        lambda tens, ones: f"{tens}-{ones}",
        "{day} {month} {year}",
        ("{hour} heures {minute}", "{hour} heures", "{hour} heures et quart", "midi moins {minute}"),
    ),
    "spanish": Tongue(
        tuple(
            "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
            "diecisiete dieciocho diecinueve".split()
        ),
        tuple("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()),
        " cientos ",
        " mil ",
        tuple(_SPANISH_MONTHS.split()),
        {".": "punto", ",": "coma", ":": "dos puntos"},
        lambda tens, ones: f"{tens} y {ones}" if tens != "veinte" else f"veinti{ones}",
        "{day} de {month} de {year}",
        ("{hour} {minute}", "{hour} y cuarto", "{hour} y media", "{hour} horas"),
    ),
}


def in_words(number: int, tongue: Tongue) -> str:
    """Up to nine thousand nine hundred and ninety-nine."""
    if number < len(tongue.units):
        return tongue.units[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return tongue.joined(tongue.tens[tens - 2], tongue.units[ones]) if ones else tongue.tens[tens - 2]
    size, word = (100, tongue.hundred) if number < 1000 else (1000, tongue.thousand)
    head, rest = divmod(number, size)
    said = (in_words(head, tongue) if head > 1 else "") + word + (in_words(rest, tongue) if rest else "")
    return " ".join(said.split())


def dictated_abroad(pieces: Pieces, name: str, rng: random.Random) -> Pieces:
    tongue, said = TONGUES[name], rng.random() < 0.7
    return [
        (_ordinary(text, tongue, said=said) if kind is None else identifier_said(text, kind, tongue, rng), kind)
        for text, kind in pieces
    ]


def _ordinary(text: str, tongue: Tongue, *, said: bool) -> str:
    text = re.sub(r"[.,:](?!\d)", lambda stop: f" {tongue.stops[stop[0]]} " if said else " ", text.lower())
    return re.sub(r"[ \n]+", " ", re.sub(r"[.,](?=\d)", f" {tongue.stops[',']} ", _in_text(text, tongue)))


def _in_text(text: str, tongue: Tongue) -> str:
    return _DIGITS.sub(lambda found: in_words(int(found[0]), tongue) if len(found[0]) < 5 else found[0], text)


def identifier_said(text: str, kind: Category, tongue: Tongue, rng: random.Random) -> str:
    if kind is Category.DATE:
        month, year = rng.choice(tongue.months), rng.randint(1925, 2025)
        day, said = in_words(rng.randint(2, 28), tongue), in_words(year, tongue)
        whole = tongue.date.format(day=day, month=month, year=said)
        return rng.choice((whole, whole, whole.split(month)[0] + month, month))
    if kind is Category.TIME:
        hour, minute = in_words(rng.randint(1, 23), tongue), in_words(rng.randint(2, 59), tongue)
        return rng.choice(tongue.times).format(hour=hour, minute=minute)
    if kind in _NUMBERS:
        signs = re.sub(r"[^a-z\d]", "", text.lower())
        return " ".join(tongue.units[int(sign)] if sign in "0123456789" else sign for sign in signs) or text.lower()
    return re.sub(r"[^\w\s'@-]", " ", _in_text(text.lower(), tongue))

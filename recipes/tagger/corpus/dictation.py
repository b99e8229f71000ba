"""A text as a recogniser takes it down: no capitals, numbers in words, stops said or left out, names misheard."""

from __future__ import annotations

import datetime as dt
import random
import re
from dataclasses import dataclass

from medveil.person.identifiers import Category
from recipes.tagger.corpus import spoken_numbers
from recipes.tagger.corpus.grammar import Pieces

_NAMES = (Category.NAME, Category.DOCTOR)
_NUMBERS = (
    *(Category.MRN, Category.ACCESSION, Category.SSN, Category.HEALTH_PLAN, Category.PHONE, Category.FAX),
    *(Category.OTHER_ID, Category.DEVICE_SERIAL),
)
_NUMBER = re.compile(r"(?<![a-z\d.])(\d+(?:\.\d+)?)(?=([a-z])?)")
_SIZES = (
    (r"\bmm\b", "millimeters"),
    (r"\bcm\b", "centimeters"),
    (r"\bmg\b", "milligrams"),
    (r"(?<=\d) ?x ?(?=\d)", " by "),
)
_MISHEARD = (
    ("ph", "f"),
    ("ck", "k"),
    ("sch", "sh"),
    ("th", "t"),
    ("mc", "mick "),
    ("ee", "ea"),
    ("kn", "n"),
    ("y", "ie"),
)
_LETTERS = re.compile(r"(?<![\w'])[A-Z]{2,4}(?![\w'])|(?<=[A-Za-z])(?=\d)")  # GCS, and the gap of L4
_FILLERS = ("uh", "um", "ah", "okay", "correction", "scratch that", "sorry", "let me see", "and uh", "next")
_SPELLING = (" spelled ", " that is ", " that's ", " spelling ", " spelled ")


@dataclass(frozen=True)
class Speaker:
    """Habits that last for a whole dictation."""

    numbers: float  # share of numbers in words
    stops: float  # share of stops that are said
    fillers: float
    spells: float
    mishears: float
    letters: float  # share of texts whose abbreviations are taken down letter by letter

    @classmethod
    def of(cls, rng: random.Random) -> Speaker:
        return cls(
            numbers=rng.choice((1.0, 1.0, 0.8, 0.3)),
            stops=rng.choice((0.0, 0.0, 0.5, 1.0)),
            fillers=rng.choice((0.0, 0.0, 0.03, 0.08)),
            spells=rng.choice((0.0, 0.1, 0.3)),
            mishears=rng.choice((0.0, 0.05, 0.15)),
            letters=rng.choice((0.0, 0.5, 1.0)),
        )


def dictated(pieces: Pieces, rng: random.Random) -> Pieces:
    speaker = Speaker.of(rng)
    said: Pieces = []
    for text, category in pieces:
        lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if category is None:
            said.append((_ordinary(text, rng, speaker), None))
            continue
        said += [(_spaces(lead), None), (identifier_said(text.strip(), category, rng, speaker), category)]
        if category in _NAMES and rng.random() < speaker.spells:
            said += [(rng.choice(_SPELLING), None), (spoken_numbers.spelled(text.split()[-1], rng), category)]
        said.append((_spaces(tail), None))
    return said


def _spaces(text: str) -> str:
    return " " if text else ""


def identifier_said(text: str, category: Category, rng: random.Random, speaker: Speaker) -> str:
    if rng.random() < speaker.numbers:
        if category is Category.DATE:
            day = dt.date(1930, 1, 1) + dt.timedelta(days=rng.randrange(35_000))
            return spoken_numbers.date(day, rng)
        if category is Category.TIME:
            return spoken_numbers.time(rng)
        if category in _NUMBERS and len(text) < 24:
            if re.search(r"[A-Za-z]", text) or rng.random() < 0.7:
                return spoken_numbers.spelled(text, rng) or text.lower()
            return spoken_numbers.in_pairs(text, rng) or text.lower()
    plain = re.sub(r"[^\w\s'@.+-]", " ", text.lower()) if category in _NAMES else text.lower()
    if category in (Category.EMAIL, Category.URL):
        plain = re.sub(r"[@.]", lambda sign: " at " if sign[0] == "@" else " dot ", plain)
    if category in (Category.ADDRESS, Category.HOSPITAL, Category.AGE_OVER_89) and rng.random() < speaker.numbers:
        plain = _numbers_said(plain, rng)
    if category in _NAMES and rng.random() < speaker.mishears:
        heard, meant = rng.choice(_MISHEARD)
        plain = plain.replace(heard, meant, 1)
    return " ".join(plain.replace("-", " ").split()) or text.lower()


def _ordinary(text: str, rng: random.Random, speaker: Speaker) -> str:
    if rng.random() < speaker.letters:
        text = _LETTERS.sub(lambda short: " ".join(short[0]) or " ", text)
    text = text.lower()
    if rng.random() < speaker.numbers:
        for pattern, meant in _SIZES:
            text = re.sub(pattern, meant, text)
        text = _numbers_said(text, rng)
    text = _stops_said(text, rng, speaker)
    if speaker.fillers:
        text = re.sub(r"(?<=[a-z]) (?=[a-z])", lambda _: _gap(rng, speaker), text)
    return re.sub(r"  +", " ", text)


def _gap(rng: random.Random, speaker: Speaker) -> str:
    return f" {rng.choice(_FILLERS)} " if rng.random() < speaker.fillers else " "


def _numbers_said(text: str, rng: random.Random) -> str:
    def in_words(match: re.Match[str]) -> str:
        whole, _, part = match[1].partition(".")
        if len(whole) > 4:
            return match[1]
        shortly = len(whole) == 3 and whole[1] not in "01" and not part and rng.random() < 0.5  # one fifty
        said = f"{spoken_numbers.words(int(whole[0]))} {spoken_numbers.words(int(whole[1:]))}" if shortly else ""
        words = (said or spoken_numbers.words(int(whole))) + (
            f" point {spoken_numbers.spelled(part, rng)}" if part else ""
        )
        return words + (" " if match[2] else "")

    return _NUMBER.sub(in_words, re.sub(r"(?<=\d)/(?=\d)", rng.choice((" over ", " out of ", "/")), text))


def _stops_said(text: str, rng: random.Random, speaker: Speaker) -> str:
    """Line breaks mostly stay out: a recogniser writes one stream."""
    names = {".": rng.choice(("period", "full stop", "period")), ",": "comma", ":": "colon", ";": "semicolon"}

    def stop(match: re.Match[str]) -> str:
        return f" {names[match[0]]}" if rng.random() < speaker.stops else ""

    text = re.sub(r"[.,:;](?!\d)", stop, text)
    paragraph = rng.choice((" new paragraph ", " next paragraph ", " new line ", " ", " ", "\n"))
    return re.sub(r"\s*\n\s*", paragraph, re.sub(r"[\"()*_|#•~]", " ", text))

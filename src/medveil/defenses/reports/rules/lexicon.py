"""What a word can be, by the lexicon beside this file: a name, a word of the language, an eponym, an abbreviation."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from medveil.person.name import ALL_TITLES_IN_TEXT, PARTICLES_IN_TEXT


def words(text: str) -> frozenset[str]:
    """A set of words written as one text."""
    return frozenset(text.split())


class Kind:
    """What a word can be, as bits of one number; several at once."""

    UNKNOWN: Final = 0
    GIVEN: Final = 1
    FAMILY: Final = 2
    ORDINARY: Final = 4  # a word of the language
    EPONYM: Final = 8  # a sign, disease, operation or device
    SHORT: Final = 16  # an abbreviation of the ward
    PARTICLE: Final = 32  # van, de la, bin
    CITY: Final = 64
    COUNTRY: Final = 128
    GERM: Final = 256
    PRODUCT: Final = 512
    SCALE: Final = 1024
    PAIR: Final = 2048
    GERMAN: Final = 4096  # a word of reports in that language, and of no other here
    FRENCH: Final = 8192
    SPANISH: Final = 16384
    KIN: Final = 32768  # a relation, and the label of a patient, of one of the staff, or of anybody
    PATIENT: Final = 65536
    STAFF: Final = 131072
    ROLE: Final = 262144
    ROLES: Final = KIN | PATIENT | STAFF | ROLE
    MONTH: Final = 524288
    WEEKDAY: Final = 1048576
    NOUN: Final = 2097152  # what may be called after somebody, and what surely is if a name stands beside it
    THING_NOUN: Final = 4194304
    FOREIGN: Final = GERMAN | FRENCH | SPANISH
    NAME: Final = GIVEN | FAMILY
    THING: Final = ORDINARY | EPONYM | SHORT


def name_only(kind: int) -> bool:
    """A name and nothing else."""
    return bool(kind & Kind.NAME) and not kind & Kind.THING


_KINDS = {
    "given": Kind.GIVEN,
    "family": Kind.FAMILY,
    "word": Kind.ORDINARY,
    "eponym": Kind.EPONYM,
    "scale": Kind.SCALE,
    "pair": Kind.PAIR,
    "short": Kind.SHORT,
    "city": Kind.CITY,
    "country": Kind.COUNTRY,
    "germ": Kind.GERM,
    "product": Kind.PRODUCT,
    "german": Kind.GERMAN,
    "french": Kind.FRENCH,
    "spanish": Kind.SPANISH,
    "kin": Kind.KIN,
    "patient": Kind.PATIENT,
    "staff": Kind.STAFF,
    "role": Kind.ROLE,
    "month": Kind.MONTH,
    "noun": Kind.NOUN,
    "thing": Kind.NOUN | Kind.THING_NOUN,
    "weekday": Kind.WEEKDAY,
}
_MASK = 2 * Kind.CITY - 1  # what kind_of tells; the rest is asked for by `has`
_ENDINGS = ("'s", "’s", "s", "es", "ed", "d", "ing", "ly", "er", "est", "al", "ally", "ness", "less", "able", "ment")
# Words made like these are words, not names, unless a list says otherwise.
_MADE = (
    "itis osis oses oma omas ectomy otomy ostomy graphy gram grams ology ologist ologic pathy emia plasty scopy tion "
    "tions sion sions ment ments ness ity ities ary ible able ible ously ous ically ical ative itive oidal iform genic "
    "genous trophic static plasia plegia algia rrhea uria cyte cytes lysis phagia sclerosis stenosis penia megaly "
    "ish ular iac ual ial ional ogram thorax pulmonary vascular"
).split()
_MADE_OF = tuple(ending for ending in _MADE if len(ending) > 3)


@lru_cache(maxsize=1 << 15)
def kind_of(folded: str) -> int:
    """What is known of a word in lower case and plain letters; the parts of a hyphened one count together."""
    kind = _single(folded)
    if "-" in folded and not kind & (Kind.EPONYM | Kind.ORDINARY):
        if folded.split("-")[0] in PARTICLES_IN_TEXT and len(folded.split("-")[0]) > 1:
            return kind | Kind.FAMILY
        parts = [_single(part) for part in folded.split("-") if part]
        if any(part & (Kind.EPONYM | Kind.ORDINARY | Kind.SHORT) and not part & Kind.NAME for part in parts):
            return kind | Kind.ORDINARY
        if any(name_only(part) for part in parts) or all(part & Kind.NAME for part in parts):
            kind |= (parts[0] | parts[-1]) & ~Kind.EPONYM  # no list has the two as one thing
            if any(name_only(part) for part in parts):
                kind &= ~(Kind.ORDINARY | Kind.SHORT)
    return kind


def _single(folded: str) -> int:
    if len(folded) > 2 and not folded.strip("x"):  # XXXX: somebody has been here before
        return Kind.ORDINARY
    kind = _table().get(folded, Kind.UNKNOWN) & _MASK
    if kind & Kind.ORDINARY:
        return kind
    for ending in _ENDINGS:
        if folded.endswith(ending) and len(folded) > len(ending) + 1:
            stem = folded[: -len(ending)]
            if ending in ("'s", "’s"):
                return kind | _single(stem)
            if not kind & Kind.NAME and _is_word(stem):
                return kind | Kind.ORDINARY
    if not kind & Kind.NAME and len(folded) > 6 and folded.endswith(_MADE_OF):
        kind |= Kind.ORDINARY
    if folded[:2] in ("o'", "d'", "l'", "o’", "d’", "l’") and len(folded) > 3:
        kind |= _single(folded[2:]) & (Kind.GIVEN | Kind.FAMILY) or Kind.FAMILY
    return kind


def in_dictionary(folded: str) -> bool:
    """Whether the list of words has it as it stands, not only something it may be made from."""
    return has(folded, Kind.ORDINARY)


def _is_word(stem: str) -> bool:
    if has(stem, Kind.ORDINARY) or has(stem + "e", Kind.ORDINARY):
        return True
    if len(stem) > 2 and stem[-1] == stem[-2] and has(stem[:-1], Kind.ORDINARY):
        return True
    return stem.endswith("i") and has(stem[:-1] + "y", Kind.ORDINARY)


def has(folded: str, kind: int) -> bool:
    """Whether the lexicon has this very word as one of these kinds."""
    return bool(_table().get(folded, Kind.UNKNOWN) & kind)


def is_role(folded: str) -> bool:
    """Who somebody is to the patient or the house, or a title: never a part of the name."""
    return folded in ALL_TITLES_IN_TEXT or has(folded, Kind.ROLES)


def is_foreign_word(folded: str) -> bool:
    """A word of German, French or Spanish reports, or a German one that ends in such a word."""
    if has(folded, Kind.FOREIGN):
        return True
    return any(has(folded[start:], Kind.GERMAN) for start in range(3, len(folded) - 4))


@cache
def _table() -> dict[str, int]:
    table: dict[str, int] = dict.fromkeys(PARTICLES_IN_TEXT, Kind.PARTICLE)
    for line in files(__package__).joinpath("lexicon.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, *kinds = line.split(" ")
            table[word] = sum({_KINDS[kind] for kind in kinds}) | table.get(word, Kind.UNKNOWN)
    return table

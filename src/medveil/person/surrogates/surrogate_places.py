"""Surrogate places and organisations: another name of the same kind, one for each wherever it is mentioned.

Of an organisation only the words that tell it from others of its kind are replaced: a school stays a school, and a
hospital called by half of its name, or by the letters it begins with, is still the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from medveil.person.identifiers import Category
from medveil.person.normalised import Word, fold, words_of
from medveil.person.person import Person
from medveil.person.span import Span
from medveil.person.surrogates.drawing import cased, plain
from medveil.person.surrogates.stock import HOSPITALS, MEN, STREETS, TOWNS, WOMEN
from medveil.person.surrogates.surrogate_numbers import SurrogateNumbers

_STREET = re.compile(
    r"\b(street|st|avenue|ave|road|rd|drive|dr|lane|ln|court|ct|way|place|pl|boulevard|blvd|crescent|terrace|row|close|"
    r"walk|parade|hill|square|view|highway|hwy|parkway|circle)\b\.?",
    re.IGNORECASE,
)
# EC1A 1BB, C15 K7X2, K1A 0B6, 1017 GL
_POSTAL = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]{0,2}(?:[ -]?\d[A-Z\d]{1,3}|[ -][A-Z]\d[A-Z\d]{1,2})?|\d{4}[ ]?[A-Z]{2}|\d[A-Z\d]{2}"
)
_LOT = re.compile(r"(?P<word>[^\W\d_][^\W\d_'’.]*\.?)|(?P<number>\d+)(?P<ordinal>st|nd|rd|th)?")
_LOTS = frozenset(
    "p o po box blk block plot lot unit apt apartment flat floor level suite house no nr hwy highway route rural rr n "
    "s e w north south east west".split()
)
_DISTRICT = re.compile(r"^(?:county|co\.?)(?=\s)|(?<=\s)(?:county|parish|borough|shire|district|co\.)$", re.IGNORECASE)
# What organisations of a kind have in common; everything else in a name tells which of them it is.
_KINDS = frozenset(
    "ctre ctr vasc vascular med svc svcs hs ihs dhb visiting nurses specialist multispeciality surgicenter "
    "hospital hospitals hosp clinic clinics medical center centre infirmary hospice health healthcare system "
    "systems university college school elementary primary secondary middle high junior academy kindergarten "
    "nursery preschool institute church chapel mosque temple synagogue cathedral parish ministry mission "
    "monastery convent nursing home homes care residential assisted living retirement village manor lodge house "
    "rehabilitation rehab pharmacy chemist drugstore surgery practice associates group partners physicians "
    "radiology imaging diagnostics diagnostic cardiology oncology orthopedics orthopaedics pediatrics paediatrics "
    "dermatology neurology urology dental family medicine urgent emergency department dept unit ward general "
    "regional community memorial county district municipal city state national royal public private veterans "
    "affairs va army navy air force base barracks regiment fort camp prison jail correctional penitentiary "
    "detention facility police fire station rescue ambulance ems library court courthouse children childrens "
    "women womens maternity eye ear cancer heart lung chest trauma teaching inc llc ltd limited plc corp "
    "corporation co company gmbh ag sa bv trust nhs foundation services service agency union local club league "
    "team lions rotary society association museum hotel motel inn restaurant cafe bar grill diner market store "
    "shop supermarket mall bank insurance logistics trucking transport freight construction builders roofing "
    "plumbing electric electrical motors auto automotive foods foundry mill mills mine mines steel works factory "
    "plant plants manufacturing industries farm farms dairy bakery brewery shipyard shipping airlines airways "
    "airport railway transit shelter outreach program programme campus north south east west northern southern "
    "eastern western central upper lower new saint st ste klinik klinikum krankenhaus spital praxis "
    "universitatsklinikum hopital clinique centre hospitalier universitaire hospital clinica centro ospedale "
    "policlinico ziekenhuis medisch centrum sykehus sjukhus of the for and at in on de la le du des der die das "
    "am im und et y".split()
)
# Of those, what nobody is called: Lincoln Elementary School, Brandt Logistics LLC.
_NEVER_A_NAME = frozenset(
    "hospital hospitals clinic clinics infirmary hospice school elementary academy kindergarten preschool university "
    "college pharmacy llc ltd inc plc gmbh corp corporation logistics trucking associates center centre medical "
    "healthcare nursing rehabilitation rehab radiology imaging klinik klinikum krankenhaus hopital clinique clinica "
    "ospedale policlinico ziekenhuis department trust company industries manufacturing correctional synagogue "
    "mosque".split()
)
_SAINT = re.compile(r"\b(?:st|ste|saint|san|santa|sankt)\b\.?[\s-]*$", re.IGNORECASE)
_HEADS = (  # where nothing but the kind is told, another of that kind
    (("school", "elementary", "academy", "kindergarten"), ("{} School", "{} Academy")),
    (("church", "chapel", "cathedral", "parish"), ("{} Chapel", "Church of {}")),
    (("university", "college"), ("{} College", "University of {}")),
    (("pharmacy", "chemist", "drugstore"), ("{} Pharmacy", "{} Drugs")),
    (("prison", "jail", "correctional", "detention"), ("{} Correctional Facility", "{} Prison")),
    (("nursing", "residential", "assisted", "retirement"), ("{} Nursing Home", "{} Care Home")),
)
_SHORT = 6  # letters of a name of initials, at most


class SurrogatePlaces(SurrogateNumbers):
    """Of one person and, where one is given, in one note: its text and what was found in it."""

    def __init__(self, person: Person, text: str = "", found: Iterable[Span] = ()) -> None:
        super().__init__(person)
        self._text = text
        self._organisations = [one for one in found if one.category is Category.HOSPITAL]

    def address(self, piece: str) -> str:
        """Line by line: a street for a street, a town for a town, a postal code for a postal code; states stay."""
        lines = re.split(r"(\s*[,\n;]\s*)", piece)
        return self.fresh(
            piece,
            lambda turn: "".join(line if at % 2 else self._address_line(line, turn) for at, line in enumerate(lines)),
        )

    def _address_line(self, line: str, turn: int) -> str:
        number = re.match(r"\d+[A-Za-z]?\b", line)
        if _POSTAL.fullmatch(line):
            return self.same_shape(Category.ADDRESS, line, turn)
        if _STREET.search(line) or (number and number.end() < len(line)):
            street = self.one_of("street", line, turn, STREETS)
            new = self.same_shape(Category.ADDRESS, number[0], turn).lstrip("0") or "1" if number else ""
            ending = _STREET.search(line)
            return cased(line, " ".join(filter(None, (new, street, ending[0] if ending else "Road"))))
        if re.fullmatch(r"[A-Z]{2}\.?", line) or not line.strip():
            return line
        postal = re.fullmatch(r"(?P<state>[A-Z]{2}\s+)?(?P<code>[\d-]+)", line)
        if postal:
            return (postal["state"] or "") + self.same_shape(Category.ADDRESS, postal["code"], turn)
        if re.search(r"\d", line) and not re.search(r"\s[\d-]{5,10}$", line):
            return self._lot(line, turn)
        town = re.fullmatch(r"(?P<town>.*?)(?P<rest>(?:\s+[A-Z]{2})?\s+[\d-]{5,10})?", line, re.DOTALL)
        assert town is not None
        rest = re.sub(r"[\d-]+", lambda code: self.same_shape(Category.ADDRESS, code[0], turn), town["rest"] or "")
        return cased(town["town"], self._town(town["town"], turn)) + rest

    def _lot(self, line: str, turn: int) -> str:
        """Words and numbers in another order than usual: P.O. Box 1187, Goethestrasse 12."""
        street = iter((self.one_of("street", line, turn, STREETS),))

        def another(found: re.Match[str]) -> str:
            if found["number"]:
                number = self.same_shape(Category.ADDRESS, found["number"], turn)
                return f"{number}{'th' if found['ordinal'] else ''}"
            if fold(found["word"]).strip(".") in _LOTS or len(found["word"]) == 1:
                return found["word"]
            return cased(found["word"], next(street, ""))

        return re.sub(r"\s{2,}", " ", _LOT.sub(another, line)).strip(" -")

    def county(self, piece: str) -> str:
        """Another name, of the same kind of district: County Mayo, Kent County, Morgan Parish."""
        kind = _DISTRICT.search(piece)
        name = piece if kind is None else (piece[: kind.start()] + piece[kind.end() :]).strip()

        def make(turn: int) -> str:
            town = cased(name, self._town(name, turn))
            if kind is None:
                return town
            return f"{kind[0]} {town}" if kind.start() == 0 else f"{town} {kind[0]}"

        return self.fresh(piece, make)

    def organisation(self, piece: str) -> str:
        if _is_short(piece):
            return self._of_initials(piece)
        return self.fresh(piece, lambda turn: self._renamed(piece, turn) or self._another(piece, turn))

    def _town(self, name: str, turn: int) -> str:
        """One for a town and for what is called after it."""
        return self.one_of("place", name, turn, TOWNS)

    def _renamed(self, piece: str, turn: int) -> str | None:
        """The words that tell which it is, replaced; None where there are none."""
        words = words_of(piece)
        telling = [_tells(word) and not _is_ending(piece, word) for word in words]
        if not any(telling):
            return None
        made, last, at = [], 0, 0
        while at < len(words):
            end = at
            if telling[at] and words[at].folded[0].isdigit():
                made += [piece[last : words[at].start], self.same_shape(Category.HOSPITAL, words[at].written, turn)]
                last = words[at].end
            elif telling[at]:
                while end + 1 < len(words) and telling[end + 1] and not words[end + 1].folded[0].isdigit():
                    end += 1
                name = piece[words[at].start : words[end].end]
                saint = _SAINT.search(piece[: words[at].start])
                new = self.one_of("saint", name, turn, WOMEN + MEN) if saint else self._town(name, turn)
                like = name if piece.isupper() or not name.isupper() else name.title()  # CHI Cardiology
                made += [piece[last : words[at].start], cased(like, new)]
                last = words[end].end
            at = end + 1
        return "".join((*made, piece[last:]))

    def _another(self, piece: str, turn: int) -> str:
        words = {word.folded for word in words_of(piece)}
        kinds = next((kinds for heads, kinds in _HEADS if words & set(heads)), HOSPITALS)
        return cased(piece, self.one_of("kind", piece, turn, kinds).format(self._town(piece, turn)))

    def _of_initials(self, piece: str) -> str:
        """Those of the surrogate where the note has the whole name, else other letters."""
        letters = plain(piece)
        for name in self._whole_names:
            if _initials(name) == letters:
                made = _initials(self.organisation(name))
                if len(made) == len(letters) and made != letters:
                    return made
        return self.fresh(piece, lambda turn: self.same_shape(Category.HOSPITAL, piece, turn))

    @cached_property
    def _whole_names(self) -> list[str]:
        pieces = (" ".join(self._text[one.start : one.end].split()) for one in self._organisations)
        return [piece for piece in dict.fromkeys(pieces) if not _is_short(piece)]


def is_organisation(piece: str) -> bool:
    """Whether a name of several words has one in it that no person has."""
    words = words_of(piece)
    return len(words) > 1 and any(word.folded in _NEVER_A_NAME for word in words)


def _is_short(piece: str) -> bool:
    return piece.isupper() and len(piece) <= _SHORT and not re.search(r"\s", piece)


def _tells(word: Word) -> bool:
    return word.folded not in _KINDS


def _is_ending(piece: str, word: Word) -> bool:
    return word.folded == "s" and word.start > 0 and piece[word.start - 1] in "'’"


def _initials(name: str) -> str:
    small = {"of", "the", "for", "and", "at", "in", "de", "la", "s"}
    return "".join(word.written[0] for word in words_of(name) if fold(word.written) not in small).upper()

"""What stands for each identifier: keyed, so that the same value has the same surrogate wherever it is met.

What belongs to the person is keyed by the person too; doctors, hospitals and numbers by the key alone, so that they
stay the same from patient to patient, unless sites are not told. A note is looked at as a whole before anything in it
is replaced: see `Note`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import replace

from pydicom import config
from pydicom.uid import UID

from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText
from medveil.person.person import Person
from medveil.person.span import DoubtfulSpan, Span
from medveil.person.surrogates.drawing import plain
from medveil.person.surrogates.note_dates import NoteDates
from medveil.person.surrogates.surrogate_names import SurrogateNames
from medveil.person.surrogates.surrogate_numbers import may_be_measured
from medveil.person.surrogates.surrogate_places import SurrogatePlaces, is_organisation
from medveil.person.telling import OLDEST_SHOWN

ROOT = "2.25."  # unique identifiers made from a number of 128 bits
_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_OLD = f"{OLDEST_SHOWN}+"
# 2023-09-14T08:22:10, APR 09, 2014@13:40, 20230711081503
_MOMENT = re.compile(
    r"(?P<day>.*?\d)(?P<gap>T|@|,?\s+(?:at\s+)?|(?<=\b\d{8}))"
    r"(?P<time>\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?|Z|\s?[+-]\d\d:?\d\d)?|(?<=\d{8})\d{4}(?:\d\d)?)",
    re.IGNORECASE,
)
_OLD_PEOPLE = re.compile(r"\w+narian(?P<many>s)?", re.IGNORECASE)
_DECADE = re.compile(r"(?P<of>in\b.*?)?(?:nineties|['’]?90['’]?s)", re.IGNORECASE)
_BIRTHDAY = re.compile(r"\d+(?:st|nd|rd|th)|.*th|.*first|.*second|.*third", re.IGNORECASE)


class Surrogates:
    """The surrogates of one person. `realistic` ones hide in plain sight; the others say what was there.

    `years`: of every date the year alone is left, as Safe Harbor has it.
    """

    def __init__(self, person: Person, *, realistic: bool, years: bool = False) -> None:
        self.person = person
        self.realistic = realistic
        self.years = years
        self._names = SurrogateNames(person)

    def uid(self, uid: str) -> str:
        """Another unique identifier; those the standard itself defines stay."""
        known = UID(uid, validation_mode=config.IGNORE)  # pydicom's warnings would tell the value
        if known.name != uid:  # in the standard's list
            return uid
        digest = self.person.keys.pseudonym("uid", uid) + self.person.keys.pseudonym("uid again", uid)
        return ROOT + str(int(digest[:32], 16))

    def patient_id(self) -> str:
        return self.person.pseudonym

    def patient_name(self) -> str:
        """As DICOM writes names."""
        return self._names.dicom_name() if self.realistic else self.person.pseudonym

    def accession(self, value: str) -> str:
        return self.person.keys.pseudonym("accession", plain(value))[:16]

    def date(self, value: dt.date) -> dt.date:
        return self.person.moved(value)

    def in_note(self, text: str, found: Iterable[Span]) -> Note:
        return Note(self, text, list(found))


class Note:
    """One text and all that was found in it, and what is written in place of each."""

    def __init__(self, surrogates: Surrogates, text: str, found: list[Span]) -> None:
        person = surrogates.person
        self._surrogates = surrogates
        self._text = text
        found = [self._of_its_kind(one) for one in found]
        self._names = SurrogateNames(person, text, found)
        self._places = SurrogatePlaces(person, text, found)
        self._dates = NoteDates(person, text, found, years=surrogates.years)

    def _of_its_kind(self, found: Span) -> Span:
        """An organisation that was taken for somebody's name is one all the same."""
        if found.category in _PEOPLE and is_organisation(self._text[found.start : found.end]):
            return replace(found, category=Category.HOSPITAL)
        return found

    def written(self, found: Span) -> str:
        """What to write in place of text[found.start:found.end]."""
        surrogates, found = self._surrogates, self._of_its_kind(found)
        piece = NormalisedText.of(self._text[found.start : found.end]).text
        known = not isinstance(found, DoubtfulSpan)
        match found.category:
            case Category.DATE if known:
                return self._moment(found, piece) or self._dates.like(found, piece) or _tag(found)
            case _ if not (surrogates.realistic or surrogates.person.telling.linked):
                return _tag(found)
            case Category.MRN if self._places.is_own(Category.MRN, piece):
                return surrogates.person.pseudonym
            case Category.ACCESSION if (known and surrogates.realistic) or self._places.is_own(found.category, piece):
                return surrogates.accession(self._places.known_spelling(found.category, piece))
            case Category.UID if piece.replace(".", "").isdigit():
                return surrogates.uid(piece)
        if surrogates.realistic and known:
            return self._realistic(found, piece)
        if found.category is Category.NAME and self._names.is_patient(piece):
            return f"[PATIENT {surrogates.person.pseudonym}]"
        return _tag(found)

    def _moment(self, found: Span, piece: str) -> str | None:
        """A date with the time of day behind it, each as it would be alone."""
        moment = _MOMENT.fullmatch(piece)
        if moment is None:
            return None
        day = self._dates.like(Span(found.start, found.start + moment.end("day"), Category.DATE), moment["day"])
        if day is None or self._surrogates.years:
            return day
        time = self._places.like(Category.TIME, moment["time"]) if self._surrogates.realistic else None
        return f"{day}{moment['gap']}{time or '[TIME]'}"

    def _realistic(self, found: Span, piece: str) -> str:
        match found.category:
            case Category.NAME | Category.DOCTOR | Category.INITIALS:
                return self._names.like(piece, found.category, self._text[max(0, found.start - 24) : found.start])
            case Category.AGE_OVER_89:
                return _old(piece, self._text[found.end : found.end + 1])
            case Category.ADDRESS | Category.COUNTY | Category.HOSPITAL if may_be_measured(piece):
                return _tag(found)
            case Category.ADDRESS:
                return self._places.address(piece)
            case Category.COUNTY:
                return self._places.county(piece)
            case Category.HOSPITAL:
                return self._places.organisation(piece)
        return self._places.like(found.category, piece) or _tag(found)


def _tag(found: Span) -> str:
    return "[" + found.category.replace("_", " ") + "]"


def _old(piece: str, after: str) -> str:
    """An age as 90 or more; a word for people of that age as what it says of them."""
    if people := _OLD_PEOPLE.fullmatch(piece):
        return f"{'people' if people['many'] else 'person'} aged {_OLD}"
    if decade := _DECADE.fullmatch(piece):
        aged = "Aged" if piece[0].isupper() else "aged"
        return f"{aged} {_OLD}" if decade["of"] else _OLD
    if _BIRTHDAY.fullmatch(piece):
        return _OLD
    made = re.sub(r"\d+", _OLD, piece, count=1) if re.search(r"\d", piece) else _OLD
    return made + (" " if after.isalnum() else "")

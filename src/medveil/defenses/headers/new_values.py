"""The value an action leaves in an attribute."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydicom.dataelem import DataElement

from medveil.defenses.headers import value_representations as vrs
from medveil.defenses.headers.attribute import CLASS_ROOTS, CLASS_UIDS, CODES
from medveil.defenses.headers.dates import capped_age, day_of, moved
from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.headers.text_values import each, texts_of
from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch, search_for
from medveil.person.surrogates.surrogates import Surrogates

CleanText = Callable[[str, Person], str]

_TELLING_BYTES = 6  # shorter ones turn up in any bytes
_OFFSET = "TimezoneOffsetFromUTC"
_UID = re.compile(r"[0-9.]{0,64}\0?")
_SEXES = frozenset({"M", "F", "O", ""})
# What each option lets stay is not looked for.
_RETAINED = {
    Option.INSTITUTION_IDENTITY: (Category.HOSPITAL, Category.ADDRESS),
    Option.DEVICE_IDENTITY: (Category.DEVICE_SERIAL, Category.OTHER_ID),
    Option.UIDS: (Category.UID,),
    Option.FULL_DATES: (Category.DATE,),
}


class CannotClean(Exception):
    """The value is not what its attribute should hold; the basic action has to do."""


@dataclass(frozen=True)
class NewValues:
    """Makes new values for one person. Every method may be called in any order; nothing is remembered."""

    person: Person
    surrogates: Surrogates
    clean_text: CleanText
    search: KnownSearch
    known_bytes: tuple[bytes, ...]

    def kept(self, element: DataElement) -> Any:
        """The value as it is, but for ages over 89; a value that is not of its kind is refused."""
        if element.VR == "AS":
            ages = [capped_age(text) for text in texts_of(element.value)]
            if None in ages:
                raise CannotClean
            return ages[0] if len(ages) == 1 else ages or None
        texts = texts_of(element.value)
        if element.keyword == "PatientSex" and not {*texts} <= _SEXES:
            raise CannotClean
        if element.VR == "UI" and not all(_UID.fullmatch(text) for text in texts):
            raise CannotClean
        if self._is_moment(element):
            each(element.value, lambda text: moved(text, element.VR, lambda day: day))
        return element.value

    def cleaned(self, element: DataElement) -> Any:
        """Dates moved, text cleaned of identifiers; other kinds cannot be cleaned."""
        if self._is_moment(element):
            return each(element.value, lambda text: moved(text, element.VR, self._move))
        if element.VR == "UI":
            return self.uids(element)
        if element.VR not in vrs.WORDS - {"PN"}:
            raise CannotClean
        return each(element.value, lambda text: self._clean(text, element.VR))

    @staticmethod
    def _is_moment(element: DataElement) -> bool:
        return element.VR in vrs.DATES or element.keyword == _OFFSET

    def emptied(self, element: DataElement) -> Any:
        """The surrogate where there is one, which keeps a person's files together; else nothing."""
        return self._surrogate(element)

    def replaced(self, element: DataElement) -> Any:
        """A value that tells nothing, of the same kind."""
        if element.VR == "UI":
            return self.uids(element)
        surrogate = self._surrogate(element)
        return vrs.dummy(element.VR) if surrogate is None else surrogate

    def uids(self, element: DataElement) -> Any:
        named = element.keyword in CLASS_UIDS
        return each(element.value, lambda text: self._uid(text.strip("\0 "), named))

    def without_known(self, element: DataElement) -> Any:
        """An attribute that should tell nothing, with what is known of the person cut out of it.

        A value that is a date as a whole, or a code with a caret as names have it, strayed in from elsewhere.
        """
        strayed = element.keyword not in CODES
        return each(
            element.value, lambda text: vrs.REMOVED if strayed and _strays(text, element.VR) else self._cut(text)
        )

    def check_bytes(self, data: bytes) -> None:
        """Refuse bytes that spell something known: an element that a wrong length let swallow its neighbours."""
        if any(known in data for known in self.known_bytes):
            raise Quarantined("an identifier among bytes")

    def _uid(self, uid: str, names_class: bool) -> str:
        if not uid or (names_class and uid.startswith(CLASS_ROOTS) and _UID.fullmatch(uid)):
            return uid
        return self.surrogates.uid(uid)

    def _cut(self, text: str) -> str:
        found = self.search.find(text)
        if not found:
            return text
        pieces = [text[before:after] for before, after in _gaps([(one.start, one.end) for one in found], len(text))]
        return " ".join("".join(pieces).split()) or vrs.REMOVED

    def _clean(self, text: str, vr: str) -> str:
        if not text.strip("\0 "):
            return text
        cleaned = self.clean_text(text, self.person)
        if cleaned == text:
            return text
        if vr not in ("ST", "LT", "UT"):
            cleaned = " ".join(cleaned.replace("\\", " ").split())  # one value, on one line
        return _cut_to(cleaned, vrs.LONGEST.get(vr))

    def _move(self, day: dt.date) -> dt.date:
        return self.surrogates.date(day)

    def _surrogate(self, element: DataElement) -> str | None:
        match element.keyword:
            case "PatientName":
                return self.surrogates.patient_name()
            case "PatientID" | "ClinicalTrialSubjectID" | "ClinicalTrialSubjectReadingID":
                return self.surrogates.patient_id()
            case "AccessionNumber":
                texts = texts_of(element.value)
                return self.surrogates.accession(texts[0]) if texts else None
        return None


def new_values_for(surrogates: Surrogates, known: set[Known], profile: Profile, clean_text: CleanText) -> NewValues:
    """With a search for what may not stay under this profile."""
    retained = {category for option in profile.options for category in _RETAINED.get(option, ())}
    wanted = [one for one in known if one.category not in retained]
    spelled = {text.encode(codec, "ignore") for one in wanted for text in _parts(one) for codec in ("utf-8", "latin-1")}
    long = tuple(text for text in spelled if len(text) >= _TELLING_BYTES)
    return NewValues(surrogates.person, surrogates, clean_text, search_for(wanted), long)


def _parts(known: Known) -> set[str]:
    """What is known, and of a name each of its parts."""
    parts = re.split(r"[\^=\s]+", known.value) if known.category in (Category.NAME, Category.DOCTOR) else ()
    return {known.value, *parts}


def _cut_to(text: str, longest: int | None) -> str:
    """At most so many characters, and no half of what stands in brackets for something else."""
    if longest is None or len(text) <= longest:
        return text
    cut = text[:longest]
    opened = cut.rfind("[")
    return cut if opened <= cut.rfind("]") else cut[:opened].rstrip() or vrs.REMOVED


def _strays(text: str, vr: str) -> bool:
    return day_of(text) is not None or (vr == "CS" and "^" in text)


def _gaps(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The stretches between the spans."""
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), length]
    return list(zip(starts, ends, strict=True))

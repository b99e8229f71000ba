"""What stands for each identifier: keyed, so that the same value has the same surrogate wherever it is met.

What belongs to the person is keyed by the person too; doctors, hospitals and numbers by the key alone, so that they
stay the same from patient to patient, unless sites are not told.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from functools import cached_property

from pydicom.uid import UID

from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText, fold, one_error_apart
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch, dates_of, search_for
from medveil.person.span import Span
from medveil.person.surrogates.stock import HOSPITALS, STREETS, TOWNS
from medveil.person.surrogates.surrogate_names import SurrogateNames
from medveil.person.written_dates import Grain, dates_in, moved, readings

ROOT = "2.25."  # unique identifiers made from a number of 128 bits
_SHOWN_AGE = "90"
_TRIES = 64
_NO_LETTER = re.compile(r"[\W_]+")
_STREET = re.compile(
    r"\b(street|st|avenue|ave|road|rd|drive|dr|lane|ln|court|ct|way|place|pl|boulevard|blvd|crescent|terrace|row|close|"
    r"walk|parade|hill|square|view|highway|hwy|parkway|circle)\b\.?",
    re.IGNORECASE,
)
_DISTRICT = re.compile(r"^(?:county|co\.?)(?=\s)|(?<=\s)(?:county|parish|borough|shire|district|co\.)$", re.IGNORECASE)
_ENDING = re.compile(r"(?:\.[A-Za-z0-9]{2,5})?$")
_BIRTH = re.compile(r"(?:\bd\.?\s?o\.?\s?b\b\.?|\bborn\b|\bbirth|\bgeb(?:oren)?\b\.?)[^\d\n]{0,12}$", re.IGNORECASE)
_CHILDHOOD = dt.timedelta(days=3650)  # films of one person rarely lie so far apart, and a birth nearly always does
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_RARE = "JQXZ"  # for a single one: the room 5S-12 of one patient must not become 6N-12, which may be another's
_OWN_NUMBERS = frozenset(
    {Category.MRN, Category.SSN, Category.HEALTH_PLAN, Category.DEVICE_SERIAL, Category.OTHER_ID, Category.ACCESSION}
)


class Surrogates:
    """The surrogates of one person. `realistic` ones hide in plain sight; the others say what was there."""

    def __init__(self, person: Person, *, realistic: bool) -> None:
        self.person = person
        self.realistic = realistic
        self._names = SurrogateNames(person)
        self._last_written: tuple[str, dt.date | None] = ("", None)

    def uid(self, uid: str) -> str:
        """Another unique identifier; those the standard itself defines stay."""
        if UID(uid).name != uid:  # in the standard's list
            return uid
        digest = self.person.keys.pseudonym("uid", uid) + self.person.keys.pseudonym("uid again", uid)
        return ROOT + str(int(digest[:32], 16))

    def patient_id(self) -> str:
        return self.person.pseudonym

    def patient_name(self) -> str:
        """As DICOM writes names."""
        return self._names.dicom_name() if self.realistic else self.person.pseudonym

    def accession(self, value: str) -> str:
        return self.person.keys.pseudonym("accession", _plain(value))[:16]

    def date(self, value: dt.date) -> dt.date:
        return self.person.moved(value)

    def text(self, found: Span, text: str) -> str:
        """What to write in place of text[found.start:found.end]."""
        piece = NormalisedText.of(text[found.start : found.end]).text
        match found.category:
            case Category.DATE:
                return self._date(found, piece, text) or "[DATE]"
            case Category.MRN if self._own(Category.MRN, piece):
                return self.person.pseudonym
            case Category.ACCESSION if self.realistic or self._own(Category.ACCESSION, piece):
                return self.accession(self._known_spelling(Category.ACCESSION, piece))
            case Category.UID if piece.replace(".", "").isdigit():
                return self.uid(piece)
        if self.realistic:
            return self._realistic(found.category, piece)
        if found.category is Category.NAME and self._names.is_patient(piece):
            return f"[PATIENT {self.person.pseudonym}]"
        return "[" + found.category.replace("_", " ") + "]"

    def _date(self, found: Span, piece: str, text: str) -> str | None:
        dates = self.person.telling.dates
        if dates == "dropped" or (self.person.telling.ages != 1 and self._tells_age(found, piece, text)):
            return None
        grain: Grain = "day" if dates == "blurred" else dates
        return moved(piece, self.person.moved, self._dates, self._written_on(text), grain)

    def _tells_age(self, found: Span, piece: str, text: str) -> bool:
        """A birth date: called one, or the first of what is known and long before the last."""
        if _BIRTH.search(text[max(0, found.start - 24) : found.start]):
            return True
        first, last = min(self._dates, default=None), max(self._dates, default=None)
        if first is None or last is None or last - first < _CHILDHOOD:
            return False
        return any(reading.year == first.year and reading.whole in (first, None) for reading in readings(piece))

    @cached_property
    def _dates(self) -> frozenset[dt.date]:
        known = (dates_of(one.value) for one in self.person.known if one.category is Category.DATE)
        return frozenset(day for days in known for day in days)

    def _written_on(self, text: str) -> dt.date | None:
        """When a text was written: the last whole date in it, one that is known before any other."""
        last_text, day = self._last_written  # read and replaced as one: another thread may be at another text
        if last_text != text:
            written = dates_in(NormalisedText.of(text).text)
            days = {whole for _, _, readings in written for reading in readings if (whole := reading.whole)}
            day = max(days & self._dates or days or self._dates, default=None)
            self._last_written = (text, day)
        return day

    def _own(self, category: Category, piece: str) -> bool:
        return self._known_spelling(category, piece) != _plain(piece) or _plain(piece) in self._values(category)

    def _known_spelling(self, category: Category, piece: str) -> str:
        """The known number this one is, with other separators, without its zeros or with one error; else itself."""
        plain = _plain(piece)
        for known in sorted(self._values(category)):
            bare, other = known.lstrip("0"), plain.lstrip("0")
            if bare == other or (len(known) > 5 and (one_error_apart(known, plain) or plain.endswith(known))):
                return known
            if len(plain) > 5 and known.endswith(plain):
                return known
        return plain

    def _values(self, category: Category) -> set[str]:
        found = {_plain(one.value) for one in self.person.known if one.category is category}
        return found | ({_plain(self.person.patient_id)} if category is Category.MRN else set())

    def _realistic(self, category: Category, piece: str) -> str:
        match category:
            case Category.NAME | Category.DOCTOR | Category.INITIALS:
                return self._names.like(piece, category)
            case Category.AGE_OVER_89:
                return _SHOWN_AGE if not re.search(r"\d", piece) else re.sub(r"\d+", _SHOWN_AGE, piece, count=1)
            case Category.TIME:
                return self._time(piece) or "[TIME]"
            case Category.PHONE | Category.FAX:
                return self._fresh(piece, lambda turn: self._phone(piece, turn))
            case Category.EMAIL:
                return f"{self._digits('email', piece, 0)[:8]}@mail.example.net"
            case Category.URL:
                return f"https://www.example.net/{self._digits('url', piece, 0)[:8]}"
            case Category.ADDRESS:
                return self._fresh(piece, lambda turn: self._address(piece, turn))
            case Category.COUNTY:
                return self._fresh(piece, lambda turn: self._county(piece, turn))
            case Category.NETWORK:
                return self._fresh(piece, lambda turn: self._network(piece, turn))
            case Category.PHOTO:
                return self._fresh(piece, lambda turn: self._photo(piece, turn))
            case Category.HOSPITAL:
                return self._fresh(piece, lambda turn: self._hospital(piece, turn))
        return self._fresh(piece, lambda turn: self._same_shape(category, piece, turn))

    def _fresh(self, piece: str, make: Callable[[int], str]) -> str:
        """The first attempt that is neither what it stands for nor anything known of the person."""
        for turn in range(_TRIES):
            made = make(turn)
            if _plain(made) != _plain(piece) and not self._search.find(made):
                return made
        return "[REMOVED]"

    @cached_property
    def _search(self) -> KnownSearch:
        return search_for(self.person.known)

    def _digits(self, kind: str, value: str, turn: int) -> str:
        """Forty decimal digits that stand for this value."""
        keyed = self.person.keys.pseudonym(f"surrogate {kind} {turn}", self.person.owned(_plain(value)))
        return str(int(keyed, 16) * 10**20 + int(keyed, 16))[:40].zfill(40)

    def _number(self, kind: str, value: str, turn: int, below: int) -> int:
        keyed = self.person.keys.pseudonym(f"surrogate {kind} {turn}", self.person.owned(_plain(value)))
        return int(keyed, 16) % below

    def _same_shape(self, category: Category, piece: str, turn: int) -> str:
        """Digits for digits and letters for letters; a social security number begins with a 9, as none does."""
        value = self._known_spelling(category, piece) if category in _OWN_NUMBERS else piece
        keyed = iter(self._digits(category, value, turn))
        letters = _LETTERS if sum(letter.isalpha() for letter in piece) > 1 else _RARE
        made = []
        for place, letter in enumerate(piece):
            if letter.isdigit():
                digit = next(keyed, "0")
                made.append("9" if category is Category.SSN and place == 0 else digit)
            elif letter.isalpha():
                drawn = letters[int(next(keyed, "0") + next(keyed, "0")) % len(letters)]
                made.append(drawn if letter.isupper() else drawn.lower())
            else:
                made.append(letter)
        return "".join(made)

    def _phone(self, piece: str, turn: int) -> str:
        """The same punctuation; an area code that no one was given, or a line that rings nowhere."""
        count = sum(letter.isdigit() for letter in piece)
        digits = re.sub(r"\D", "", piece)
        keyed = self._digits("phone", digits[-10:], turn)
        if count >= 10:
            area, exchange = f"{2 + int(keyed[0]) % 8}9{keyed[1]}", f"{2 + int(keyed[2]) % 3}{keyed[3:5]}"
            new = digits[:-10] + area + exchange + keyed[5:9]
        elif count == 7:
            new = "55501" + keyed[:2]
        else:
            new = keyed[:count]
        drawn = iter(new)
        return "".join(next(drawn, "0") if letter.isdigit() else letter for letter in piece)

    def _address(self, piece: str, turn: int) -> str:
        """Line by line: a street for a street, a town for a town, a postal code for a postal code; states stay."""
        lines = re.split(r"(\s*[,\n;]\s*)", piece)
        return "".join(line if place % 2 else self._address_line(line, turn) for place, line in enumerate(lines))

    def _address_line(self, line: str, turn: int) -> str:
        number = re.match(r"\d+[A-Za-z]?\b", line)
        if _STREET.search(line) or (number and number.end() < len(line)):
            street = STREETS[self._number("street", line, turn, len(STREETS))]
            new = self._same_shape(Category.ADDRESS, number[0], turn).lstrip("0") or "1" if number else ""
            ending = _STREET.search(line)
            return _cased(line, " ".join(filter(None, (new, street, ending[0] if ending else "Road"))))
        if re.fullmatch(r"[A-Z]{2}\.?", line) or not line.strip():
            return line
        postal = re.fullmatch(r"(?P<state>[A-Z]{2}\s+)?(?P<code>[\d-]+)", line)
        if postal:
            return (postal["state"] or "") + self._same_shape(Category.ADDRESS, postal["code"], turn)
        town = re.fullmatch(r"(?P<town>.*?)(?P<rest>(?:\s+[A-Z]{2})?\s+[\d-]{5,10})?", line, re.DOTALL)
        assert town is not None
        rest = re.sub(r"[\d-]+", lambda code: self._same_shape(Category.ADDRESS, code[0], turn), town["rest"] or "")
        return _cased(town["town"], TOWNS[self._number("town", town["town"], turn, len(TOWNS))]) + rest

    def _county(self, piece: str, turn: int) -> str:
        """Another name, of the same kind of district: County Mayo, Kent County, Morgan Parish."""
        kind = _DISTRICT.search(piece)
        town = _cased(piece, TOWNS[self._number("county", piece, turn, len(TOWNS))])
        if kind is None:
            return town
        return f"{kind[0]} {town}" if kind.start() == 0 else f"{town} {kind[0]}"

    def _network(self, piece: str, turn: int) -> str:
        """An address that documentation alone uses."""
        drawn = self._digits("network", piece, turn)
        if ":" in piece:
            return f"2001:db8::{int(drawn[:4]):x}:{int(drawn[4:8]):x}"
        return f"192.0.2.{int(drawn[:3]) % 254 + 1}"

    def _photo(self, piece: str, turn: int) -> str:
        """The ending stays, which says no more than that it is a picture."""
        ending = _ENDING.search(piece)
        return f"photo-{self._digits('photo', piece, turn)[:6]}{ending[0] if ending else ''}"

    def _hospital(self, piece: str, turn: int) -> str:
        if piece.isupper() and len(piece) <= 6 and " " not in piece:
            return self._same_shape(Category.HOSPITAL, piece, turn)
        town = TOWNS[self._number("hospital town", piece, turn, len(TOWNS))]
        kind = HOSPITALS[self._number("hospital kind", piece, turn, len(HOSPITALS))]
        return _cased(piece, kind.format(town))

    def _time(self, piece: str) -> str | None:
        """Moved by minutes of the person's own, within the day, in the same format."""
        clock = re.fullmatch(
            r"(?P<hour>\d\d?)(?P<colon>[:.]?)(?P<minute>\d\d)(?P<second>[:.]?\d\d(?:\.\d+)?)?"
            r"(?P<rest>\s*(?:h(?:ou)?rs?|h|uhr)?(?:\s*[ap]\.?\s?m\.?)?(?:\s*(?:[ecmp][sd]t|utc|gmt))?)",
            piece.strip(),
            re.IGNORECASE,
        )
        if not clock or int(clock["hour"]) > 24 or int(clock["minute"]) > 59:
            return None
        rest = clock["rest"]
        half = re.search(r"[ap](?=\.?\s?m)", rest, re.IGNORECASE)
        minutes = int(clock["hour"]) % (12 if half else 24) * 60 + int(clock["minute"])
        if half and half[0].lower() == "p":
            minutes += 720
        keyed = int(self.person.keys.pseudonym("minutes", self.person.patient_id), 16)
        minutes = (minutes + 17 + keyed % 1400) % 1440
        if half:
            rest = rest[: half.start()] + _cased(half[0], "ap"[minutes >= 720]) + rest[half.end() :]
        hour = (minutes // 60 - 1) % 12 + 1 if half else minutes // 60
        shown = f"{hour:02d}" if len(clock["hour"]) == 2 or not clock["colon"] else str(hour)
        return f"{shown}{clock['colon']}{minutes % 60:02d}{clock['second'] or ''}{rest}"


def _plain(value: str) -> str:
    """Letters and digits alone: how a number is compared and keyed."""
    return _NO_LETTER.sub("", fold(value)).upper()


def _cased(like: str, text: str) -> str:
    if like.isupper():
        return text.upper()
    return text.lower() if like.islower() else text

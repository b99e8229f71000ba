"""Numbers, telephone numbers, times of day, machines and photographs: another of the same shape.

A number that could be a measurement is never made another one: a tag stands for it.
"""

from __future__ import annotations

import re
from functools import cached_property

from medveil.person.identifiers import NUMBERS, Category
from medveil.person.normalised import fold, one_error_apart, words_of
from medveil.person.surrogates.drawing import Drawing, cased, plain
from medveil.person.surrogates.stock import STREETS

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_RARE = "JQXZ"  # for a single one: the room 5S-12 of one patient must not become 6N-12, which may be another's
_OWN = NUMBERS - {Category.UID}
# Up to three digits, a decimal, several in a row (7.18/7.26, 1-0-1, F/68): what doctors measure is written so too.
_SHORT = r"\d{1,3}(?:[.,]\d+)?"
_VALUE = re.compile(rf"\W*(?:\d+[.,]\d+|(?:[A-Za-z]\s?/\s?)?{_SHORT}(?:\s?[/:x×-]\s?{_SHORT})*)\W*")
_WARD = re.compile(r"(?<![^\W_])[^\W\d_]{4,}(?![^\W_])")
_SIDES = frozenset("north south east west ward room unit floor left right upper lower".split())
_SPOKEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SPOKEN_TOO = {"oh": 0, "o": 0, "nought": 0, "niner": 9}
_SAID = frozenset(
    {"dash", "hyphen", "slash", "dot", "point", "double", "triple", "area", "code", "and", "extension", "ext"}
)
_CLOCK = re.compile(
    r"(?P<hour>\d\d?)(?P<colon>[:.h]?)(?P<minute>\d\d)(?P<second>[:.]?\d\d(?:\.\d+)?)?"
    r"(?P<rest>\s*(?:h(?:ou)?rs?|h|uhr)?(?:\s*[ap](?:\.?\s?m\.?)?)?(?:\s*(?:[ecmp][sd]?t|utc|gmt|z|[+-]\d\d:?\d\d))?)",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?P<hour>1[0-2]|0?[1-9])(?P<rest>\s*[ap](?:\.?\s?m\.?)?)", re.IGNORECASE)  # 9 AM
_HALF = re.compile(r"[ap](?=\.?\s?m|\.?$|\s)", re.IGNORECASE)
_ENDING = re.compile(r"(?:\.[A-Za-z0-9]{2,5})?$")


def may_be_measured(piece: str) -> bool:
    """Whether another number in its place could be taken for a value."""
    return _VALUE.fullmatch(piece) is not None


class SurrogateNumbers(Drawing):
    def is_own(self, category: Category, piece: str) -> bool:
        """Whether a number is one of the person's that are known."""
        return self.known_spelling(category, piece) != plain(piece) or plain(piece) in self._values(category)

    def known_spelling(self, category: Category, piece: str) -> str:
        """The known number this one is, with other separators, without its zeros or with one error; else itself."""
        written = plain(piece)
        for known in self._values(category):
            bare, other = known.lstrip("0"), written.lstrip("0")
            if bare == other or (len(known) > 5 and (one_error_apart(known, written) or written.endswith(known))):
                return known
            if len(written) > 5 and known.endswith(written):
                return known
        return written

    def _values(self, category: Category) -> list[str]:
        return self._known.get(category, [])

    @cached_property
    def _known(self) -> dict[Category, list[str]]:
        """The known numbers by their kind, in order."""
        found: dict[Category, set[str]] = {Category.MRN: {plain(self.person.patient_id)}}
        for one in self.person.known:
            if one.category in _OWN:
                found.setdefault(one.category, set()).add(plain(one.value))
        return {category: sorted(values) for category, values in found.items()}

    def like(self, category: Category, piece: str) -> str | None:
        """Another number of this shape; None where that could be taken for a value somebody measured."""
        match category:
            case Category.TIME:
                return self._time(piece)
            case Category.EMAIL:
                return f"{self.digits('email', piece, 0)[:8]}@mail.example.net"
            case Category.URL:
                return f"https://www.example.net/{self.digits('url', piece, 0)[:8]}"
            case Category.NETWORK:
                return self.fresh(piece, lambda turn: self._network(piece, turn))
            case Category.PHOTO:
                return self.fresh(piece, lambda turn: self._photo(piece, turn))
        if may_be_measured(piece):
            return None
        if not any(map(str.isdigit, piece)) and (len(piece.split()) > 1 or plain(piece).lower() in _SPOKEN):
            return self._spoken(category, piece)
        if category in (Category.PHONE, Category.FAX):
            return self.fresh(piece, lambda turn: self._phone(piece, turn))
        if category is Category.OTHER_ID and _WARD.search(piece):
            return self.fresh(piece, lambda turn: self._ward(piece, turn))
        return self.fresh(piece, lambda turn: self.same_shape(category, piece, turn))

    def _ward(self, piece: str, turn: int) -> str:
        """A ward, room or bed that is called by a word: another word, and numbers of the same shape."""

        def renamed(word: re.Match[str]) -> str:
            if fold(word[0]) in _SIDES:
                return word[0]
            return cased(word[0], self.one_of("ward", word[0], turn, STREETS))

        named = _WARD.sub(renamed, piece)
        return re.sub(r"\d+", lambda number: self.same_shape(Category.OTHER_ID, number[0], turn), named)

    def same_shape(self, category: Category, piece: str, turn: int) -> str:
        """Digits for digits and letters for letters; a social security number begins with a 9, as none does."""
        value = self.known_spelling(category, piece) if category in _OWN else piece
        keyed = iter(self.digits(category, value, turn))
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

    def _spoken(self, category: Category, piece: str) -> str | None:
        """Digit for digit and letter for letter, where a number was dictated; None where other words are among them."""
        keyed = iter(self.digits(category, piece, 0))
        made, last = [], 0
        for word in words_of(piece):
            if word.folded in _SPOKEN or word.folded in _SPOKEN_TOO:
                new = cased(word.written, _SPOKEN[int(next(keyed, "0"))])
            elif len(word.folded) == 1:
                new = cased(word.written, _LETTERS[int(next(keyed, "0") + next(keyed, "0")) % len(_LETTERS)])
            elif word.folded in _SAID:
                new = word.written
            else:
                return None
            made += [piece[last : word.start], new]
            last = word.end
        return "".join((*made, piece[last:]))

    def _phone(self, piece: str, turn: int) -> str:
        """The same punctuation; an area code that no one was given, or a line that rings nowhere."""
        count = sum(letter.isdigit() for letter in piece)
        digits = re.sub(r"\D", "", piece)
        keyed = self.digits("phone", digits[-10:], turn)
        if count >= 10:
            area, exchange = f"{2 + int(keyed[0]) % 8}9{keyed[1]}", f"{2 + int(keyed[2]) % 3}{keyed[3:5]}"
            new = digits[:-10] + area + exchange + keyed[5:9]
        elif count == 7:
            new = "55501" + keyed[:2]
        else:
            new = keyed[:count]
        drawn = iter(new)
        return "".join(next(drawn, "0") if letter.isdigit() else letter for letter in piece)

    def _network(self, piece: str, turn: int) -> str:
        """An address that documentation alone uses."""
        drawn = self.digits("network", piece, turn)
        if ":" in piece:
            return f"2001:db8::{int(drawn[:4]):x}:{int(drawn[4:8]):x}"
        return f"192.0.2.{int(drawn[:3]) % 254 + 1}"

    def _photo(self, piece: str, turn: int) -> str:
        """The ending stays, which says no more than that it is a picture."""
        ending = _ENDING.search(piece)
        return f"photo-{self.digits('photo', piece, turn)[:6]}{ending[0] if ending else ''}"

    def _time(self, piece: str) -> str | None:
        """Moved by minutes of the person's own, within the day, in the same format."""
        if alone := _HOUR.fullmatch(piece.strip()):
            return self._time(f"{alone['hour']}:00{alone['rest']}")
        clock = _CLOCK.fullmatch(piece.strip())
        if not clock or int(clock["hour"]) > 24 or int(clock["minute"]) > 59:
            return None
        rest = clock["rest"]
        half = _HALF.search(rest)
        minutes = int(clock["hour"]) % (12 if half else 24) * 60 + int(clock["minute"])
        if half and half[0].lower() == "p":
            minutes += 720
        keyed = int(self.person.keys.pseudonym("minutes", self.person.patient_id), 16)
        minutes = (minutes + 17 + keyed % 1400) % 1440
        if half:
            rest = rest[: half.start()] + cased(half[0], "ap"[minutes >= 720]) + rest[half.end() :]
        hour = (minutes // 60 - 1) % 12 + 1 if half else minutes // 60
        shown = f"{hour:02d}" if len(clock["hour"]) == 2 or not clock["colon"] else str(hour)
        return f"{shown}{clock['colon']}{minutes % 60:02d}{clock['second'] or ''}{rest}"

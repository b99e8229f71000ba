"""The names of months and weekdays in the languages that dates are written in, long and short."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from medveil.person.normalised import fold

_MONTHS = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_SHORT_MONTHS = {  # of the others only what is no word of a report
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "jan feb mär apr mai jun jul aug sep okt nov dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
}
# Language, name, number, and whether that is a short form.
_OTHER_MONTHS = (
    *(("en", "sept", 9, True), ("de", "mrz", 3, True), ("de", "maerz", 3, False), ("de", "jänner", 1, False)),
    ("es", "setiembre", 9, False),
)
_WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
}
_SHORT_WEEKDAYS = {"en": "mon tue wed thu fri sat sun"}
_OTHER_WEEKDAYS = (
    *(("en", "tues", 2, True), ("en", "weds", 3, True), ("en", "thur", 4, True), ("en", "thurs", 4, True)),
    ("de", "sonnabend", 6, False),
)
_NO_MONTH = frozenset({"ago"})  # three days ago


class CalendarWord(NamedTuple):
    """Which month or weekday a word is, from 1, in which language."""

    language: str
    number: int
    short: bool


class Calendar:
    """Months or weekdays: told by their names, and named."""

    def __init__(
        self, long: dict[str, str], short: dict[str, str], other: Iterable[tuple[str, str, int, bool]]
    ) -> None:
        self._long = {language: names.split() for language, names in long.items()}
        self._short = {language: names.split() for language, names in short.items()}
        self._words: dict[str, list[CalendarWord]] = {}
        self.written: set[str] = set()
        for lists, is_short in ((self._long, False), (self._short, True)):
            for language, names in lists.items():
                for number, name in enumerate(names, start=1):
                    self._add(name, CalendarWord(language, number, is_short))
        for language, name, number, is_short in other:
            self._add(name, CalendarWord(language, number, is_short))

    def _add(self, name: str, word: CalendarWord) -> None:
        if name not in _NO_MONTH:
            self.written |= {name, fold(name)}
            self._words.setdefault(fold(name), []).append(word)

    @property
    def pattern(self) -> str:
        """Any of the names, the longest first."""
        return "|".join(sorted(self.written, key=lambda name: (-len(name), name)))

    def read(self, word: str) -> list[CalendarWord]:
        return self._words.get(fold(word), [])

    def number(self, word: str) -> int:
        return self.read(word)[0].number

    def named(self, number: int, like: str, languages: tuple[str, ...] = (), *, tight: bool = False) -> str:
        """As long, as capital and in the language of `like`; of several languages the first of those preferred.

        What may be long or short (May) is short where it stands `tight`, between hyphens.
        """
        candidates = sorted(self.read(like), key=lambda one: one.short, reverse=tight)
        preferred = (one for language in (*languages, "en") for one in candidates if one.language == language)
        language, _, short = next(preferred, candidates[0])
        name = (self._short if short and language in self._short else self._long)[language][number - 1]
        if like.isupper():
            return name.upper()
        return name.capitalize() if like[0].isupper() else name


MONTHS = Calendar(_MONTHS, _SHORT_MONTHS, _OTHER_MONTHS)
WEEKDAYS = Calendar(_WEEKDAYS, _SHORT_WEEKDAYS, _OTHER_WEEKDAYS)

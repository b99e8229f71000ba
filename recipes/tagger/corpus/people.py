"""Invented people of many origins, and the ways in which reports write them down."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from medveil.person.identifiers import Category
from recipes.tagger.corpus import names
from recipes.tagger.corpus.grammar import Pieces
from recipes.tagger.corpus.lists import by_origin, lines
from recipes.tagger.corpus.places import pick

_TITLES = {
    "F": ("Ms. ", "Mrs. ", "Mrs ", "Ms ", "Miss ", "Frau ", "Mme ", "Sra. "),
    "M": ("Mr. ", "Mr ", "Mr. ", "Herr ", "M. ", "Sr. ", "Mister "),
}
_PARTICLES = "van der,van den,van,von,de la,de los,del,de,da,dos,di,bin,ibn,al,el,Ní,ter,Graf von,St.".split(",")
_GIVEN, _SURNAMES = by_origin("given_names"), by_origin("surnames")
_WORD_GIVEN, _WORD_SURNAMES = lines("word_given_names"), lines("word_surnames")


@dataclass(frozen=True)
class Lexicon:
    """Further words, mined from a vocabulary: each is tried where the lists are tried too."""

    given: list[str] = field(default_factory=list)
    surnames: list[str] = field(default_factory=list)
    towns: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # that name nobody and no place


@dataclass(frozen=True)
class Someone:
    given: str
    middle: str
    family: str
    sex: str

    @property
    def initials(self) -> str:
        letters = [self.given[0], self.middle[:1], next((c for c in self.family if c.isupper()), self.family[0])]
        return "".join(letters).upper()


class People:
    """A patient, a relative and four of the staff, and the ways in which each is written."""

    def __init__(self, rng: random.Random, lexicon: Lexicon, *, origin: str | None = None) -> None:
        self.rng, self.lexicon, self.origin = rng, lexicon, origin
        self.patient, self.kin = self.someone(), self.someone()
        if rng.random() < 0.6:
            self.kin = Someone(self.kin.given, "", self.patient.family, self.kin.sex)
        self.staff = [self.someone() for _ in range(4)]

    def someone(self) -> Someone:
        rng = self.rng
        origin = pick(self.rng, list(_SURNAMES))
        if self.origin is not None and rng.random() < 0.7:
            origin = self.origin
        elif rng.random() < 0.3:
            origin = "english"
        kind = rng.random()
        given = (
            pick(self.rng, _GIVEN.get(origin) or _GIVEN["english"])
            if kind < 0.5
            else names.coined("given").draw(rng)
            if kind < 0.65
            else pick(self.rng, self.lexicon.given)
            if kind < 0.8 and self.lexicon.given
            else pick(self.rng, _WORD_GIVEN)
            if kind < 0.88
            else pick(self.rng, _GIVEN[pick(self.rng, list(_GIVEN))])
        )
        middle = pick(
            self.rng, ("", "", "", "A.", "B.", "J.", "M.", "R", "L.", "E", "Lee", "Ann", "Marie", "S.", "T", "W.")
        )
        return Someone(given, middle, self.surname(origin), rng.choice("FM"))

    def surname(self, origin: str | None = None) -> str:
        rng, kind = self.rng, self.rng.random()
        if kind < 0.42:
            name = pick(self.rng, _SURNAMES[origin or pick(self.rng, list(_SURNAMES))])
        elif kind < 0.6:
            name = names.coined("surname").draw(rng)
        elif kind < 0.8 and self.lexicon.surnames:
            name = pick(self.rng, self.lexicon.surnames)
        else:
            name = pick(self.rng, _WORD_SURNAMES)
        if rng.random() < 0.03:
            name = f"{name}-{names.coined('surname').draw(rng)}"
        return name + rng.choice([" Jr.", " Sr", " III", " Jr"]) if rng.random() < 0.015 else name

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _typed(self, name: str) -> str:
        """Now and then with a typing error."""
        if len(name) < 4 or not self._chance(0.05):
            return name
        place = self.rng.randint(1, len(name) - 2)
        kind, letter = self.rng.random(), name[place]
        if kind < 0.3:
            return name[:place] + name[place + 1 :]
        if kind < 0.6:
            return name[:place] + letter + name[place:]
        if kind < 0.85:
            return name[:place] + name[place + 1] + letter + name[place + 2 :]
        return name[:place] + self.rng.choice("aeirstn") + name[place + 1 :]

    def as_name(self, text: str) -> Pieces:
        """A title before it is not part of the name."""
        title = next((one for titles in _TITLES.values() for one in titles if text.startswith(one)), "")
        return [(title, None), (self._typed(text.removeprefix(title)), Category.NAME)]

    def full(self, one: Someone) -> str:
        middle = f"{one.middle} " if one.middle and self._chance(0.5) else ""
        return f"{one.given} {middle}{one.family}"

    def patient_somehow(self) -> Pieces:
        one, rng = self.patient, self.rng
        title = pick(self.rng, _TITLES[one.sex])
        kind = rng.random()
        forms = (
            (0.28, self.full(one)),
            (0.52, title + one.family),
            (0.62, one.family),
            (0.72, one.given),
            (0.77, f"{one.given[0]}. {one.family}"),
            (0.81, f"{one.family}, {one.given}"),
            (0.84, title + self.full(one)),
            (0.87, one.family.upper()),
            (0.9, f"{one.given.upper()} {one.family.upper()}"),
            (0.92, f"{one.family.upper()}, {one.given.upper()}"),
            (0.94, f"{one.family} {one.given}"),
            (0.96, f"{one.given} {one.family[0]}."),
            (0.97, f"{one.family} {one.given[0]}"),
            (0.98, f"{title}{one.given}"),
            (1.0, f"{one.family.upper()} {one.given}"),
        )
        return self.as_name(next(text for share, text in forms if kind <= share))

    def patient_formally(self) -> Pieces:
        one = self.patient
        middle = f" {one.middle.rstrip('.')}" if one.middle and self._chance(0.6) else ""
        text = pick(
            self.rng,
            (
                f"{one.family}, {one.given}{middle}",
                f"{one.family.upper()}, {one.given.upper()}{middle.upper()}",
                f"{one.family},{one.given}{middle}".upper(),
                f"{one.given}{middle} {one.family}",
                f"{one.family}^{one.given}{middle.replace(' ', '^')}",
                f"{one.given} {one.family}".upper(),
                f"{one.family} {one.given}",
                f"{one.family.upper()} {one.given}",
                f"{one.family}, {one.given}{middle}",
                f"{one.family}, {one.given[0]}.",
            ),
        )
        return self.as_name(text)

    def relative(self) -> Pieces:
        one = self.kin
        title = pick(self.rng, _TITLES[one.sex])
        return self.as_name(
            pick(
                self.rng,
                (
                    one.given,
                    one.given,
                    self.full(one),
                    title + one.family,
                    f"{one.given} {one.family}",
                    one.given.upper(),
                ),
            )
        )

    def doctor(self) -> Pieces:
        one = pick(self.rng, self.staff)
        text = pick(
            self.rng,
            (
                one.family,
                one.family,
                self.full(one),
                f"{one.given[0]}. {one.family}",
                one.family.upper(),
                f"{one.given} {one.family}",
                f"{one.given[0]} {one.family}",
            ),
        )
        return [(self._typed(text), Category.DOCTOR)]

    def full_doctor(self) -> Pieces:
        one = pick(self.rng, self.staff)
        text = self.full(one)
        return [(self._typed(text if self._chance(0.7) else text.upper()), Category.DOCTOR)]

    def initials(self, case: Callable[[str], str]) -> Pieces:
        letters = pick(self.rng, self.staff).initials
        text = case(letters if self._chance(0.5) else letters[0] + letters[-1])
        return [(".".join(text) + "." if self._chance(0.08) else text, Category.INITIALS)]

    def odd_initials(self) -> Pieces:
        """As old systems write them: SP61, DLnc, rjt."""
        letters = pick(self.rng, self.staff).initials
        short = letters[0] + letters[-1]
        forms = (
            f"{short}{self.rng.randint(1, 99)}",
            letters + self.rng.choice(("nc", "c", "x")),
            short.lower(),
            letters.lower(),
            short,
        )
        return [(pick(self.rng, forms), Category.INITIALS)]

    def short_name(self) -> str:
        """Mindy F., Raj P, M-L Fraser."""
        one, other = pick(self.rng, self.staff), pick(self.rng, self.staff)
        return pick(
            self.rng,
            (
                f"{one.given} {one.family[0]}.",
                f"{one.given} {one.family[0]}",
                f"{one.given} {one.family[0]}.",
                f"{one.given[0]}-{other.given[0]} {one.family}",
                f"{one.given} {one.family[0]}-{other.family[0]}",
                f"{one.given[0]}. {one.family}",
                one.given,
            ),
        )

    def nickname(self) -> str:
        """The beginning of a name, for the whole."""
        one = pick(self.rng, self.staff)
        name = pick(self.rng, (one.given, one.family)).split()[0]
        return name[: self.rng.randint(3, 5)] + pick(self.rng, ("", "", "y", "ie", "o")) if len(name) > 5 else name

    def many_names(self, one: Someone) -> str:
        """With a nickname, initials, a second given name, a particle or a second family name."""
        first, second, other = one.given[0], pick(self.rng, self.staff).given, self.surname()
        particle = pick(self.rng, _PARTICLES)
        forms = (
            f'{one.given} "{second}" {one.family}',
            f"{one.given} ({second}) {one.family}",
            f"{first}. {second[0]}. {one.family}",
            f"{first} {second[0]} {one.family}",
            f"{first}.{second[0]}. {one.family}",
            f"{one.given} {second} {one.family}",
            f"{one.given} {particle} {one.family}",
            f"{particle} {one.family}",
            f"{particle.title()} {one.family}, {one.given}".upper(),
            f"{one.given} {one.family} {other}",
            f"{one.given} {one.family} {particle} {other}",
            f"{one.family} {other}, {one.given}",
            f"{one.given} {second} {first}.",
            f"{one.family} {first} {second[0]}",
            f"{one.given}-{second} {one.family}",
            f"{one.given} {one.family}-{other}",
            f"{one.family}, {one.given} ({second})",
            f"{one.family.upper()} {one.given}",
            f"{one.family},{one.given} {second[0]}".upper(),
            f"{one.given} {one.family} {self.rng.choice(('Jr', 'Jr.', 'Sr.', 'II', 'III', 'IV'))}",
        )
        return pick(self.rng, forms)

    def patient_initials(self) -> Pieces:
        letters = self.patient.initials
        return [(pick(self.rng, (letters, letters[0] + letters[-1], ".".join(letters) + ".")), Category.INITIALS)]

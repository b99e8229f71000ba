"""Surrogate names: of the same form as what they stand for, and the same for the same person everywhere."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from medveil.person.identifiers import Category
from medveil.person.name import DEGREES, GENERATIONS, PARTICLES, TITLES, PersonName
from medveil.person.normalised import Word, fold, one_error_apart, words_of
from medveil.person.person import Person
from medveil.person.search.known import search_for
from medveil.person.search.names import KnownNames
from medveil.person.surrogates.stock import MEN, SURNAMES, WOMEN

_TRIES = 64
_KEPT = TITLES | DEGREES | GENERATIONS | {"do", "rt"}


class _Role(NamedTuple):
    """Which of whose names a word is: `owner` is the patient, or the word itself for anybody else."""

    owner: str
    part: str  # family, given


class SurrogateNames:
    def __init__(self, person: Person) -> None:
        self.person = person
        self._by_category: dict[Category, list[PersonName]] = {}

    def dicom_name(self) -> str:
        return "^".join(self._surrogate(_Role("", part), Category.NAME) for part in ("family", "given"))

    def is_patient(self, piece: str) -> bool:
        """Whether any of the patient's own names is in this piece."""
        if any(self._role(word.folded, Category.NAME, None).owner == "" for word in words_of(piece)):
            return True
        return bool(self._own) and fold(re.sub(r"\W", "", piece)) in self._own[0].initials

    def like(self, piece: str, category: Category) -> str:
        """The piece with every name in it replaced, and titles, punctuation and line breaks kept."""
        if category is Category.INITIALS or re.fullmatch(r"(?:\w\.\s?){2,4}", piece):
            return self._initials(piece)
        words = words_of(piece)
        roles = self._roles(piece, words, category)
        made, last, at = [], 0, 0
        while at < len(words):
            role, end = roles[at], at
            while role and end + 1 < len(words) and roles[end + 1] == role and len(words[end + 1].folded) > 1:
                end += 1
            if role:
                made += [piece[last : words[at].start], self._written(role, category, words[at], words[end])]
                last = words[end].end
            at = end + 1
        return "".join((*made, piece[last:]))

    def _written(self, role: _Role, category: Category, first: Word, last: Word) -> str:
        name = self._surrogate(role, category)
        if len(first.folded) == 1 and first is last:
            return name[0] if first.written.isupper() else name[0].lower()
        if first.written.isupper() and last.written.isupper():
            return name.upper()
        return name.lower() if first.written.islower() and last.written.islower() else name

    def _roles(self, piece: str, words: list[Word], category: Category) -> list[_Role | None]:
        """What each word is. Unknown people's words go by their place: "Family, Given", "Given Family"."""
        plain = [at for at, word in enumerate(words) if word.folded not in _KEPT and len(word.folded) > 1]
        comma = piece.find(",")
        reversed_order = comma >= 0 and any(
            words[at].start > comma for at in plain if words[at].folded not in PARTICLES
        )
        longer = [word for word in words if len(word.folded) > 1]
        roles: list[_Role | None] = [None] * len(words)
        for at, word in enumerate(words):
            if (word.folded in _KEPT and len(words) > 1) or word.folded[0].isdigit():
                continue
            if len(word.folded) == 1 and not _is_particle(piece, word):
                roles[at] = self._initial(word, longer, category)
            elif reversed_order:
                roles[at] = self._role(word.folded, category, "family" if word.start < comma else "given")
            else:
                last = at == (plain[-1] if plain else at) or word.folded in PARTICLES
                roles[at] = self._role(word.folded, category, "family" if last else "given")
        # small words, and what a hyphen ties, belong to the name that follows
        for at in range(len(words) - 2, -1, -1):
            tied = piece[words[at].end : words[at + 1].start] in ("-", "'", "’", "‐", "‑")
            if (_is_particle(piece, words[at]) or tied) and roles[at + 1] is not None and roles[at] is not None:
                roles[at] = roles[at + 1]
        return roles

    def _initial(self, word: Word, longer: list[Word], category: Category) -> _Role:
        """Whose initial this is, among these longer words: of the patient's given names, else of an unknown one."""
        if (
            category is Category.NAME
            and self._own
            and any(self._role(other.folded, category, None).owner == "" for other in longer)
        ):
            return _Role("", "given" if any(part[0] == word.folded for part in self._own[0].given[:1]) else "middle")
        others = "".join(other.folded for other in longer)
        for name in self._people(category):
            if name.given and name.given[0][0] == word.folded and any(part in others for part in name.family):
                return _Role(name.given[0], "given")
        return _Role(word.folded + others, "given")

    def _role(self, word: str, category: Category, part: str | None) -> _Role:
        """A known word keeps its part wherever it stands; one with a typing error is the word that was meant."""
        if category is Category.NAME:
            for own in self._own:
                for names, which in ((own.family, "family"), (own.given, "given")):
                    if any(_same(word, name) for name in names) or word in own.joined:
                        return _Role("", "family" if word in own.joined else which)
        for name in self._people(category):
            for names, which in ((name.family, "family"), (name.given, "given")):
                for known in names:
                    if _same(word, known):
                        return _Role(known, which)
        return _Role(word, part or "family")

    @cached_property
    def _own(self) -> list[PersonName]:
        """The patient's names: the first that is known, and other spellings of it."""
        known = self._people(Category.NAME)
        if not known:
            return []
        first = known[0]
        alike = [
            other
            for other in known[1:]
            if any(_same(one, two) or one[:2] == two[:2] for one in first.given for two in other.given)
            or (not other.given and set(other.family) & set(first.parts))
        ]
        return [first, *alike]

    def _people(self, category: Category) -> list[PersonName]:
        if category not in self._by_category:
            known = (one.value for one in self.person.known if one.category is category)
            self._by_category[category] = [name for value in known for name in PersonName.all_of(value)]
        return self._by_category[category]

    def _surrogate(self, role: _Role, category: Category) -> str:
        """Keyed by the person for the patient and those around, by the key alone for the staff."""
        patient = f"{self.person.patient_id}\x1f{role.owner}"
        owner = self.person.owned(role.owner) if category is Category.DOCTOR else patient
        kind = "doctor" if category is Category.DOCTOR else "name"
        drawn_from = SURNAMES if role.part == "family" else self._given_names(role, kind, owner)
        for turn in range(_TRIES):
            keyed = int(self.person.keys.pseudonym(f"surrogate {kind} {role.part} {turn}", owner), 16)
            name = drawn_from[keyed % len(drawn_from)]
            if not self._all_known.matches(fold(name)):
                return name
        return "Doe"

    def _given_names(self, role: _Role, kind: str, owner: str) -> tuple[str, ...]:
        if kind == "name" and role.owner == "":
            women = self._is_woman
            if women is not None:
                return WOMEN if women else MEN
        name = role.owner.capitalize()
        if name in WOMEN or name in MEN:
            return WOMEN if name in WOMEN else MEN
        keyed = int(self.person.keys.pseudonym(f"surrogate {kind} sex", owner), 16)
        return WOMEN if keyed % 2 else MEN

    @cached_property
    def _is_woman(self) -> bool | None:
        """By what is known, else by the given name where that says something."""
        if self.person.sex in ("F", "M"):
            return self.person.sex == "F"
        for own in self._own:
            for given in own.given:
                if (name := given.capitalize()) in WOMEN or name in MEN:
                    return name in WOMEN
        return None

    @cached_property
    def _all_known(self) -> KnownNames:
        return search_for(self.person.known).names

    def _initials(self, piece: str) -> str:
        """The patient's initials become the surrogate's; others are drawn, letter by letter."""
        letters = fold(re.sub(r"[\W_]", "", piece))
        own = [name for name in self._own if letters in name.initials]
        if own:
            given = self._surrogate(_Role("", "given"), Category.NAME)[0]
            family = self._surrogate(_Role("", "family"), Category.NAME)[0]
            middle = self._surrogate(_Role("", "middle"), Category.NAME)[0]
            drawn = given + (family if len(letters) == 2 else middle + family * (len(letters) - 2))
        else:
            keyed = int(self.person.keys.pseudonym("surrogate initials", letters), 16)
            drawn = "".join("ABCDEFGHJKLMNPRSTVW"[keyed // 19**place % 19] for place in range(len(letters)))
            if letters and drawn.lower() == letters:
                drawn = drawn[1:] + ("K" if drawn[0] != "K" else "T")
        fresh = iter(drawn)
        return "".join(_case(letter, next(fresh, "")) if letter.isalnum() else letter for letter in piece)


def _same(word: str, known: str) -> bool:
    return word == known or (len(known) >= 5 and one_error_apart(word, known))


def _is_particle(piece: str, word: Word) -> bool:
    """Van, de, O': small words, and letters that an apostrophe ties to the next."""
    if len(word.folded) == 1:
        return piece[word.end : word.end + 1] in ("'", "’")
    return word.folded in PARTICLES


def _case(like: str, letter: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()

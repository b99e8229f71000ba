"""Surrogate names: of the form, the sex and the part of the world of what they stand for, and the same for the same
person everywhere.

A name is keyed by its own letters, so that it has the same surrogate in every note. What a note tells of a person
besides (which name is the first, whose initials these are, which sex a title or a relation has) is gathered from the
whole of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from medveil.person.identifiers import Category
from medveil.person.name import DEGREES, GENERATIONS, PARTICLES, TITLES, TITLES_IN_TEXT, PersonName
from medveil.person.normalised import Word, fold, one_error_apart, words_of
from medveil.person.person import Person
from medveil.person.search.known import search_of
from medveil.person.search.names import KnownNames
from medveil.person.span import Span
from medveil.person.surrogates.traditions import ENGLISH, Part, is_family, is_given, sex_of, tradition_of, traditions

_TRIES = 64
_KEPT = TITLES | DEGREES | GENERATIONS | {"do", "rt"}
_TITLES = TITLES | TITLES_IN_TEXT
_PEOPLE = frozenset({Category.NAME, Category.DOCTOR})
_WOMEN = frozenset(
    "mrs ms miss mme mlle madam frau senora sra signora mevr mevrouw smt sister wife mother mom mum mama daughter aunt "
    "grandmother granddaughter stepmother stepdaughter niece girlfriend widow lady she her".split()
)
_MEN = frozenset(
    "mr sir herr senor signor dhr shri brother husband father dad papa son uncle grandfather grandson stepfather "
    "stepson nephew boyfriend widower gentleman he his".split()
)
_RELATED = re.compile(r"\s*[,(]?\s*(?:(?:the|his|her|their|pt['’]?s|patient['’]s|a)\s+)?(?P<who>[A-Za-z]+)")
_RELATIONS = (_WOMEN | _MEN) - {"he", "she", "his", "her", "sir", "lady", "gentleman"} - _TITLES
# Small words of a name that tell where it is from.
_TOLD_BY = {
    **dict.fromkeys(("o", "mc", "mac", "ni", "nic", "fitz"), "irish"),
    **dict.fromkeys(("van", "der", "den", "ter", "ten", "op", "te"), "dutch"),
    **dict.fromkeys(("von", "zu", "zur", "zum"), "german"),
    **dict.fromkeys(("al", "el", "bin", "ibn", "abu", "abd", "bint"), "arabic"),
    **dict.fromkeys(("della", "di", "dello"), "italian"),
    **dict.fromkeys(("dos", "das"), "portuguese"),
    **dict.fromkeys(("y", "los", "las"), "spanish"),
}


class _Role(NamedTuple):
    """Which of whose names a word is: `owner` is the patient, or the word itself for anybody else."""

    owner: str
    part: str  # family, given, middle


class SurrogateNames:
    """Of one person and, where one is given, in one note: its text and what was found in it."""

    def __init__(self, person: Person, text: str = "", found: Iterable[Span] = ()) -> None:
        self.person = person
        self._by_category: dict[Category, list[PersonName]] = {}
        self._text = text
        self._named = [one for one in found if one.category in _PEOPLE]
        self._drawn: dict[tuple[_Role, Category], str] = {}

    def dicom_name(self) -> str:
        return "^".join(self._surrogate(_Role("", part), Category.NAME) for part in ("family", "given"))

    def is_patient(self, piece: str) -> bool:
        """Whether any of the patient's own names is in this piece."""
        if any(self._role(word.folded, Category.NAME, None).owner == "" for word in words_of(piece)):
            return True
        return bool(self._own) and fold(re.sub(r"\W", "", piece)) in self._own[0].initials

    def like(self, piece: str, category: Category, before: str = "") -> str:
        """The piece with every name in it replaced, and titles, punctuation and line breaks kept.

        `before` is what stands in front of it.
        """
        if category is Category.INITIALS or re.fullmatch(r"(?:\w\.\s?){2,4}", piece):
            return self._initials(piece)
        words = words_of(piece)
        roles = self._roles(piece, words, category, titled=_last_word(before) in _TITLES)
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
        name = self._surrogate(role, self._category(role, category))
        if len(first.folded) == 1 and first is last:
            return name[0] if first.written.isupper() else name[0].lower()
        if first.written.isupper() and last.written.isupper():
            return name.upper()
        return name.lower() if first.written.islower() and last.written.islower() else name

    def _roles(self, piece: str, words: list[Word], category: Category, *, titled: bool) -> list[_Role | None]:
        """What each word is. Unknown people's words go by their place: "Family, Given", "Given Family"."""
        plain = [at for at, word in enumerate(words) if word.folded not in _KEPT and len(word.folded) > 1]
        comma = piece.find(",")
        reversed_order = comma >= 0 and any(
            words[at].start > comma for at in plain if words[at].folded not in PARTICLES
        )
        alone = len(plain) == 1 and not titled and not any(word.folded in _TITLES for word in words)
        longer = [word for word in words if len(word.folded) > 1]
        roles: list[_Role | None] = [None] * len(words)
        for at, word in enumerate(words):
            if (word.folded in _KEPT and len(words) > 1) or word.folded[0].isdigit() or _is_ending(piece, word):
                continue
            if len(word.folded) == 1 and not _is_particle(piece, word):
                roles[at] = self._initial(word, longer, category)
            elif reversed_order:
                roles[at] = self._role(word.folded, category, "family" if word.start < comma else "given")
            else:
                last = at == (plain[-1] if plain else at) or word.folded in PARTICLES
                first_alone = alone and self._is_called(word, category)
                roles[at] = self._role(word.folded, category, "family" if last and not first_alone else "given")
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
        people = self._people(category)
        for same in (str.__eq__, _same):  # the word itself before one that is like it
            for name in people:
                for names, which in ((name.family, "family"), (name.given, "given")):
                    for known in names:
                        if same(word, known):
                            return _Role(known, which)
        return _Role(word, part or "family")

    def _category(self, role: _Role, category: Category) -> Category:
        """One kind for one name: staff where the note has it so anywhere, unless it is the patient's."""
        if not role.owner:
            return Category.NAME
        return Category.DOCTOR if role.owner in self._staff else category

    @cached_property
    def _staff(self) -> frozenset[str]:
        pieces = (self._piece(one) for one in self._named if one.category is Category.DOCTOR)
        return frozenset(word.folded for piece in pieces for word in words_of(piece) if word.folded not in _KEPT)

    @cached_property
    def _own(self) -> list[PersonName]:
        """The patient's names: the first that is known, and other spellings of it."""
        known = self._known(Category.NAME)
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

    def _known(self, category: Category) -> list[PersonName]:
        known = (one.value for one in self.person.known if one.category is category)
        return [name for value in known for name in PersonName.all_of(value)]

    def _people(self, category: Category) -> list[PersonName]:
        """Those that are known, before those whom the note names in full."""
        if category not in self._by_category:
            self._by_category[category] = [*self._known(category), *self._met]
        return self._by_category[category]

    @cached_property
    def _met(self) -> list[PersonName]:
        pieces = dict.fromkeys(self._piece(one) for one in self._named)
        return [name for piece in pieces for name in PersonName.all_of(piece) if name.given and name.family]

    def _is_called(self, word: Word, category: Category) -> bool:
        """Whether a name that stands alone is a given one: most are, but those of the staff and those in capitals."""
        if is_given(word.folded) or word.folded in self._called:
            return True
        return category is Category.NAME and not word.written.isupper() and not is_family(word.folded)

    @cached_property
    def _called(self) -> frozenset[str]:
        """Those whom the note calls by the given name alone: her daughter Mags, dear Una."""
        found = set()
        for one in self._named:
            words = words_of(self._piece(one))
            before, after = self._beside(one)
            if len(words) == 1 and (before == "dear" or before in _RELATIONS or after in _RELATIONS):
                found.add(words[0].folded)
        return frozenset(found)

    def _beside(self, one: Span) -> tuple[str, str]:
        """The word that a name belongs to, before it, and the relation that is told after it."""
        after = _RELATED.match(self._text, one.end)
        return _last_word(self._text[max(0, one.start - 24) : one.start]), after["who"].lower() if after else ""

    def _piece(self, one: Span) -> str:
        return " ".join(self._text[one.start : one.end].split())

    def _surrogate(self, role: _Role, category: Category) -> str:
        """Keyed by the person for the patient and those around, by the key alone for the staff.

        No two people of a note have one name, and none has a name that is in it.
        """
        if (made := self._drawn.get((role, category))) is not None:
            return made
        patient = f"{self.person.patient_id}\x1f{role.owner}"
        owner = self.person.owned(role.owner) if category is Category.DOCTOR else patient
        kind = "doctor" if category is Category.DOCTOR else "name"
        drawn_from = self._names_for(role, kind, owner)
        taken = self._others(role)
        name = "Doe"
        for turn in range(_TRIES):
            keyed = int(self.person.keys.pseudonym(f"surrogate {kind} {role.part} {turn}", owner), 16)
            drawn = drawn_from[keyed % len(drawn_from)]
            plain = fold(drawn)
            free = not role.owner or (plain not in taken and plain not in self._words)
            if free and not self._all_known.matches(plain):
                name = drawn
                break
        self._drawn[role, category] = name
        return name

    def _others(self, role: _Role) -> set[str]:
        """The names drawn for others; the patient's before all, which the header has too."""
        if role.owner and self._own:
            self.dicom_name()
        return {fold(name) for (other, _), name in self._drawn.items() if other.owner != role.owner}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.folded for word in words_of(self._text))

    def _names_for(self, role: _Role, kind: str, owner: str) -> tuple[str, ...]:
        part: Part = "S" if role.part == "family" else "W" if self._is_woman(role, kind, owner) else "M"
        return traditions()[self._tradition(role)].names(part)

    def _tradition(self, role: _Role) -> str:
        own = self._own[0] if self._own and not role.owner else None
        if own is None:
            told = tradition_of(role.owner)
            return self._told_by_particle.get(role.owner, told) if told == ENGLISH else told
        names = own.family if role.part == "family" else own.given or own.family
        tradition = tradition_of(names[0]) if names else ENGLISH
        if tradition == ENGLISH and role.part == "family":
            return next(filter(None, (_TOLD_BY.get(particle) for particle in sorted(own.particles))), ENGLISH)
        return tradition

    @cached_property
    def _told_by_particle(self) -> dict[str, str]:
        """The tradition of family names in this note that a small word before them tells."""
        found = {}
        for one in self._named:
            words = words_of(self._piece(one))
            for particle, name in pairwise(words):
                if told := _TOLD_BY.get(particle.folded):
                    found[name.folded] = told
        return found

    def _is_woman(self, role: _Role, kind: str, owner: str) -> bool:
        """By what is known of the patient, a title or relation in the note, the name itself, else by the key."""
        sex = self.person.sex if not role.owner and self.person.sex in ("F", "M") else None
        names = [role.owner] if role.owner else [given for own in self._own for given in own.given]
        families = [name for own in self._own for name in own.family] if not role.owner else self._families(role.owner)
        sex = sex or next((self._sexes[name] for name in (*names, *families) if name in self._sexes), None)
        sex = sex or next(filter(None, map(sex_of, names)), None)
        if sex is None:
            return bool(int(self.person.keys.pseudonym(f"surrogate {kind} sex", owner), 16) % 2)
        return sex == "F"

    def _families(self, given: str) -> list[str]:
        """The family names of those in the note who have this given name."""
        return [family for name in self._met if given in name.given for family in name.family]

    @cached_property
    def _sexes(self) -> dict[str, str]:
        """What titles and relations tell of names: of the given one where it is there, else of the family's."""
        found: dict[str, str] = {}
        for one in self._named:
            piece = self._piece(one)
            words = [word.folded for word in words_of(piece)]
            before, after = self._beside(one)
            cues = (*(word for word in words if word in _TITLES), before, after if after in _RELATIONS else "")
            sex = next(("F" if cue in _WOMEN else "M" for cue in cues if cue in _WOMEN or cue in _MEN), None)
            if sex is not None:
                names = [word for word in words if word not in _KEPT and len(word) > 1 and word not in PARTICLES]
                for name in names[:1]:
                    found.setdefault(name, sex)
        return found

    @cached_property
    def _all_known(self) -> KnownNames:
        return search_of(self.person).names

    def _initials(self, piece: str) -> str:
        """Of the patient, or of somebody whom the note names, those of the surrogate; else drawn, letter by letter."""
        letters = fold(re.sub(r"[\W\d_]", "", piece))
        drawn = "".join(self._letters_of(letters))
        if not drawn:
            keyed = int(self.person.keys.pseudonym("surrogate initials", letters), 16)
            drawn = "".join("ABCDEFGHJKLMNPRSTVW"[keyed // 19**place % 19] for place in range(len(letters)))
            if letters and drawn.lower() == letters:
                drawn = drawn[1:] + ("K" if drawn[0] != "K" else "T")
        fresh = iter(drawn)
        digits = str(int(self.person.keys.pseudonym("surrogate initials", piece), 16))
        return "".join(
            digits[at % len(digits)]
            if letter.isdigit()
            else _case(letter, next(fresh, ""))
            if letter.isalpha()
            else letter
            for at, letter in enumerate(piece)
        )

    def _letters_of(self, letters: str) -> Iterator[str]:
        """The initials of the surrogate of whoever has these; nothing where nobody has."""
        if any(letters in name.initials for name in self._own):
            parts = ["given", *("middle" for _ in letters[2:3]), *("family" for _ in letters[1:2] + letters[3:])]
            yield from (self._surrogate(_Role("", part), Category.NAME)[0] for part in parts)
            return
        owner = next((name for name in self._met if letters in name.initials), None)
        if owner is None:
            return
        for at in range(len(letters)):
            last = at == len(letters) - 1
            role = (
                _Role(owner.family[0], "family") if last else _Role(owner.given[min(at, len(owner.given) - 1)], "given")
            )
            yield self._surrogate(role, self._category(role, Category.NAME))[0]


def _last_word(before: str) -> str:
    """The word that what follows belongs to, in lower case: `Mrs. `, `her son, `."""
    match = re.search(r"([A-Za-z]+)\.?[,:]?\s*$", before)
    return match[1].lower() if match else ""


def _same(word: str, known: str) -> bool:
    return word == known or (len(known) >= 5 and one_error_apart(word, known))


def _is_ending(piece: str, word: Word) -> bool:
    """The `s` of a genitive."""
    return word.folded == "s" and word.start > 1 and piece[word.start - 1] in "'’"


def _is_particle(piece: str, word: Word) -> bool:
    """Van, de, O': small words, and letters that an apostrophe ties to the next."""
    if len(word.folded) == 1:
        return piece[word.end : word.end + 1] in ("'", "’")
    return word.folded in PARTICLES


def _case(like: str, letter: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()

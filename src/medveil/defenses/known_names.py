"""Finding the names of known people in a text: in any order, by initials, and with one typing error."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from medveil.cohort.identifiers import Category
from medveil.defenses.found import Found
from medveil.defenses.ordinary_words import ABBREVIATIONS, is_ordinary
from medveil.defenses.person_name import DEGREES, DOCTOR_TITLES, PARTICLES, TITLES, PersonName
from medveil.defenses.spelling import Word, one_error_apart, shortened

SHORTEST_ALONE = 4  # letters; shorter names are also syllables, and need another name beside them
SHORTEST_MISTYPED = 5  # and of four letters beside another name
_BETWEEN = frozenset(" \t\r\n,.^'’‐‑-_=&/\\\"()[]:~·\u00a0")
_LONGEST_GAP = 24  # a line break and the indentation after it
_LABELS = frozenset({"patient", "name", "pt", "surname", "family", "given", "forename", "nombre", "nom"})
# "Stone 76M", "Stone is a 54-year-old"
_AGED = re.compile(r"(?:\s+is an?)?\s+\d{1,3}\s?-?(?:[MFy]|yo)", re.ASCII)
# "rad: AF", "OP/me", "OP:gm", "- CO 8 Jun": whose initials end a report
_SIGNING = re.compile(
    r"(?:\b(?:rad|tech|read|dict\w*|sign\w*|md|by|init\w*)\s?[:.]\s?|^-\s)$", re.IGNORECASE | re.MULTILINE
)
_TYPIST = re.compile(r"\s?[/:]\s?[a-z]{2,3}\b")
_NO_INITIALS = frozenset({"md", "do", "pa", "am", "pm", "rn", "ms", "ba", "bs", "us"})
_CAPITALS, _SMALL = re.compile("[A-Z]"), re.compile("[a-z]")
_TIES = frozenset("-'’‐‑")
_MONTHS = frozenset({"april", "may", "june", "march", "august"})


@dataclass(frozen=True, slots=True)
class _Part:
    """One word of one person's name."""

    person: int
    word: str
    joined: bool


@dataclass(slots=True)
class _Hit:
    """A word of the text that is, or may be, a part of names: `sure` ones count alone."""

    parts: list[_Part]
    exact: bool
    sure: bool
    words: int = 1  # of the text, where a compound is written apart
    people: set[int] = field(default_factory=set)


class KnownNames:
    def __init__(self, names: Iterable[tuple[Category, str]]) -> None:
        self.people: list[tuple[Category, PersonName]] = []
        for category, value in names:
            self.people += [(category, name) for name in PersonName.all_of(value)]
        self._parts: dict[str, list[_Part]] = defaultdict(list)
        self._shortened: dict[str, set[str]] = defaultdict(set)
        self._initials: dict[str, set[int]] = defaultdict(set)
        for person, (_, name) in enumerate(self.people):
            for word in name.parts:
                self._parts[word].append(_Part(person, word, joined=False))
            for word in name.joined:
                self._parts[word].append(_Part(person, word, joined=True))
            for initials in name.initials:
                self._initials[initials].add(person)
        for word in self._parts:
            if len(word) >= SHORTEST_MISTYPED - 1:
                for short in shortened(word):
                    self._shortened[short].add(word)
        self._lengths = frozenset(length for word in self._parts for length in range(len(word) - 1, len(word) + 2))
        # One error leaves the beginning or the end of a word as it was.
        long = [word for word in self._parts if len(word) >= SHORTEST_ALONE]
        self._beginnings = frozenset(start for word in long for start in (word[:2], word[0] + word[2]))
        self._endings = frozenset(word[-2:] for word in long)
        # Two words that may begin a compound of three.
        self._openings = frozenset(word[:end] for word in self._parts for end in range(3, len(word)) if len(word) > 5)
        self._near_words: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.people)

    def find(self, text: str, words: list[Word]) -> Iterator[Found]:
        shouted = _shouted(text)
        hits = self._hits(text, words, shouted)
        taken = self._taken(text, words, hits, shouted)
        yield from self._spans(text, words, hits, taken)
        yield from self._initials_in(text, words)

    def matches(self, word: str) -> bool:
        """For a burned-in word: no context is needed there, only enough letters."""
        if len(word) < 3 and word in ABBREVIATIONS:
            return False
        if len(word) > 1 and (word in self._parts or word in self._initials):
            return True
        return not is_ordinary(word) and any(len(known) >= SHORTEST_MISTYPED for known in self._near(word))

    def _near(self, word: str) -> frozenset[str]:
        """Known words that one typing error turns into this one."""
        if word[:2] not in self._beginnings and word[-2:] not in self._endings:
            return frozenset()
        if len(word) not in self._lengths or len(word) < SHORTEST_ALONE - 1:
            return frozenset()
        if word not in self._near_words:
            self._near_words[word] = frozenset(self._one_error_away(word))
        return self._near_words[word]

    def _one_error_away(self, word: str) -> set[str]:
        found = set(self._shortened.get(word, ()))
        for short in shortened(word):
            if short in self._parts and len(short) >= SHORTEST_MISTYPED - 1:
                found.add(short)
            for candidate in self._shortened.get(short, ()):
                if one_error_apart(word, candidate):
                    found.add(candidate)
        return found

    def _hits(self, text: str, words: list[Word], shouted: bool) -> dict[int, _Hit]:
        hits: dict[int, _Hit] = {}
        last = len(words) - 1
        for at, word in enumerate(words):
            if at < last and (hit := self._written_apart(text, words, at)):
                hits[at] = hit
            elif found := self._alone(word, shouted):
                hits[at] = found
        return hits

    def _written_apart(self, text: str, words: list[Word], at: int) -> _Hit | None:
        """A compound or a word broken in two: O'Brien for obrien, Pem berton for pemberton."""
        one, two = words[at], words[at + 1]
        pair = one.folded + two.folded
        tied = two.start == one.end + 1 and text[one.end] in _TIES
        if tied and len(pair) > SHORTEST_ALONE and pair not in self._parts and (near := self._near(pair)):
            parts = [part for word in near for part in self._parts[word]]
            return _Hit(parts, exact=False, sure=True, words=2)
        three = words[at : at + 3]
        written = "".join(word.folded for word in three) if len(three) == 3 and pair in self._openings else ""
        if written in self._parts and _tied(text, three):
            return _Hit(self._parts[written], exact=True, sure=True, words=3)
        if pair in self._parts and len(pair) > SHORTEST_ALONE and _tied(text, words[at : at + 2]):
            return _Hit(self._parts[pair], exact=True, sure=True, words=2)
        return None

    def _alone(self, word: Word, shouted: bool) -> _Hit | None:
        if parts := self._parts.get(word.folded):
            sure = len(word.folded) >= SHORTEST_ALONE and not is_ordinary(word.folded)
            return _Hit(parts, exact=True, sure=sure)
        near = self._near(word.folded)
        if not near:
            return None
        parts = [part for known in near for part in self._parts[known]]
        long = max(map(len, near)) >= SHORTEST_MISTYPED
        sure = long and not is_ordinary(word.folded) and (word.capital or shouted or len(word.folded) >= 7)
        return _Hit(parts, exact=False, sure=sure)

    def _taken(self, text: str, words: list[Word], hits: dict[int, _Hit], shouted: bool) -> dict[int, set[int]]:
        """The hits that are names here, with the people they may be."""
        taken: dict[int, set[int]] = {}
        for at, hit in hits.items():
            people = {part.person for part in hit.parts}
            if hit.sure or self._called(text, words, at, hit, shouted):
                taken[at] = people
            elif beside := self._beside(text, words, hits, at, hit):
                taken[at] = beside
        return taken

    def _called(self, text: str, words: list[Word], at: int, hit: _Hit, shouted: bool) -> bool:
        """Whether a title, a label or a degree says that this is a name, or its capital letter in a sentence."""
        word, last = words[at], words[at + hit.words - 1]
        after = words[at + hit.words] if at + hit.words < len(words) else None
        if after and after.capital and after.folded in DEGREES and _close(text, last, after):
            return True
        if after and word.capital and _AGED.match(text, last.end):
            return True
        if at == 0:
            return False
        before = words[at - 1]
        gap = text[before.end : word.start]
        if before.folded in TITLES and len(gap) <= 3 and word.capital:
            return True
        if before.folded in _LABELS and (":" in gap or "=" in gap) and len(gap) <= _LONGEST_GAP:
            return True
        return hit.exact and self._mid_sentence(text, before, word, after, gap, shouted)

    def _mid_sentence(self, text: str, before: Word, word: Word, after: Word | None, gap: str, shouted: bool) -> bool:
        """A capital where running text has none. A month before a number, or after "in", is a month."""
        if shouted or not word.capital or gap not in (" ", ", "):
            return False
        if gap == ", " and text[word.end : word.end + 1] == "," and len(word.folded) >= SHORTEST_ALONE:
            return True
        if word.written.isupper():
            return False
        if not before.written.islower() or len(word.folded) < SHORTEST_ALONE:
            return False
        if word.folded in _MONTHS and (
            before.folded in ("in", "since", "of", "last", "on", "from", "until", "this")
            or (after is not None and after.folded[0].isdigit())
        ):
            return False
        return after is None or not (after.capital and text[word.end : after.start] == " ")

    def _beside(self, text: str, words: list[Word], hits: dict[int, _Hit], at: int, hit: _Hit) -> set[int]:
        """The people of whom another name, or a capital initial, stands next to this one."""
        found: set[int] = set()
        if is_ordinary(words[at].folded) and not words[at].capital:
            return found  # "Pemberton may have", where May is the given name
        mine = defaultdict(set)
        for part in hit.parts:
            mine[part.person].add(part.word)
        for other in self._neighbours(text, words, hits, at, hit.words):
            neighbour = hits.get(other)
            if neighbour and (neighbour.sure or neighbour.exact or hit.exact):
                if not (neighbour.sure or hit.sure) and not (words[at].capital and words[other].capital):
                    continue
                found |= {part.person for part in neighbour.parts if mine.get(part.person, set()) - {part.word}}
            elif self._is_initial(text, words[other], strict=is_ordinary(words[at].folded)) and words[at].capital:
                letter = words[other].folded
                found |= {
                    person
                    for person, own in mine.items()
                    if any(part[0] == letter and part not in own for part in self.people[person][1].parts)
                }
        return found

    def _neighbours(self, text: str, words: list[Word], hits: dict[int, _Hit], at: int, length: int) -> Iterator[int]:
        """The nearest words before and after, past an initial or a particle."""
        before = at - 1
        for _ in range(3):
            if before < 0 or not _close(text, words[before], words[before + 1]):
                break
            yield before
            if before in hits or (len(words[before].folded) > 1 and words[before].folded not in PARTICLES):
                break
            before -= 1
        after = at + length
        for _ in range(3):
            if after >= len(words) or not _close(text, words[after - 1], words[after]):
                break
            yield after
            if after in hits or (len(words[after].folded) > 1 and words[after].folded not in PARTICLES):
                break
            after += 1

    @staticmethod
    def _is_initial(text: str, word: Word, *, strict: bool) -> bool:
        """A capital letter alone; for a name that is also a word it must have its full stop."""
        if len(word.folded) != 1 or not word.written.isupper():
            return False
        return not strict or text[word.end : word.end + 1] == "."

    def _spans(
        self, text: str, words: list[Word], hits: dict[int, _Hit], taken: dict[int, set[int]]
    ) -> Iterator[Found]:
        """Neighbouring words of one person as one find, with the initials and particles between and around them."""
        done = -1
        for at in sorted(taken):
            if at <= done:
                continue
            people, first, last = taken[at], at, at + hits[at].words - 1
            while (more := self._grown(text, words, hits, people, last, 1)) is not None:
                last, people = more
            while first > done + 1 and (more := self._grown(text, words, hits, people, first, -1)) is not None:
                first, people = more
            done = last
            if last > first and last + 1 < len(words) and self._ends_a_name(text, words[last], words[last + 1]):
                last += 1
                done = last
            end = words[last].end
            if len(words[last].folded) == 1 and text[end : end + 1] == ".":
                end += 1
            yield Found(words[first].start, end, self._category(text, words, first, last, people))

    @staticmethod
    def _ends_a_name(text: str, word: Word, after: Word) -> bool:
        """A middle initial that was not known: "Smith, John R" at the end of its line or column."""
        if len(after.folded) != 1 or not after.written.isupper() or text[word.end : after.start] != " ":
            return False
        rest = text[after.end : after.end + 2]
        return not rest[:1].isalnum() and not rest[1:].islower()

    def _grown(
        self, text: str, words: list[Word], hits: dict[int, _Hit], people: set[int], edge: int, step: int
    ) -> tuple[int, set[int]] | None:
        """The next word outwards that belongs to these people, over one that only accompanies names."""
        for reach in (1, 2, 3):
            at = edge + step * reach
            if not 0 <= at < len(words):
                return None
            inner = at - step
            if not _close(text, words[min(at, inner)], words[max(at, inner)]):
                return None
            if (hit := hits.get(at)) and (same := people & {part.person for part in hit.parts}):
                if hit.sure or words[at].capital or not is_ordinary(words[at].folded):
                    return at + (hit.words - 1 if step > 0 else 0), same
                return None
            word = words[at]
            fits = {person for person in people if any(p[0] == word.folded for p in self.people[person][1].parts)}
            if len(word.folded) == 1 and word.written.isupper() and fits:
                dotted = text[word.end : word.end + 1] == "."
                far = len(text[words[min(at, inner)].end : words[max(at, inner)].start]) > 2
                if reach == 1 and (dotted or not far):
                    return at, fits
            if any(word.folded in self.people[person][1].particles for person in people) and reach == 1:
                if step < 0 or self._leads_on(words, hits, people, at, step):
                    return at, people
                return None
            if len(word.folded) > 1 and word.folded not in PARTICLES:
                return None
        return None

    @staticmethod
    def _leads_on(words: list[Word], hits: dict[int, _Hit], people: set[int], at: int, step: int) -> bool:
        """Whether a particle is followed by more of the name."""
        for further in (at + step, at + 2 * step, at + 3 * step):
            if (hit := hits.get(further)) and people & {part.person for part in hit.parts}:
                return True
        return False

    def _category(self, text: str, words: list[Word], first: int, last: int, people: set[int]) -> Category:
        """NAME where it may be the patient's, unless a title or degree says doctor."""
        kinds = {self.people[person][0] for person in people}
        titled = first > 0 and words[first - 1].folded in DOCTOR_TITLES
        graded = last + 1 < len(words) and words[last + 1].folded in DEGREES and words[last + 1].capital
        if Category.DOCTOR in kinds and (titled or graded or Category.NAME not in kinds):
            return Category.DOCTOR
        return Category.NAME if Category.NAME in kinds else min(kinds)

    def _initials_in(self, text: str, words: list[Word]) -> Iterator[Found]:
        """J.S. with full stops, or JS in capitals where that is no abbreviation."""
        for at, word in enumerate(words):
            if not word.written.isupper():
                continue
            if 2 <= len(word.folded) <= 4:
                if word.folded in self._initials and (
                    not is_ordinary(word.folded)
                    or _TYPIST.match(text, word.end)
                    or _SIGNING.search(text, max(word.start - 16, 0), word.start)
                ):
                    yield Found(word.start, word.end, Category.INITIALS)
            elif len(word.folded) == 1 and text[word.end : word.end + 1] == ".":
                yield from self._dotted(text, words, at)

    def _dotted(self, text: str, words: list[Word], at: int) -> Iterator[Found]:
        letters, last = words[at].folded, at
        while last + 1 < len(words) and len(words[last + 1].folded) == 1 and words[last + 1].written.isupper():
            if text[words[last].end : words[last + 1].start] not in (".", ". "):
                return
            last += 1
            letters += words[last].folded
            if letters in self._initials and letters not in _NO_INITIALS:
                end = words[last].end
                yield Found(words[at].start, end + (text[end : end + 1] == "."), Category.INITIALS)
                return


def _tied(text: str, words: list[Word]) -> bool:
    """Whether words make up one: by a hyphen or apostrophe, or by a blank where neither is a word of its own."""
    gaps = [text[one.end : other.start] for one, other in pairwise(words)]
    if all(gap in _TIES for gap in gaps):
        return True
    if any(len(gap) > 2 or gap.strip(" -'’‐‑\n_.") for gap in gaps):
        return False
    return not any(is_ordinary(word.folded) and len(word.folded) > 1 for word in words)


def _close(text: str, one: Word, other: Word) -> bool:
    """Whether only blanks, a line break or the punctuation of names stands between two words."""
    gap = text[one.end : other.start]
    if len(gap) > _LONGEST_GAP or not _BETWEEN.issuperset(gap):
        return False
    # a full stop ends an initial or a title, and otherwise a sentence
    return ". " not in gap or len(one.folded) <= 2


def _shouted(text: str) -> bool:
    """Whether a text is in capitals throughout, so that they say nothing."""
    capitals, small = len(_CAPITALS.findall(text)), len(_SMALL.findall(text))
    return capitals > 4 * small

"""Finding the names of known people in a text: in any order, by initials, and with one typing error.

Initials alone count with full stops (J.S.), or in capitals (JS) where that is no abbreviation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from medveil.person.identifiers import Category
from medveil.person.name import DEGREES, DOCTOR_TITLES, PARTICLES, TITLES
from medveil.person.normalised import Word
from medveil.person.search.name_index import SHORTEST_ALONE, Hit, NameIndex, shouted
from medveil.person.search.ordinary_words import is_ordinary
from medveil.person.span import Span

_BETWEEN = frozenset(" \t\r\n,.^'’‐‑-_=&/\\\"()[]:~·\u00a0")
_LONGEST_GAP = 24  # a line break and the indentation after it
_LABELS = frozenset({"patient", "name", "pt", "surname", "family", "given", "forename", "nombre", "nom"})
# "Stone 76M", "Stone is a 54-year-old"
_AGED = re.compile(r"(?:\s+is an?)?\s+\d{1,3}\s?-?(?:[MFy]|yo)", re.ASCII)
_MONTHS = frozenset({"april", "may", "june", "march", "august"})
_MOST_INITIALS = 4  # letters
# "rad: AF", "OP/me", "OP:gm", "- CO 8 Jun": whose initials end a report
_SIGNING = re.compile(
    r"(?:\b(?:rad|tech|read|dict\w*|sign\w*|md|by|init\w*)\s?[:.]\s?|^-\s)$", re.IGNORECASE | re.MULTILINE
)
_TYPIST = re.compile(r"\s?[/:]\s?[a-z]{2,3}\b")
_DEGREES_AND_HOURS = frozenset({"md", "do", "pa", "am", "pm", "rn", "ms", "ba", "bs", "us"})


class KnownNames:
    def __init__(self, names: Iterable[tuple[Category, str]]) -> None:
        self._index = NameIndex(names)
        self.people = self._index.people

    def __bool__(self) -> bool:
        return bool(self.people)

    def find(self, text: str, words: list[Word]) -> Iterator[Span]:
        loud = shouted(text)
        hits = self._index.hits(text, words, loud)
        taken = self._taken(text, words, hits, loud)
        yield from self._spans(text, words, hits, taken)
        yield from initials_in(text, words, self._index.initials)

    def matches(self, word: str) -> bool:
        """For a burned-in word: no context is needed there, only enough letters."""
        return self._index.matches(word)

    def _taken(self, text: str, words: list[Word], hits: dict[int, Hit], loud: bool) -> dict[int, set[int]]:
        """The hits that are names here, with the people they may be."""
        taken: dict[int, set[int]] = {}
        for at, hit in hits.items():
            people = {part.person for part in hit.parts}
            if hit.sure or self._called(text, words, at, hit, loud):
                taken[at] = people
            elif beside := self._beside(text, words, hits, at, hit):
                taken[at] = beside
        return taken

    def _called(self, text: str, words: list[Word], at: int, hit: Hit, loud: bool) -> bool:
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
        if word.capital and gap == " " and self._has_particle(hit, before):
            return True
        if before.folded in _LABELS and (":" in gap or "=" in gap) and len(gap) <= _LONGEST_GAP:
            return True
        return hit.exact and self._mid_sentence(text, before, word, after, gap, loud)

    def _has_particle(self, hit: Hit, before: Word) -> bool:
        """The whole family name, though its last word is one of the language: "de Wit"."""
        return any(before.folded in self.people[part.person][1].particles for part in hit.parts)

    def _mid_sentence(self, text: str, before: Word, word: Word, after: Word | None, gap: str, loud: bool) -> bool:
        """A capital where running text has none. A month before a number, or after "in", is a month."""
        if loud or not word.capital or gap not in (" ", ", "):
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

    def _beside(self, text: str, words: list[Word], hits: dict[int, Hit], at: int, hit: Hit) -> set[int]:
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

    def _neighbours(self, text: str, words: list[Word], hits: dict[int, Hit], at: int, length: int) -> Iterator[int]:
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

    def _spans(self, text: str, words: list[Word], hits: dict[int, Hit], taken: dict[int, set[int]]) -> Iterator[Span]:
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
            yield Span(words[first].start, end, self._category(text, words, first, last, people))

    @staticmethod
    def _ends_a_name(text: str, word: Word, after: Word) -> bool:
        """A middle initial that was not known: "Smith, John R" at the end of its line or column."""
        if len(after.folded) != 1 or not after.written.isupper() or text[word.end : after.start] != " ":
            return False
        rest = text[after.end : after.end + 2]
        return not rest[:1].isalnum() and not rest[1:].islower()

    def _grown(
        self, text: str, words: list[Word], hits: dict[int, Hit], people: set[int], edge: int, step: int
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
    def _leads_on(words: list[Word], hits: dict[int, Hit], people: set[int], at: int, step: int) -> bool:
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


def _close(text: str, one: Word, other: Word) -> bool:
    """Whether only blanks, a line break or the punctuation of names stands between two words."""
    gap = text[one.end : other.start]
    if len(gap) > _LONGEST_GAP or not _BETWEEN.issuperset(gap):
        return False
    # a full stop ends an initial or a title, and otherwise a sentence
    return ". " not in gap or len(one.folded) <= 2


def initials_in(text: str, words: list[Word], known: Collection[str]) -> Iterator[Span]:
    for at, word in enumerate(words):
        if not word.written.isupper():
            continue
        if 2 <= len(word.folded) <= _MOST_INITIALS:
            if word.folded in known and (not is_ordinary(word.folded) or _signs(text, word)):
                yield Span(word.start, word.end, Category.INITIALS)
        elif len(word.folded) == 1 and text[word.end : word.end + 1] == ".":
            yield from _dotted(text, words[at : at + _MOST_INITIALS], known)


def _signs(text: str, word: Word) -> bool:
    return bool(_TYPIST.match(text, word.end) or _SIGNING.search(text, max(word.start - 16, 0), word.start))


def _dotted(text: str, words: list[Word], known: Collection[str]) -> Iterator[Span]:
    first = last = words[0]
    letters = first.folded
    for word in words[1:]:
        if len(word.folded) > 1 or not word.written.isupper() or text[last.end : word.start] not in (".", ". "):
            return
        last = word
        letters += word.folded
        if letters in known and letters not in _DEGREES_AND_HOURS:
            yield Span(first.start, last.end + (text[last.end : last.end + 1] == "."), Category.INITIALS)
            return

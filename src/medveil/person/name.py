"""A person's name taken apart: family name, given names, and what only comes along with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from medveil.person.normalised import Word, spellings, words_of

# Small words of a family name: on their own they name nobody.
_PARTICLE_WORDS = """
o d l van von der den de del della di da dos du la le les el al bin ibn ben abu abd af av of ter ten te op t zu zur
zum st ste san santa mac mc fitz ap ni nic y e i und saint sankt
"""
_TITLE_WORDS = """
mr mrs ms miss mx dr doctor prof professor sir madam mme mlle frau herr senor senora rev fr
"""
_DEGREE_WORDS = """
md mbbs frcr phd rn np jr iii msc bsc frcs mrcp dnb ffrrcsi facr rtr mbchb dds dmd rdms
"""
_NO_NAMES = "sr ii iv rt r do pa unknown anonymous none na null test"
PARTICLES = frozenset(_PARTICLE_WORDS.split())
TITLES = frozenset(_TITLE_WORDS.split())
DOCTOR_TITLES = frozenset({"dr", "doctor", "prof", "professor", "drs"})
DEGREES = frozenset(_DEGREE_WORDS.split())
_DROPPED = TITLES | DEGREES | frozenset(_NO_NAMES.split())


@dataclass(frozen=True)
class PersonName:
    """Folded parts. `family` and `given` are words of their own; `joined` are compounds written as one."""

    family: tuple[str, ...]
    given: tuple[str, ...]
    joined: frozenset[str]
    particles: frozenset[str]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        return self.family + self.given

    @cached_property
    def initials(self) -> frozenset[str]:
        """JS, JMS and, for a family name of several words, with each of their letters."""
        if not self.family or not self.given:
            return frozenset()
        given = "".join(part[0] for part in self.given)
        families = {self.family[0][0], "".join(part[0] for part in self.family)}
        return frozenset(front + family for front in (given[0], given) for family in families)

    @classmethod
    @lru_cache(maxsize=4096)
    def all_of(cls, text: str) -> tuple[PersonName, ...]:
        """The names in a DICOM person name (with its other scripts) or a name written any other way."""
        scripts = (script for value in re.split(r"[\\;]", text) for script in value.split("="))
        return tuple(name for script in scripts if (name := cls._of(script)))

    @classmethod
    def _of(cls, text: str) -> PersonName | None:
        family, given = _split(text)
        parts, joined, particles = [], set(), set()
        for side in (family, given):
            kept = []
            words = [word for word in words_of(side) if word.folded not in _DROPPED and not word.folded.isdigit()]
            for word in words:
                if word.folded in PARTICLES and len(words) > 1:
                    particles.add(word.folded)
                else:
                    kept.append(word)
            parts.append(kept)
            joined |= _compounds(words)
        if not any(parts):
            return None
        one, other = (tuple(dict.fromkeys(word.folded for word in kept)) for kept in parts)
        variants = {variant for kept in parts for word in kept for variant in spellings(word.written)}
        if one and other:
            joined |= {one[0] + other[0], other[0] + one[0], other[0][0] + one[0], one[0] + other[0][0]}
        return cls(one, other, frozenset((joined | variants) - set(one) - set(other)), frozenset(particles))


def _split(text: str) -> tuple[str, str]:
    """Family and given names: by the caret of DICOM, by the comma, else the last word is the family's."""
    if "^" in text:
        family, _, rest = text.partition("^")
        given = " ".join(rest.split("^")[:2])  # prefix and suffix name nobody
        return family, given
    family, comma, given = text.partition(",")
    if comma and not all(word.folded in _DROPPED for word in words_of(given)):
        return family, given
    words = words_of(family)
    while words and words[-1].folded in _DROPPED:
        words.pop()
    start = len(words) - 1
    while start > 0 and (words[start - 1].folded in PARTICLES or _bound(family, words[start - 1], words[start])):
        start -= 1
    if start <= 0:
        return family, ""
    return family[words[start].start :], family[: words[start].start]


def _bound(text: str, one: Word, other: Word) -> bool:
    """Whether a hyphen or an apostrophe ties two words together."""
    return text[one.end : other.start] in ("-", "'", "’", "‐", "‑")


def _compounds(words: list[Word]) -> set[str]:
    """Neighbouring words written as one: smithjones, obrien, vanderberg."""
    folded = [word.folded for word in words]
    return {"".join(folded[start:end]) for start in range(len(folded)) for end in range(start + 2, len(folded) + 1)}

"""A person's name taken apart: family name, given names, and what only comes along with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from medveil.person.normalised import Word, spellings, words_of

# What only comes along with a name, in two widths: a known name is taken apart by the narrow one, for many a rare
# degree or title is also somebody's name (Ota, Bishop); a name in a running text is read by the wide one.

# Small words of a family name: on their own they name nobody.
_COMMON_PARTICLES = frozenset(
    "van von der den de del della di da dos du la le el al bin ibn ben abu ter ten op t zu zur zum st san santa mac mc "
    "ap ni o y e".split()
)
PARTICLES = _COMMON_PARTICLES | frozenset("d l les abd af av of te ste fitz nic i und saint sankt".split())
PARTICLES_IN_TEXT = _COMMON_PARTICLES | {"bint", "das", "des", "las", "los", "do", "saint"}

GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})

_COMMON_TITLES = frozenset("mr mrs ms miss mx sir madam mme mlle frau herr senor senora rev".split())
DOCTOR_TITLES = frozenset({"dr", "doctor", "prof", "professor", "drs"})
TITLES = _COMMON_TITLES | {"fr", "dr", "doctor", "prof", "professor"}
TITLES_IN_TEXT = _COMMON_TITLES | frozenset(
    "messrs sra signor signora dhr mevr sister father atty sgt capt officer detective pastor rabbi engr sh smt shri "
    "barr alhaji alhaja hajia deacon imam trooper constable bishop".split()
)
RANKS_IN_TEXT = frozenset(  # of people, and much else
    "chief coach col lt maj cpl gen major colonel captain sergeant lieutenant judge hon chaplain".split()
)
DOCTOR_TITLES_IN_TEXT = DOCTOR_TITLES | {"doctors", "dra", "docteur", "doktor", "nurse", "rn", "np"}
ALL_TITLES_IN_TEXT = TITLES_IN_TEXT | RANKS_IN_TEXT | DOCTOR_TITLES_IN_TEXT
ABBREVIATED_TITLES = frozenset("dr drs mr mrs ms prof atty engr sh smt shri".split())  # nobody's name

_COMMON_DEGREES = frozenset("md mbbs frcr phd rn np msc bsc frcs mrcp dnb facr rtr mbchb dds rdms".split())
DEGREES = _COMMON_DEGREES | {"ffrrcsi", "dmd", "jr", "iii"}
DEGREES_IN_TEXT = _COMMON_DEGREES | frozenset(
    "do pa pa-c pac frcp facs dpm mph mba bsn msn crnp aprn lpn dnp crna rrt rph pharmd rt arrt frcpc franzcr fccp "
    "facc fasn dabr mbbch bch bm ba bs ms cnm cns lcsw ot pt slp esq cmt rhit cnmt radiologist mrcs mrcgp frcpath "
    "fracs fracp dmrd dmre mch facp facep faap facog faan fscai edir licsw lmsw arnp agnp fnp anp emt dvm rvt rcis "
    "rdcs psyd lmft lmhc lpc lcpc mft edd cgc lgc rnc ccrn cacp bcps cde cdces dpt pta otr ota cota ccc-slp rd ldn "
    "cnsc cpnp np-c fnp-c fnp-bc acnp agacnp pmhnp cen cwocn wocn ocn cpn cnor rnfa cst faafp facmg fcsanz facem "
    "fracgp franzcp ranzcog franzcog mrcog frcog frca fanzca ffarcsi frcem mrcem mrcpch frcpch mrcpsych frcpsych "
    "frcophth dch dgo fcps bds bmbs lrcp msw lsw bcba crt rpft nremt emt-p rhia ccs cpc cphq rcp rgn fcap fascp "
    "ascp mls facnm fsir fsvm fhrs fasge facg fasco faha mrcpi frcsi frcpi fcrad mmed dphil mphil dsc od".split()
)
_LONGEST_COMPOUND = 5  # words
_DROPPED = TITLES | DEGREES | GENERATIONS | frozenset("rt r do pa unknown anonymous none na null test".split())


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
    """Neighbouring words written as one: smithjones, obrien, vanderberg; and all of them."""
    folded = [word.folded for word in words]
    all_as_one = {"".join(folded)} if len(folded) > 1 else set()
    return all_as_one | {
        "".join(folded[start:end])
        for start in range(len(folded))
        for end in range(start + 2, min(start + _LONGEST_COMPOUND, len(folded)) + 1)
    }

"""Which naming tradition a name is of, and the names of each: a Vietnamese name has a Vietnamese surrogate.

What was missed would stand out among surrogates of another part of the world. A name that is not in the lists is
told by its groups of letters; where those do not tell, it is read as English.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log
from typing import Literal

from medveil.person.normalised import fold
from medveil.person.surrogates.stock import MEN, SURNAMES, WOMEN

ENGLISH = "english"
Part = Literal["W", "M", "S"]  # women's, men's and family names
_WIDTHS = (2, 3, 4)
_SURER = 6.0  # so much likelier than an English name, in nats, must another tradition be


@dataclass(frozen=True)
class Tradition:
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]

    def names(self, part: Part) -> tuple[str, ...]:
        return {"W": self.women, "M": self.men, "S": self.surnames}[part]


@cache
def traditions() -> dict[str, Tradition]:
    read = {key: tuple(names) for key, names in _lists().items() if key[1][0] != "K"}
    others = sorted({name for name, _ in read})
    made = {name: Tradition(read[name, "W"], read[name, "M"], read[name, "S"]) for name in others}
    return {ENGLISH: Tradition(WOMEN, MEN, SURNAMES), **made}


@lru_cache(maxsize=1 << 14)
def tradition_of(name: str) -> str:
    """Of one folded word of a name."""
    listed = _of_listed().get(name)
    if listed:
        return listed
    scores = {tradition: _likelihood(name, tradition) for tradition in traditions()}
    best = max(sorted(scores), key=scores.__getitem__)
    return best if scores[best] - scores[ENGLISH] > _SURER else ENGLISH


@lru_cache(maxsize=1 << 14)
def sex_of(name: str) -> Literal["F", "M"] | None:
    """Whose given name a folded word is, where the lists tell."""
    woman, man = name in _given()["W"], name in _given()["M"]
    return None if woman == man else "F" if woman else "M"


def is_given(name: str) -> bool:
    """Whether a folded word is a given name and no family name by the lists."""
    return any(name in names for names in _given().values()) and name not in _surnames()


def is_family(name: str) -> bool:
    """Whether a folded word is a family name by the lists."""
    return name in _surnames() or name in _known_names()


@cache
def _known_names() -> frozenset[str]:
    given = _given()["W"] | _given()["M"]
    named = {fold(name) for (_, part), names in _lists().items() if part == "K" for name in names}
    return frozenset(named - given)


@cache
def _lists() -> dict[tuple[str, str], list[str]]:
    found = {}
    text = files(__package__).joinpath("traditions.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            tradition, part, names = line.split("|")
            found[tradition, part] = names.split()
    return found


@cache
def _of_listed() -> dict[str, str]:
    """Names of one tradition alone; those that several share are told by none of them."""
    found: dict[str, set[str]] = defaultdict(set)
    for (tradition, _), names in _lists().items():
        for name in names:
            found[fold(name).replace("'", "")].add(tradition)
    for name in (*WOMEN, *MEN, *SURNAMES):
        found[fold(name)].add(ENGLISH)
    return {name: min(where) for name, where in found.items() if len(where) == 1}


@cache
def _given() -> dict[str, frozenset[str]]:
    """Women's and men's names, the known among them."""
    drawn: dict[Part, set[str]] = {
        part: {fold(name) for one in traditions().values() for name in one.names(part)} for part in ("W", "M")
    }
    for (_, part), names in _lists().items():
        if part in ("KW", "KM"):
            drawn["W" if part == "KW" else "M"].update(map(fold, names))
    return {part: frozenset(names) for part, names in drawn.items()}


@cache
def _surnames() -> frozenset[str]:
    return frozenset(fold(name) for one in traditions().values() for name in one.surnames)


def _groups(name: str) -> list[str]:
    framed = f"^{name}$"
    return [framed[at : at + width] for width in _WIDTHS for at in range(len(framed) - width + 1)]


@cache
def _counts() -> tuple[dict[str, Counter[str]], int]:
    """How often each group of letters occurs in the names of each tradition, and how many groups there are."""
    counts: dict[str, Counter[str]] = {ENGLISH: Counter()}
    for (tradition, _), names in _lists().items():
        counts.setdefault(tradition, Counter()).update(group for name in names for group in _groups(fold(name)))
    counts[ENGLISH].update(group for names in (WOMEN, MEN, SURNAMES) for name in names for group in _groups(fold(name)))
    return counts, len(set().union(*counts.values()))


def _likelihood(name: str, tradition: str) -> float:
    counts, kinds = _counts()
    own, total = counts[tradition], counts[tradition].total() + 0.1 * kinds
    return sum(log((own[group] + 0.1) / total) for group in _groups(name))

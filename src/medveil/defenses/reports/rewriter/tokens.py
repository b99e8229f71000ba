"""A text with placeholders as words: placeholders, runs of letters, runs of digits, signs; and its sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medveil.person.identifiers import Category

KINDS = ("", "PATIENT", "REMOVED", *(category.replace("_", " ") for category in Category))
OLD = "[AGE OVER 89]"
_NAMED = "|".join(kind for kind in KINDS if kind)
PLACEHOLDER = re.compile(rf"\[(?:PATIENT\s[0-9a-f]+|{_NAMED})\]")
_TOKEN = re.compile(rf"(\s*)(\[(?:PATIENT\s[0-9a-f]+|{_NAMED})\]|[^\W\d_]+|\d+|[^\w\s]|_+)")
ENDS = frozenset(".!?")
_SHORT = frozenset("dr mr mrs ms prof st drs no sr tel ref acc rev col ext capt sgt smt sra reg lt fr jr vs".split())
_WRAPPED = 45  # characters: a line at least so long may go on in the next


@dataclass(frozen=True)
class Token:
    """`gap` is the space before it, `kind` what a placeholder stands for, empty for other words."""

    text: str
    gap: str
    kind: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_word(self) -> bool:
        return not self.kind and self.text[0].isalpha()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


def read(text: str) -> list[Token]:
    """Every character that is no space belongs to one."""
    return [Token(one[2], one[1], _kind(one[2]), one.start(2)) for one in _TOKEN.finditer(text)]


def _kind(word: str) -> str:
    if len(word) < 3 or word[0] != "[":
        return ""
    return "PATIENT" if word.startswith("[PATIENT") else word[1:-1]


def sentences(tokens: Sequence[Token]) -> list[range]:
    """Those with a placeholder; a line that goes on in the next is not the end of one."""
    found, start, line = [], 0, 0
    for place in range(1, len(tokens) + 1):
        if place < len(tokens) and not _parted(tokens, place, tokens[place - 1].end - line):
            continue
        if any(token.kind for token in tokens[start:place]):
            found.append(range(start, place))
        start = place
        line = tokens[place].start if place < len(tokens) and "\n" in tokens[place].gap else line
    return found


def _parted(tokens: Sequence[Token], place: int, line: int) -> bool:
    before, after = tokens[place - 1], tokens[place]
    lines = after.gap.count("\n") or after.gap.count("\r")
    if lines:
        goes_on = line >= _WRAPPED and lines == 1 and before.text not in ENDS
        return not goes_on
    if before.text not in ENDS or not after.gap:
        return False
    word = tokens[place - 2].text if place > 1 and not before.gap else ""
    return not (word.lower() in _SHORT or (len(word) == 1 and word.isalpha()))

"""Which burned-in words say nothing about a person: side, view, position, exposure, time in a series; all else may."""

from __future__ import annotations

import re
import unicodedata

from medveil.defenses.pixels.read.alphabet import OTHER

SIDES = frozenset({"L", "R", "LT", "RT", "LEFT", "RIGHT"})
WORDS = SIDES | {
    *("AP", "PA", "LAT", "LATERAL", "LL", "RL", "FRONTAL", "OBL", "OBLIQUE", "LAO", "RAO", "LPO", "RPO", "AXIAL"),
    *("LORDOTIC", "DECUB", "DECUBITUS", "LLD", "RLD", "XTABLE", "CROSSTABLE"),
    *("ERECT", "UPRIGHT", "SUPINE", "PRONE", "SEMI", "SITTING", "STANDING", "RECUMBENT"),
    *("SEMIERECT", "SEMIUPRIGHT", "SEMISUPINE", "SEMIRECUMBENT"),
    *("PORTABLE", "PORT", "MOBILE", "BEDSIDE", "CHEST", "THORAX", "CXR"),
    *("INSP", "INSPIRATION", "EXP", "EXPIRATION", "GRID"),
}
# What an exposure may be; a number that fits none of these could be anything.
_UNITS = {"KV": (35, 160), "KVP": (35, 160), "MAS": (0, 600), "MA": (1, 1300), "MS": (0, 3000), "SID": (60, 310)}
# When in a series an image was taken; a time of day may be anybody's.
_UNITS |= {**dict.fromkeys(("MIN", "MINS", "MINUTES"), (0, 90)), **dict.fromkeys(("SEC", "SECS"), (0, 120))}
_UNITS |= dict.fromkeys(("HR", "HRS", "HOURS"), (0, 72))
_NUMBER = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?")
_PIECES = re.compile(r"[A-Z]+|\d+(?:[.,]\d+)?")
_NEARLY_EXPOSURE = re.compile(rf"\d{{1,4}}(?:[.,]\d{{1,2}})? ?([A-Z{OTHER}]{{1,4}})")
_OTHER = re.compile(r"[^A-Z0-9 .,:;/()\-+=]")
_JOINED = re.compile(r"\b(SEMI|X|CROSS)-(?=[A-Z])")  # SEMI-ERECT; but A-P may be initials


def is_marker(text: str) -> bool:
    """Whether every word of it is a clinical marker, or an exposure with its unit."""
    plain = unicodedata.normalize("NFKC", text).upper().strip()
    if not plain or _OTHER.search(plain):
        return False
    words = _PIECES.findall(_JOINED.sub(r"\1", plain))
    if not words or sum(len(word) == 1 and word.isalpha() for word in words) > 1:  # L.R. is somebody
        return False
    while words:
        taken = _word(words) or _exposure(words)
        if not taken:
            return False
        words = words[taken:]
    return True


def is_short(text: str) -> bool:
    """So few letters that a part of any word could read like it."""
    return len(re.sub(r"\W", "", text)) <= 2


def holds_marker(text: str) -> bool:
    """Whether another reading may turn out a marker: it has one in it, or nearly."""
    plain = re.sub(r"[^A-Z0-9]", "", text.upper())
    shortest = 1 if len(plain) <= 2 else 2
    if is_marker(text) or any(len(word) >= shortest and word in plain for word in WORDS | _UNITS.keys()):
        return True
    if any(_begins(piece, word) for piece in re.findall(r"[A-Z0-9]+", text.upper()) for word in WORDS):
        return True
    exposure = _NEARLY_EXPOSURE.fullmatch(text.upper().strip())
    if exposure and any(_nearly(exposure[1], unit) for unit in _UNITS):
        return True
    pieces = re.findall(rf"[A-Z0-9{OTHER}]+", text.upper())
    return any(_nearly(piece, word) for piece in pieces for word in WORDS if len(word) > 2 or _unread(piece, word))


def _unread(text: str, word: str) -> bool:
    """Whether it may be the word but for a letter that could not be read."""
    return OTHER in text and len(text) == len(word)


def _begins(text: str, word: str) -> bool:
    """Whether it is the first half of the word or more: the edge of a plate may hide the end."""
    return len(text) >= max(4, len(word) / 2) and word.startswith(text)


def _nearly(text: str, word: str) -> bool:
    """Whether one character, more or less or other, makes the difference."""
    if abs(len(text) - len(word)) > 1:
        return False
    same = next((k for k, (a, b) in enumerate(zip(text, word, strict=False)) if a != b), min(len(text), len(word)))
    rest, wanted = text[same:], word[same:]
    return rest[1:] == wanted[1:] or rest == wanted[1:] or rest[1:] == wanted


def _word(words: list[str]) -> int:
    return int(words[0] in WORDS)


def _exposure(words: list[str]) -> int:
    """A number and its unit, in either order."""
    for number, unit in (words[:2], words[1::-1]) if len(words) > 1 else ():
        if unit in _UNITS and _NUMBER.fullmatch(number):
            low, high = _UNITS[unit]
            if low <= float(number.replace(",", ".")) <= high:
                return 2
    return 0

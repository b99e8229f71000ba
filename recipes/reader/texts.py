"""What the reader learns to read: markers, exposures, and as much that is neither, near misses above all."""

from __future__ import annotations

import string

import numpy as np

from medveil.defenses.pixels.decide.markers import WORDS, is_marker
from recipes.pixels.rendering import some_text

SHORT = ("L", "L", "R", "R", "AP", "PA", "LL", "RL", "LAT")
_WORDS = tuple(sorted(WORDS))
_LETTERS = string.ascii_uppercase
_SIGNS = string.ascii_uppercase * 3 + string.ascii_lowercase * 2 + string.digits * 2 + ".,:/-+()%"
_RARE = "#*&^'\"_=?!@;<>[]ÄÖÜÉßäöüéñçøłΣΩΔЖИЯДБ"
_LOOKALIKES = {"L": "IE1JFTU[", "R": "PKBAFN8", "A": "ARHN4V", "P": "RFBDP9", "E": "FBLC", "T": "IFY7", "O": "0QCD"}

_SAME_LOOK = tuple(str.maketrans(one) for one in ({}, {"0": "O", "1": "I", "l": "I"}, {"0": "O", "1": "L", "I": "L"}))


def some_line(rng: np.random.Generator) -> str:
    """One line of text, in the case it would be printed in."""
    kind = rng.random()
    if kind < 0.38:
        return marker(rng)
    if kind < 0.56:
        return near_miss(rng)
    if kind < 0.64:
        return initials(rng)
    if kind < 0.80:
        return random_signs(rng)
    text = some_text(rng)
    start = int(rng.integers(0, max(1, len(text) - 2)))
    return text[start:][: int(rng.integers(2, 22))].strip() or "?"


def marker(rng: np.random.Generator) -> str:
    kind = rng.random()
    if kind < 0.4:
        text = _pick(rng, SHORT)
        text = _pick(rng, ("{}", "{}", "{}", "{}", "({})", "{}.")).format(text)
    elif kind < 0.7:
        text = _pick(rng, _WORDS)
    elif kind < 0.85:
        text = " ".join(_pick(rng, _WORDS) for _ in range(int(rng.integers(2, 4))))
    else:
        return exposure(rng)
    return cased(rng, text.replace("SEMI", "SEMI-") if rng.random() < 0.5 and len(text) > 4 else text)


def exposure(rng: np.random.Generator) -> str:
    volts, charge = int(rng.integers(35, 161)), rng.uniform(0.3, 60)
    some = (
        *(f"{volts} kV", f"{volts} KV", f"{volts}kV", f"{volts} kVp", f"kV {volts}", f"kV: {volts}"),
        *(f"{charge:.1f} mAs", f"{charge:.0f} mAs", f"{charge:.1f} MAS", f"mAs {charge:.1f}", f"SID {volts + 60}"),
        *(f"{int(charge * 10)} mA", f"{int(charge)} ms"),
        *(f"{volts} kV {charge:.1f} mAs", f"{volts} KV {charge:.0f} MAS"),
    )
    return _pick(rng, some)


def near_miss(rng: np.random.Generator) -> str:
    """A marker with a letter more, less or another."""
    text = _pick(rng, SHORT if rng.random() < 0.4 else _WORDS)
    for _ in range(int(rng.choice((1, 1, 2)))):
        at = int(rng.integers(len(text) + 1))
        sign = _pick(rng, _LETTERS if rng.random() < 0.8 else string.digits + ".-/ ")
        kind = int(rng.integers(4))
        if kind == 0 or not text:
            text = text[:at] + sign + text[at:]
        elif kind == 1 and len(text) > 1:
            text = text[: max(at - 1, 0)] + text[max(at, 1) :]
        else:
            old = text[min(at, len(text) - 1)]
            new = _pick(rng, tuple(_LOOKALIKES.get(old, _LETTERS))) if kind == 2 else sign
            text = text[: min(at, len(text) - 1)] + new + text[min(at, len(text) - 1) + 1 :]
    return cased(rng, text.strip() or "T")


def initials(rng: np.random.Generator) -> str:
    letters = [_pick(rng, _LETTERS if rng.random() < 0.7 else "LRAP") for _ in range(int(rng.integers(1, 4)))]
    return _pick(rng, ("", "", ".", ". ", " ", "/")).join(letters) + _pick(rng, ("", "", "."))


def random_signs(rng: np.random.Generator) -> str:
    signs = _SIGNS if rng.random() < 0.75 else _LETTERS
    text = "".join(_pick(rng, signs) for _ in range(int(rng.integers(1, 12))))
    if rng.random() < 0.2:
        at = int(rng.integers(len(text) + 1))
        text = text[:at] + _pick(rng, _RARE) + text[at:]
    return text


def no_marker(rng: np.random.Generator) -> str:
    """A line that must not stay."""
    while True:
        kind = int(rng.integers(4))
        text = (near_miss, initials, random_signs, some_text)[kind](rng)
        if any(map(str.isalnum, text)) and not any(is_marker(text.translate(one)) for one in _SAME_LOOK):
            return text


def cased(rng: np.random.Generator, text: str) -> str:
    kind = rng.random()
    return text if kind < 0.7 else text.title() if kind < 0.85 else text.lower() if kind < 0.92 else text.capitalize()


def _pick(rng: np.random.Generator, choices: str | tuple[str, ...]) -> str:
    return choices[int(rng.integers(len(choices)))]

"""What nobody can do better than, whoever they are: the bound on naming a person by films made from codes.

If a released film is G(code, fresh randomness), the code one of at most 2^b, and G chosen without the person, then a
guess from the film is a guess from the code, and there are 2^b of those: the chance to name the person grows by a
factor of at most 2^b, whatever is known beforehand. docs/explanation/coded.md has the proof.
"""

from __future__ import annotations

from medveil.errors import SettingsError
from medveil.parts import Guarantee


def most_success(bits: float, people: int) -> float:
    """The greatest chance to name the right one of so many equally likely people from so many bits of their films."""
    if people < 1 or bits < 0:
        raise SettingsError("a bound needs at least one person and no fewer than zero bits")
    return min(1.0, 2.0**bits / people)


def bits_for(risk: float, people: int) -> int:
    """The most bits, of all linked films of a person together, for which nobody exceeds this risk; 0 if none do."""
    if not 0 < risk <= 1 or people < 1:
        raise SettingsError("a risk lies between 0 and 1, and there is at least one person")
    bits = 0
    while most_success(bits + 1, people) <= risk:
        bits += 1
        if most_success(bits, people) >= 1:
            break
    return bits


def guarantee(bits: int) -> Guarantee:
    return Guarantee(
        "formal",
        f"A film is made from a code of {bits} bits and fresh randomness, and from nothing else of the original: from "
        f"one film nobody, whatever they know, multiplies their chance of naming the person by more than {2**bits}; "
        f"among N equally likely people it is at most {2**bits} / N. The bits of a person's films that can be linked "
        "add up (a ledger that is named keeps the sum). It assumes that the generator was trained without the person, "
        "and that the randomness is fresh: where it is derived from the site's key, against attackers who cannot break "
        "HMAC-SHA-256 and do not have the key. It speaks of the pixels alone; what the table tells is the table's "
        "risk.",
    )

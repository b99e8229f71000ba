"""What the reader can say: letters, digits, a little punctuation, and one sign for everything else."""

from __future__ import annotations

OTHER = "\N{REPLACEMENT CHARACTER}"  # another alphabet, an accent, a letter cut in half
_SAME_SHAPE = "ckopsuvwxz"  # small letters that only their size tells from capitals: read as capitals
_SMALL = "abdefghijlmnqrty"
_LOOK_ALIKE = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕКМНОРСТУХаеорсух", "ABEZHIKMNOPTYXoABEKMHOPCTYXaeopcyx")
_NOTHING = ""
CHARACTERS = (_NOTHING, " ", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *_SMALL, *"0123456789", *".,:/-+()%", OTHER)
_PLACES = {character: place for place, character in enumerate(CHARACTERS)}


def as_read(text: str) -> str:
    """The text in the reader's own signs."""
    return "".join(_sign(character) for character in text.translate(_LOOK_ALIKE))


def places(text: str) -> list[int]:
    """The text as places in the alphabet; 0 is kept for nothing."""
    return [_PLACES[character] for character in as_read(text)]


def is_letter(character: str) -> bool:
    """Whether it is part of a word or number, of whatever alphabet."""
    return character.isalnum() or character == OTHER


def _sign(character: str) -> str:
    if character in _SAME_SHAPE:
        return character.upper()
    return character if character in _PLACES and character else OTHER

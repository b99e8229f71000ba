"""What cannot be an identifier of its kind, whatever the words around it suggest."""

from __future__ import annotations

from collections.abc import Sequence

from medveil.person.identifiers import Category

_WITH_SIGNS = {Category.URL, Category.EMAIL}
_WITH_DIGITS = {Category.PHONE, Category.FAX, Category.SSN, Category.UID}
_EVERYDAY = frozenset(
    "a am an and any are as at be but by can did do for go had has he her him his how if in is it its may me my no nor "
    "not of on or our out she so than that the them then they this to too us was we were who why will with yes yet "
    "you".split()
)


def plausible(words: Sequence[str], category: Category) -> bool:
    """Only small words in small letters are refused as initials: in capitals they may well be some."""
    if not any(word[0].isalnum() for word in words):
        return False
    if category in _WITH_SIGNS:
        return any(word[0] in ".@/" for word in words)
    if category in _WITH_DIGITS:
        return any(word[0].isdigit() for word in words)
    return not (category is Category.INITIALS and all(word in _EVERYDAY for word in words))

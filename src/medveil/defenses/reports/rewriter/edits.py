"""What is done to a text with placeholders, word by word, and the text that results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from medveil.defenses.reports.rewriter.plain_words import CLOSING
from medveil.defenses.reports.rewriter.tokens import ENDS, Token

_LOOSE = frozenset(",;:-–—/|&@#=*~")  # what joins two things, and ends nothing
_PREPOSITIONS = frozenset("at by for from in of on to under via with".split())  # with nothing behind them
_PAIRED = {"(": "(", ")": "(", '"': '"'}
Changes = dict[int, tuple[bool, tuple[str, ...]]]
"""By place: whether the token is left out, and what is written before it."""


def tidied(tokens: Sequence[Token], own: range, changes: Changes, free: Sequence[bool]) -> Changes:
    """Only what touches a placeholder is changed; signs and prepositions that join nothing any more go too."""
    gone = {place for place in own if changes.get(place, (False, ()))[0]}
    for place in own:
        if free[place] and tokens[place].text.lower() == "no":
            gone |= {place, place + 1}
    gone = _in_pairs(tokens, own, gone, free)
    kept: Changes = {}
    for left_out, run in groupby(own, gone.__contains__):
        places = list(run)
        if left_out and any(tokens[place].kind for place in places):
            words = tuple(word for place in places for word in changes.get(place, (True, ()))[1])
            kept |= dict.fromkeys(places, (True, ()))
            kept[places[0]] = (True, words)
    while more := _idle(tokens, own, kept, free):
        kept |= dict.fromkeys(more, (True, ()))
    return kept


def _in_pairs(tokens: Sequence[Token], own: range, gone: set[int], free: Sequence[bool]) -> set[int]:
    """Brackets and quotes stay or go together: they go if nothing is left between them."""
    gone, waiting = set(gone), dict[str, list[int]]()
    for place in own:
        opened = waiting.setdefault(_PAIRED.get(tokens[place].text, ""), [])
        if tokens[place].text == "(" or (tokens[place].text == '"' and not opened):
            opened.append(place)
        elif tokens[place].text in _PAIRED and opened:
            first = opened.pop()
            pair = {first, place}
            empty = all(between in gone for between in range(first + 1, place)) and free[first] and free[place]
            gone = gone | pair if empty else gone - pair
    return gone


def _idle(tokens: Sequence[Token], own: range, changes: Changes, free: Sequence[bool]) -> list[int]:
    """What stands beside words that were left out, where nothing was written, and joins nothing any more."""
    for left_out, run in groupby(own, changes.__contains__):
        places = list(run)
        if not left_out or any(changes[place][1] for place in places):
            continue
        before = places[0] - 1 if places[0] > own.start else None
        after = places[-1] + 1 if places[-1] + 1 < own.stop else None
        sign = tokens[before].text if before is not None and free[before] else ""
        other = tokens[after].text if after is not None and free[after] else ""
        if sign == "(" and other == ")":
            return [place for place in (before, after) if place is not None]
        ends = after is None or tokens[after].text in CLOSING
        governs = sign.lower() in _PREPOSITIONS and tokens[places[0]].text.lower() not in _PREPOSITIONS
        if before is not None and ends and (sign in _LOOSE or governs):
            return [before]
        if before is None and other and (other in _LOOSE or other in CLOSING) and after is not None:
            return [after]
    return []


def assembled(text: str, tokens: Sequence[Token], changes: Changes) -> str:
    """The text with its changes; the space between what stays is the wider of those that were there."""
    out: list[str] = []
    gap, written, gone, capital = "", False, False, False
    for place, token in enumerate(tokens):
        left_out, words = changes.get(place, (False, ()))
        if left_out:
            gap = token.gap if not gone else _wider(gap, token.gap)
            if not gone or "\n" in token.gap:
                capital = _begins(out, gap, token)
            gone = True
            for number, word in enumerate(words):
                glued = bool(out) and not gap and out[-1][-1:].isalnum()
                space = " " if number or glued else gap if out else ""
                out += [space, _cased(word, tokens, place, capital=capital and not number)]
            if words:
                gap, written, capital = "", True, False
            continue
        if gone:
            gap = _joint(out, gap, token, written=written)
            bare = token.text[0].upper() + token.text[1:] if capital and token.is_word else token.text
            out += [gap, bare if token.text.islower() else token.text]
        else:
            out += [token.gap, token.text]
        gap, written, gone, capital = "", False, False, False
    end = text[tokens[-1].end :] if tokens else text
    return "".join(out).rstrip() + end if gone else "".join(out) + end


def _joint(out: list[str], gap: str, token: Token, *, written: bool) -> str:
    wide = token.gap if written and "\n" not in gap else _wider(gap, token.gap)
    if not out:
        return ""
    if token.text in CLOSING and not token.gap:
        return ""
    if "\n" in wide:
        return wide
    last = next((piece for piece in reversed(out) if piece), "")
    if last in ("(", "[") or (last[-1:] == "\n"):
        return ""
    return wide or (" " if last[-1:].isalnum() and token.text[0].isalnum() else "")


def _wider(gap: str, other: str) -> str:
    return max(gap, other, key=lambda space: (min(space.count("\n"), 2), len(space)))


def _begins(out: list[str], gap: str, token: Token) -> bool:
    """Whether a sentence or a line with a capital begins here."""
    last = next((piece for piece in reversed(out) if piece.strip()), ".")
    return (last in ENDS or "\n" in gap) and (bool(token.kind) or token.text[0].isupper())


def _cased(word: str, tokens: Sequence[Token], place: int, *, capital: bool) -> str:
    around = [token.text for token in tokens[max(place - 12, 0) : place + 12] if token.is_word and len(token.text) > 1]
    if around and all(map(str.isupper, around)):
        return word.upper()
    if around and all(map(str.islower, around)) and not any(token.text in ENDS for token in tokens):
        return word
    return word[0].upper() + word[1:] if capital else word

"""Which lines of text may stay: those read, with certainty, as clinical markers. All others go, read or not.

Lines that stand together go together: one word that is no marker takes its whole block along, and a word that is
known to identify the patient takes letters of the same size nearby. What is left may stay if both readers agree on it
(`reading`), and if there is no small print beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from medveil.defenses.pixels.decide.markers import is_marker, is_short
from medveil.defenses.pixels.decide.reading import (
    as_it_stands,
    closer_and_wider,
    is_plainly_other,
    letters_of,
    marker_in,
    other_ways,
    read_words,
)
from medveil.defenses.pixels.decide.words import Look, View, Word, blocks_of, is_same_place, is_square, words_of
from medveil.defenses.pixels.find.detector import SURE
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.legibility import are_readable, without
from medveil.defenses.pixels.read.reader import read_many
from medveil.person.search.known import KnownSearch

LONGEST = 14  # heights; no marker is longer
MOST_IN_A_BLOCK = 5
SPACED = 2.5  # heights between initials
NEARBY = 3  # heights around a known name within which letters of its size go too
LOWEST_WITH_PRINT = 24  # pixels; in a lower line there is no room for small print beside the marker


@dataclass
class Decision:
    """Lines to remove, lines that stay with what they say, and lines of which nobody but a person can tell."""

    removed: list[Line] = field(default_factory=list)
    kept: list[tuple[str, Line]] = field(default_factory=list)
    doubtful: list[Line] = field(default_factory=list)


def decide(lines: list[Line], view: View, known: KnownSearch | None, *, keep_markers: bool) -> Decision:
    """Decide line by line; without markers to keep, nothing is read."""
    if not keep_markers:
        return Decision(removed=list(lines))
    loose = [line for line in lines if any(_closer(other, line) for other in lines)]
    words = words_of([line for line in lines if line not in loose])
    blocks = [block for block in blocks_of(words) if _can_be_markers(block)]
    for looks in (as_it_stands, other_ways, closer_and_wider):
        read_words([(word, look) for block in blocks for word in block for look in looks(word, view)], view, known)
        blocks = [block for block in blocks if not any(word.known or is_plainly_other(word) for word in block)]
    for word in (word for block in blocks for word in block):
        word.text = marker_in(word, view)
    strokes = _joined_strokes(words)
    words = [word for word in words if word not in strokes]
    for block in ([word for word in block if word not in strokes] for block in blocks):
        _agree(block)
        if _small_print(block, view):
            _let_go(block)
    _let_go([word for word in words if _among_initials(word, words)])
    _spread_known(words)
    result = Decision(removed=[line for line in loose if not _explained(line, words, view)])
    _let_go([word for word in words if any(word.line.share_inside(line) > 0.5 for line in result.removed)])
    for word in words:
        if word.text is None:
            result.removed += word.lines
        else:
            result.kept.append((word.text, word.line))
    return result


def _can_be_markers(block: list[Word]) -> bool:
    return len(block) <= MOST_IN_A_BLOCK and not any(_too_long(word.line) for word in block)


def _too_long(line: Line) -> bool:
    return line.length > LONGEST * line.height


def _joined_strokes(words: list[Word]) -> list[Word]:
    """Words that are only a part of a marker's letter, each now one more rectangle of the marker."""
    strokes: list[Word] = []
    for marker in [word for word in words if word.text is not None]:
        for word in words if marker not in strokes else ():
            if word is not marker and word not in strokes and _is_stroke(word, marker):
                marker.lines += word.lines
                strokes.append(word)
    return strokes


def _is_stroke(word: Word, marker: Word) -> bool:
    """It led to the same letter; or it is small, all of it inside, and there is nothing to read in it."""
    if word.text is not None:
        return word.text == marker.text and is_same_place(word.line, marker.line)
    slight = all(reading.letters <= 1 for _, reading in word.readings)
    least = 0.6 * marker.line.height
    return slight and all(line.height < least and line.share_inside(marker.line) > 0.8 for line in word.lines)


def _agree(block: list[Word]) -> None:
    """What stands together is one text: a word that is no marker, or a second initial, takes the others along."""
    others = [word for word in block if word.text is None]
    texts = [word.text for word in block if word.text is not None]
    if any(word.legible for word in others) or (texts and not is_marker(" ".join(texts))):
        _let_go(block)
    elif any(reading.letters for word in others for _, reading in word.readings):
        _let_go([word for word in block if word.text is not None and is_short(word.text)])


def _small_print(block: list[Word], view: View) -> bool:
    """Whether something far smaller than a marker, and touching it, can be read as well."""
    looks, fewest = [], []
    for word in block:
        if word.text is None:
            continue
        small = [line for line in word.lines if line.height < 0.6 * word.line.height]
        looks += [Look(line, turns) for line in small for turns in (0, 2)]
        fewest += [3] * 2 * len(small)
        if is_short(word.text) or word.line.height < LOWEST_WITH_PRINT:
            continue
        turns = word.seen.turns if word.seen else 0
        rows = Look(word.line, turns).halves()
        looks += rows
        fewest += [len(word.text) + 3 for _ in rows]
    found = read_many([look.strip(view) for look in looks])
    return any(reading.letters >= least for reading, least in zip(found, fewest, strict=True))


def _among_initials(word: Word, words: list[Word]) -> bool:
    """Whether a marker of a letter or two has others of its size in its row, however widely they are spaced.

    One letter may belong to a name that runs the same way there, two only to other letters standing alone. A side
    written twice, by the film and by the console, is nobody's initials.
    """
    if word.text is None or word.seen is None or not is_short(word.text):
        return False
    look, row, alone = word.seen, word.seen.row(SPACED), len(letters_of(word.text)) > 1
    others = (other for other in words if other.text != word.text and _alike(word, other))
    return any(
        _is_written(other) and other.line.share_inside(row) > 0
        for other in others
        if is_square(other.line) or (not alone and look.runs_along(other.line))
    )


def _is_written(word: Word) -> bool:
    """Not a longer marker, and not a thing in which no letter was seen."""
    if word.text is not None:
        return is_short(word.text)
    return not word.readings or any(reading.letters for _, reading in word.readings)


def _alike(word: Word, other: Word) -> bool:
    """Of one size, whichever way each was seen to lie."""
    tall = word.line.length
    return 0.5 * word.line.height <= other.line.height <= 2 * tall


def _spread_known(words: list[Word]) -> None:
    """A letter or two beside a known name may be its own; a whole word of a marker was read as that and no other."""
    for named in [word for word in words if word.known]:
        height = named.line.height
        for other in words:
            alike = 0.65 * height <= other.line.height <= height / 0.65
            short = other.text is not None and is_short(other.text)
            if short and alike and named.line.distance(other.line) <= NEARBY * height:
                other.text = None


def _closer(line: Line, other: Line) -> bool:
    """Whether a line lies in another that is drawn far more loosely around it, and perhaps around more."""
    return line.height < 0.75 * other.height and line.share_inside(other) > 0.7


def _explained(line: Line, words: list[Word], view: View) -> bool:
    """Whether a loose line holds markers and little else, or was never sure and has nothing to read but words of its
    own in it.
    """
    inside = [word for word in words if word.line.share_inside(line) > 0.5]
    length = sum(word.line.length for word in inside if word.text is not None)
    if length >= 0.5 * line.length and all(word.text is not None for word in inside):
        return True
    rest = without([word.line for word in inside], view)
    return line.score < SURE and bool(inside) and not are_readable([line], rest, fewest=1)[0]


def _let_go(block: list[Word]) -> None:
    for word in block:
        word.text = None

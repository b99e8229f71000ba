"""What becomes of each line that the detector proposes: it goes, it stays, or a person must look.

A line goes when the evidence says that it is type (`evidence`) and it was not read, with certainty, as a clinical
marker. A word that is no marker takes along what stands in one row with it, and a word that is known to identify the
patient takes letters of the same size nearby. What looks like type and is none stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from medveil.defenses.pixels.decide.beside_initials import MOST_INITIALS, Parted, marker_in_line
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.closer_look import looked_at_closer
from medveil.defenses.pixels.decide.evidence import (
    RIM,
    TYPE,
    Evidence,
    Finding,
    glance,
    goes_on,
    is_plain,
    share_from_rim,
    weigh,
)
from medveil.defenses.pixels.decide.lead_letter import LeadLetter, find_lead_letter
from medveil.defenses.pixels.decide.markers import SIDES, is_marker, is_short
from medveil.defenses.pixels.decide.reading import (
    as_it_stands,
    closer_and_wider,
    is_plainly_other,
    letters_of,
    marker_in,
    other_ways,
    read_words,
)
from medveil.defenses.pixels.decide.words import (
    LEGIBLE,
    Look,
    View,
    Word,
    blocks_of,
    is_legible,
    is_same_place,
    is_square,
    stand_together,
    words_of,
)
from medveil.defenses.pixels.find.bands import bands_of
from medveil.defenses.pixels.find.detector import LARGE, SURE
from medveil.defenses.pixels.find.ink import followed_by_tone
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.alphabet import OTHER
from medveil.defenses.pixels.read.legibility import are_readable, without
from medveil.person.search.known import KnownSearch

LONGEST = 14  # heights; no marker is longer
MOST_IN_A_BLOCK = 5
BEYOND = 3.0  # heights at either end of a line that goes, in which more of its letters are looked for
STRIDE = 3.0  # heights by which a large line is followed, step by step
MOST_STEPS = 4
FARTHEST_LETTER = 1.4  # heights from one letter to the next
SPACED = 2.5  # heights between initials
DIGITS = 2  # of a number
PART_OF_WORD = 0.3  # of a letter, in a number or a name: it is one of theirs
BY_A_SIDE = 3  # heights between initials and the side they stand by
WIDEST_LETTER, SPACED_LETTER = 0.95, 1.35  # heights, of most type and of the most widely spaced
NEARBY = 3  # heights around a known name within which letters of its size go too
RINGS = frozenset("0O8QIl1")
ALIKE = 1.4  # times the height; initials beside a lead letter are smaller
SLIGHT = 0.01  # the score from which a line may hold a row of type
ROWS_OF_A_LINE = 3  # that are weighed, of a line that was drawn too high
LETTERS_OF_A_ROW = 3  # different ones, and no rings, that are read in one of them
LEGIBLE_LEAD = 0.8  # certainty of each letter from which a line may be lead though it hardly looks like text
LOWEST_WITH_PRINT = 24  # pixels; in a lower line there is no room for small print beside the marker


@dataclass
class Decision:
    """Lines to remove, lines that stay with what they say, lines of which nobody but a person can tell, and lead
    letters that stay though the line they are in goes.
    """

    removed: list[Line] = field(default_factory=list)
    kept: list[tuple[str, Line]] = field(default_factory=list)
    doubtful: list[Line] = field(default_factory=list)
    letters: list[LeadLetter] = field(default_factory=list)


def decide(lines: list[Line], view: View, known: KnownSearch | None, *, keep_markers: bool) -> Decision:
    """Decide line by line; without markers to keep, they go as all other type does."""
    read = CachedReader(view)
    found = dict(zip(lines, weigh(lines, view, read), strict=True))
    low = _drawn_closer(found, view)
    rows = {line: one for line, one in zip(low, weigh(low, view, read), strict=True) if _is_read(one, read)}
    found |= {line: one for line, one in rows.items() if not any(_closer(other, line) for other in rows)}
    found = looked_at_closer(found, view, read)
    lines = list(found)
    if known is not None:
        found = {line: _as_known(one, known) for line, one in found.items()}
    proposed = lines
    lines = [line for line in lines if found[line].finding is not Finding.NOTHING or found[line].may_be_marker]
    result = _sorted(lines, found, view, read, known)
    words_kept = [marker for text, marker in result.kept if len(text) > 1]
    longer = [line for line in result.removed if line in found and _is_number_or_name(found[line])]
    for line in proposed:
        if any(one.covers(line) for one in result.letters) or not _may_be_lead(line, found[line], result.removed):
            continue
        letter = find_lead_letter(line, view, read, result.removed + result.doubtful, words_kept)
        if letter is None or any(letter.line.distance(marker) == 0 for marker in words_kept):
            continue
        others = longer + [marker for text, marker in result.kept if text != letter.text]
        if any(letter.line.share_inside(line) > PART_OF_WORD for line in others):
            continue
        if (letter.initials.any() and not letter.is_among(result.removed)) or letter.is_touched(result.removed):
            result.letters.append(letter)
    done = [letter for letter in result.letters if letter.initials.any()]
    result.removed = [line for line in result.removed if not any(one.covers(line) and one.fills(line) for one in done)]
    result.doubtful = [line for line in result.doubtful if not any(one.covers(line) for one in done)]
    beside = [line for line in result.doubtful if _stands_by_a_side(line, view, result)]
    result.removed += beside
    result.doubtful = [
        line for line in result.doubtful if line not in beside and not _is_what_it_holds(line, view, result)
    ]
    looks = {line: found[line].look if line in found else Look(line, 0) for line in result.removed}
    looks = _without_markers(looks, view, read, known, result)
    markers = [marker for _, marker in result.kept] + [letter.line for letter in result.letters]
    result.removed = [_up_to(markers, line, _followed(line, look, view, read)) for line, look in looks.items()]
    if not keep_markers:
        result.removed += [line for _, line in result.kept] + [letter.line for letter in result.letters]
        result.kept, result.letters = [], [letter.all_going() for letter in result.letters]
    return result


def _sorted(
    lines: list[Line], found: dict[Line, Evidence], view: View, read: CachedReader, known: KnownSearch | None
) -> Decision:
    loose = [line for line in lines if any(_closer(other, line) for other in lines)]
    whole = [line for line in loose if not any(_closer(other, line) and other.length > line.length for other in lines)]
    markers = _whole_markers(whole, found, view, read, known)
    loose = [line for line in loose if not any(line in marker.lines for marker in markers)]
    rest = [line for line in lines if not any(_belongs_to(line, marker) for marker in markers)]
    words = words_of([line for line in rest if line not in loose])
    for word in words:
        word.is_type = any(found[line].finding is Finding.TYPE for line in word.lines)
        word.readings += [
            (found[line].look, found[line].reading) for line in word.lines if _says_something(found[line])
        ]
        word.is_letter = not word.is_type and any(found[line].finding is Finding.LETTER for line in word.lines)
    blocks = [block for block in blocks_of(words) if _can_be_markers(block)]
    for looks in (as_it_stands, other_ways, closer_and_wider):
        read_words([(word, look) for block in blocks for word in block for look in looks(word, view)], read, known)
        blocks = [block for block in blocks if not any(word.known or _is_other(word) for word in block)]
    for word in (word for block in blocks for word in block):
        word.text = marker_in(word, read)
        if not _fills(word, SPACED_LETTER):
            word.text = None
    strokes = _joined_strokes(words)
    words = [word for word in words if word not in strokes]
    for block in ([word for word in block if word not in strokes] for block in blocks):
        _agree(block)
        if _small_print(block, read):
            _let_go(block)
    initials = [word for word in words if _among_initials(word, words)]
    _let_go(initials)
    for word in initials:
        word.is_type |= word.is_letter
    _spread_known(words)
    words += markers
    going = [line for line in loose if found[line].finding is not Finding.NOTHING and not _explained(line, words, view)]
    _let_go([word for word in words if any(word.line.share_inside(line) > 0.5 for line in going)])
    sure = [line for word in words if word.known or (word.is_letter and word.is_type) for line in word.lines]
    going += [line for word in words if word.text is None for line in word.lines]
    return Decision(
        removed=[line for line in going if _is(line, Finding.TYPE, found) or line in sure],
        kept=[(word.text, word.line) for word in words if word.text is not None],
        doubtful=[line for line in going if _is(line, Finding.DOUBTFUL, found)],
    )


def _stands_by_a_side(line: Line, view: View, result: Decision) -> bool:
    """Whether what can hardly be read stands at the border beside a side that stays: so do initials."""
    sides = [side for text, side in result.kept if text in SIDES] + [letter.line for letter in result.letters]
    near = [side for side in sides if line.distance(side) <= BY_A_SIDE * max(line.height, side.height)]
    return share_from_rim(line, view) <= RIM and any(line.height <= ALIKE * side.height for side in near)


def _is_what_it_holds(line: Line, view: View, result: Decision) -> bool:
    """Whether a line was doubtful for what lies in it and is decided by itself: without that there is nothing."""
    decided = result.removed + [kept for _, kept in result.kept]
    decided += [Line.of_box(letter.around) for letter in result.letters]
    inside = [one for one in decided if one.share_inside(line) > 0.5]
    rest = without(inside, view)
    return bool(inside) and weigh([line], rest, CachedReader(rest))[0].finding in (Finding.NOTHING, Finding.LETTER)


def _is_number_or_name(evidence: Evidence) -> bool:
    """Whether digits are read in it, or more letters than initials have."""
    text = evidence.reading.text
    is_number = evidence.reading.confidence >= LEGIBLE and sum(map(str.isdigit, text)) >= DIGITS
    return is_number or sum(map(str.isalnum, text)) > MOST_INITIALS


def _says_something(evidence: Evidence) -> bool:
    """Whether letters were read; in a mirror, type that is not mirrored looks like letters of another alphabet."""
    return evidence.reading.letters > 1 and not (evidence.look.mirrored and OTHER in evidence.reading.text)


def _is(line: Line, finding: Finding, found: dict[Line, Evidence]) -> bool:
    return line in found and found[line].finding is finding


def _without_markers(
    looks: dict[Line, Look], view: View, read: CachedReader, known: KnownSearch | None, result: Decision
) -> dict[Line, Look]:
    """Lines that go, without the markers in them, which join those that stay; but one that stands in a row with more
    than initials goes with it, and so does one in a line that was drawn around more.
    """
    parted = {line: one for line, look in looks.items() if (one := marker_in_line(look, view, read)) is not None}
    if known is not None:
        parted = {line: one for line, one in parted.items() if not known.matches_word(one.text)}
    parted = {line: one for line, one in parted.items() if _fills(Word([one.marker], text=one.text))}
    others = [line for line in looks if line not in parted and not any(_is_in(line, one) for one in parted.values())]
    names = [line for line in others if read([looks[line]])[0].letters > MOST_INITIALS]
    found = {
        line: one
        for line, one in parted.items()
        if not any(_covers(other, one.marker) for other in others)
        and not any(stand_together(one.marker, name) for name in names)
        and not (one.initials is None and is_short(one.text) and _stands_by(one.marker, others, result))
    }
    result.kept += [(one.text, one.marker) for one in found.values()]
    going = [line for line in looks if line not in found and not any(_is_in(line, one) for one in found.values())]
    initials = [one.initials for one in found.values() if one.initials is not None]
    return {line: looks[line] for line in going} | {line: Look(line, 0) for line in initials}


def _stands_by(marker: Line, others: list[Line], result: Decision) -> bool:
    """Whether letters stand beside two that are alone in their line: then they may be initials."""
    beside = [*others, *(line for _, line in result.kept), *(letter.line for letter in result.letters)]
    return any(marker.distance(line) <= BY_A_SIDE * max(marker.height, line.height) for line in beside)


def _is_in(line: Line, parted: Parted) -> bool:
    return line.share_inside(parted.marker.grown(2, 2)) > 0.7


def _covers(line: Line, marker: Line) -> bool:
    return marker.share_inside(line) > 0.5


def _may_be_lead(line: Line, evidence: Evidence, going: list[Line]) -> bool:
    """Whether a side may stand in it or beside it: it goes, looks like text or can be read, and is no plain word."""
    is_word = is_plain(evidence.reading) and evidence.reading.text.isalnum()
    return not is_word and (line.score >= SURE or line in going or evidence.reading.confidence >= LEGIBLE_LEAD)


def _drawn_closer(found: dict[Line, Evidence], view: View) -> list[Line]:
    """Lines that looked like text and are none, once more where they were drawn too high around what stands in them:
    of each the rows that look most like type.
    """
    rejected = [line for line, one in found.items() if one.finding is Finding.NOTHING and one.score >= SLIGHT]
    bands = [bands_of(line) for line in rejected]
    scores = iter(glance([band for several in bands for band in several], view))
    scored = [sorted(((next(scores), band) for band in several), key=lambda one: -one[0]) for several in bands]
    return [band for several in scored for score, band in several[:ROWS_OF_A_LINE] if score >= TYPE]


def _is_read(evidence: Evidence, read: CachedReader) -> bool:
    """Whether a row is type because letters can be read in it: of many rows one looks like type, in an earring too."""
    if evidence.finding is not Finding.TYPE:
        return False
    said = (evidence.reading.text, evidence.reading.confidence), read.second(evidence.look)
    return any(len(_letters(text) - RINGS) >= LETTERS_OF_A_ROW and sure >= LEGIBLE for text, sure in said)


def _letters(text: str) -> set[str]:
    return {one for one in text.upper() if one.isascii() and one.isalnum()}


def _whole_markers(
    loose: list[Line], found: dict[Line, Evidence], view: View, read: CachedReader, known: KnownSearch | None
) -> list[Word]:
    """Of lines with closer ones inside, those that are markers as a whole: of 110 KV, KV alone is none."""
    words = [Word([line]) for line in loose if found[line].finding is Finding.TYPE and not _too_long(line)]
    for looks in (as_it_stands, other_ways, closer_and_wider):
        read_words([(word, look) for word in words for look in looks(word, view)], read, known)
        words = [word for word in words if not word.known and not is_plainly_other(word)]
    for word in words:
        word.is_type, word.text = True, marker_in(word, read)
    return [word for word in words if word.text is not None and _fills(word) and not _holds_other(word, found)]


def _holds_other(marker: Word, found: dict[Line, Evidence]) -> bool:
    """Whether something that is no part of the marker can be read in a closer line inside of it."""
    return any(
        is_legible(one.reading) and letters_of(one.reading.text) not in letters_of(marker.text or "")
        for line, one in found.items()
        if one.finding is Finding.TYPE and _closer(line, marker.line)
    )


def _fills(word: Word, widest: float = WIDEST_LETTER) -> bool:
    """Whether a marker is as long as its line, which may hold more that was not read."""
    return word.line.length <= widest * word.line.height * (len(word.text or "") + 1)


def _belongs_to(line: Line, marker: Word) -> bool:
    return line.share_inside(marker.line.grown(2, 2)) > 0.7


def _as_known(evidence: Evidence, known: KnownSearch) -> Evidence:
    """What reads like something known of the patient is type, whatever else speaks against it."""
    text = evidence.reading.text
    return replace(evidence, finding=Finding.TYPE) if text and known.matches_word(text) else evidence


def _up_to(markers: list[Line], line: Line, whole: Line) -> Line:
    """The line as it was where following it would run over a marker."""
    reached = any(marker.share_inside(whole) > 0.1 and marker.share_inside(line) <= 0.1 for marker in markers)
    return line if reached else whole


def _followed(line: Line, look: Look, view: View, read: CachedReader) -> Line:
    return followed_by_tone(_walked(_in_full(line, look, read), look, view, read), view)


def _in_full(line: Line, look: Look, read: CachedReader) -> Line:
    """The line with the letters at its ends that the detector did not see and the reader does."""
    if look.turns % 2 or line.length < 1:
        return line
    (reading,) = read([replace(look, aside=BEYOND)])
    seen = reading.letter_columns()
    if not seen.any():
        return line
    middle, step = len(seen) / 2, (line.length + 2 * BEYOND * line.height) / len(seen)
    start, end = round(middle - line.length / 2 / step), round(middle + line.length / 2 / step)
    first, last = start, end
    gap = round(FARTHEST_LETTER * line.height / step)
    for column in range(start, -1, -1):
        if seen[column] and first - column <= gap:
            first = column
    for column in range(end, len(seen)):
        if seen[column] and column - last <= gap:
            last = column
    before, after = (start - first) * step, (last - end) * step
    if look.turns == 2:
        before, after = after, before
    if look.mirrored:
        before, after = after, before
    along = line.along * (after - before) / 2
    return replace(line.moved(*along), length=line.length + before + after)


def _walked(line: Line, look: Look, view: View, read: CachedReader) -> Line:
    """The line with what goes on at its ends: the detector sees large or faint letters only in part."""
    if look.turns % 2 or (line.height < LARGE and is_plain(read([look])[0])):
        return line
    for way in (-1, 1):
        for _ in range(MOST_STEPS):
            step = line.along * way * (line.length / 2 + STRIDE * line.height / 2)
            ahead = replace(line.moved(*step), length=STRIDE * line.height)
            if not goes_on(ahead, look, view, read):
                break
            line = replace(line.moved(*(line.along * way * ahead.length / 2)), length=line.length + ahead.length)
    return line


def _is_other(word: Word) -> bool:
    return word.is_type and is_plainly_other(word)


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
    """What stands together is one text: a word that is no marker, or a second initial, takes the others along; but
    initials do not take what is plainly a marker.
    """
    others = [word for word in block if word.text is None and word.is_type]
    texts = [word.text for word in block if word.text is not None]
    if any(word.legible for word in others) or (texts and not is_marker(" ".join(texts))):
        letters = sum(max((reading.letters for _, reading in word.readings), default=0) for word in others)
        _let_go([word for word in block if letters > MOST_INITIALS or not _is_plain_marker(word)])
    elif any(reading.letters for word in others for _, reading in word.readings):
        _let_go([word for word in block if word.text is not None and is_short(word.text)])


def _is_plain_marker(word: Word) -> bool:
    """One that nobody's initials are taken for: LT and RT, or a longer one."""
    return word.text is not None and (not is_short(word.text) or (len(word.text) > 1 and word.text in SIDES))


def _small_print(block: list[Word], read: CachedReader) -> bool:
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
    found = read(looks)
    return any(reading.letters >= least for reading, least in zip(found, fewest, strict=True))


def _among_initials(word: Word, words: list[Word]) -> bool:
    """Whether a letter, or a marker of a letter or two, has others of its size in its row, however widely spaced.

    One letter may belong to a name that runs the same way there, two only to other letters standing alone. A side
    written twice, by the film and by the console, is nobody's initials; nor is a row of rings.
    """
    if word.text is None and (not word.is_letter or _is_ring(word)):
        return False
    if word.text is not None and (word.seen is None or _is_plain_marker(word)):
        return False
    look = word.seen or max(word.readings, key=lambda one: one[1].confidence, default=(Look(word.line, 0), None))[0]
    row, alone = look.row(SPACED), word.text is not None and len(letters_of(word.text)) > 1
    others = (other for other in words if other is not word and _alike(word, other))
    return any(
        _is_written(other) and other.line.share_inside(row) > 0
        for other in others
        if word.text is None or other.text != word.text
        if is_square(other.line) or (not alone and look.runs_along(other.line))
    )


def _is_written(word: Word) -> bool:
    """Type or a letter, but no longer marker."""
    if word.text is not None:
        return is_short(word.text)
    return word.is_type or (word.is_letter and not _is_ring(word))


def _is_ring(word: Word) -> bool:
    """Whether it reads like what wires and clips look like as well."""
    read = [reading.text for _, reading in word.readings if reading.letters == 1]
    return not read or any(set(text) <= RINGS for text in read)


def _alike(word: Word, other: Word) -> bool:
    """Of one size, whichever way each was seen to lie."""
    return word.line.height / ALIKE <= other.line.height <= ALIKE * word.line.length


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

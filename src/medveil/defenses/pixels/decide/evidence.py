"""How much speaks for type: one score for every line that the detector proposes.

A network weighs the line's strokes, what surrounds it, its place and size, and what the reader makes of it, whichever
way up it stands and mirrored, as lead letters often are. The score is the network's own probability that the line holds
letters or digits; how it trades words for films is on its card, and the thresholds below were chosen by that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence_network import AROUND, NUMBERS, SIZE, STRIP
from medveil.defenses.pixels.decide.markers import holds_marker, is_marker
from medveil.defenses.pixels.decide.words import LEGIBLE, Look, is_square
from medveil.defenses.pixels.find.detector import SURE
from medveil.defenses.pixels.find.views import View
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import Reading
from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

ASIDE, ACROSS = 1.0, 0.5  # heights around the line that the strip shows
WIDER = 6  # heights, of the square around the line
FLOOR = 4 / 255  # of the gray scale: what is flatter is not stretched
FARTHEST = 4.0  # deviations
PLAIN_LETTERS, PLAIN = 3, 0.8  # letters, and the certainty of each, that need no look in a mirror
LETTERS_A_HEIGHT = 1.6
BATCH = 32
SHORT = 160  # columns; strips of short lines are looked at apart, for they cost half as much
LEAST = -4.0  # the logit from which a line is read, and then in a mirror too
UNREAD = Reading("", 0.0, 0.0, 0, np.zeros((0, 0), np.float32))
_READ = (slice(0, 4), slice(4, 8))  # as it is, mirrored; of the numbers
TYPE = 0.5  # the score from which a legible line is type,
SUSPECTED = 0.1  # and from which one at the rim is, if the second reader reads it with certainty
SURELY, SURELY_INSIDE = 0.8, 0.97  # scores from which a person must look at what cannot be read
ALMOST_CERTAIN = 0.9  # the score from which a long line is type if two letters are seen in it,
CERTAIN_AT_THE_RIM = 0.94  # and one at the rim in which two letters are seen, whatever they are
RIM = 0.15  # of the shorter side: nearly all type stands so near to the border
# letters and digits that a reader must see, and how sure it must be
AT_THE_RIM, INSIDE, SHORT_INSIDE = (2, 0.6), (3, 0.7), (2, 0.9)
CERTAIN = 0.85
CERTAIN_OF_SIGNS = 0.95  # of the second reader, of letters that no reader of Latin knows
LEGIBLE_LETTERS = 4  # in a line at the image's very edge, whatever the score,
PLAINLY = 5  # and in any line that the detector is sure of, if the second reader is certain of them
MANY = 5  # letters, of which each is more likely than not
SAME_LETTERS = 4  # that both readers see, neither of which need be sure then
LONG, LEAST_WORD = 3.5, 2.0  # heights
RINGS = frozenset("0OoQ8-.")  # what a row of wires reads like
LARGEST_UNREAD = 0.01  # of the image that a line may cover without being read
SINGLE = 1.3  # heights; a shorter line in which less than two letters are read is a single mark,
WIDE = 1.8  # or one letter, with certainty

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]  # weights and what is added


class Finding(Enum):
    """What the evidence says of a line. A letter alone identifies nobody; what stands in its row decides."""

    TYPE = "type"
    LETTER = "letter"
    DOUBTFUL = "doubtful"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Evidence:
    """The probability that a line is type, the best reading of it, and what follows."""

    score: float
    reading: Reading
    look: Look
    finding: Finding

    @property
    def may_be_marker(self) -> bool:
        return self.reading.letters > 0 and holds_marker(self.reading.text)


def weigh(lines: list[Line], view: View, read: CachedReader) -> list[Evidence]:
    """The evidence for each line of a view: at a glance, then read where it may be type or a marker, then in a mirror
    where that leaves it open.
    """
    if not lines:
        return []
    found = [(Look(line, 0), UNREAD) for line in lines]
    seen, numbers = _seen(np.stack([row_of(line, view) for line in lines]))
    logits = _logits(seen, numbers)
    for mirrored in (False, True):
        asked = [k for k, line in enumerate(lines) if _asks(line, logits[k], found[k][1], view, mirrored)]
        best = best_readings([lines[k] for k in asked], read, mirrored=mirrored)
        for k, (look, reading) in zip(asked, best, strict=True):
            numbers[k, _READ[mirrored]] = read_numbers(lines[k], reading)
            if _rank(reading) > _rank(found[k][1]):
                found[k] = look, reading
        if asked:
            logits[asked] = _logits(seen[asked], numbers[asked])
    return [
        Evidence(score := _probability(logit), reading, look, _finding(line, score, look, reading, view, read))
        for line, logit, (look, reading) in zip(lines, logits, found, strict=True)
    ]


def glance(lines: list[Line], view: View) -> list[float]:
    """The probability that each is type, before anything is read."""
    if not lines:
        return []
    return [_probability(logit) for logit in _logits(*_seen(np.stack([row_of(line, view) for line in lines])))]


def _asks(line: Line, logit: float, reading: Reading, view: View, mirrored: bool) -> bool:
    """A single mark may always be a letter of a marker, and what the image's edge cuts off looks like nothing."""
    always = not mirrored and (line.length < WIDE * line.height or _is_cut_off(line, view))
    return (logit > LEAST or always) and not is_plain(reading)


def _is_cut_off(line: Line, view: View) -> bool:
    """Whether the image ends above or below it, or at one of its ends, closer than the network was taught to look."""
    rows, columns = view.shape
    corners = line.grown(0, ACROSS * line.height).corners
    return bool((corners < 0).any() or (corners > (columns, rows)).any())


def goes_on(line: Line, look: Look, view: View, read: CachedReader) -> bool:
    """Whether a line that is type, read by this look, goes on where it has not been seen yet."""
    (score,) = glance([line], view)
    if score < TYPE:
        return False
    (reading,) = read([replace(look, line=line)])
    return reading.letters >= 2 or (score >= ALMOST_CERTAIN and reading.letters == 1)


def _seen(rows: Floats) -> tuple[Floats, Floats]:
    """What the network makes of the pixels of each row, which reading them does not change; and the numbers."""
    in_strip, around, _, _ = _network()
    strips = rows[:, : 2 * STRIP[0] * STRIP[1]].reshape(-1, 2, *STRIP)
    arounds = rows[:, strips[0].size : -NUMBERS].reshape(-1, 1, AROUND, AROUND)
    is_short = strips[:, 1, 0].sum(axis=1) <= SHORT
    order, parts = [], []
    for columns, places in ((SHORT, np.flatnonzero(is_short)), (STRIP[1], np.flatnonzero(~is_short))):
        for start in range(0, len(places), BATCH):
            some = places[start : start + BATCH]
            found = [in_strip(np.ascontiguousarray(strips[some, :, :, :columns])), around(arounds[some])]
            order.append(some)
            parts.append(np.concatenate(found, axis=1))
    return np.concatenate(parts)[np.argsort(np.concatenate(order))], rows[:, -NUMBERS:].copy()


def _logits(seen: Floats, numbers: Floats) -> Floats:
    _, _, (weights, added), (last, last_added) = _network()
    hidden = np.concatenate([seen, numbers], axis=1) @ weights.T + added
    return np.asarray((np.maximum(hidden, 0) @ last.T + last_added)[:, 0])


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-float(logit)))


def _finding(line: Line, score: float, look: Look, reading: Reading, view: View, read: CachedReader) -> Finding:
    """Type must be legible to one of two readers, the more so inside the thorax, where devices are; in a long line of
    surest type two letters are enough. What else looks like type for sure and cannot be read is for a person.
    """
    if reading.letters < 2 and line.length < (WIDE if reading.confidence >= CERTAIN else SINGLE) * line.height:
        is_read = reading.letters == 1 and reading.confidence >= LEGIBLE
        return Finding.LETTER if is_read else Finding.NOTHING
    if _is_cut_off(line, view) and _known_letters(reading) >= LEGIBLE_LETTERS and reading.confidence >= LEGIBLE:
        return Finding.TYPE
    if score < SUSPECTED and _is_plain_to_second(line, look, reading, view, read):
        return Finding.TYPE
    if score < SUSPECTED or (reading.letters < 2 and line.area > LARGEST_UNREAD * view.size):
        return Finding.NOTHING
    inside = share_from_rim(line, view) > RIM
    if inside and score < TYPE:
        return Finding.TYPE if _is_seconded(look, reading, read) else Finding.NOTHING
    fewest, certainty = AT_THE_RIM
    if inside:
        fewest, certainty = SHORT_INSIDE if score >= ALMOST_CERTAIN else INSIDE
    if (inside or (reading.letters < 2 and is_square(line))) and reading.text and set(reading.text) <= RINGS:
        return Finding.NOTHING
    legible = _known_letters(reading) >= fewest and reading.confidence >= certainty
    if score >= TYPE and (legible or reading.letters >= MANY or is_marker(reading.text)):
        return Finding.TYPE
    if not inside and score >= CERTAIN_AT_THE_RIM and reading.letters > 1:
        return Finding.TYPE
    letters, sure = _second(look, reading, read)
    surest = score >= ALMOST_CERTAIN and line.length >= LONG * line.height
    if surest and max(reading.letters, letters) > 1:
        return Finding.TYPE
    if letters >= fewest and sure >= (certainty if score >= TYPE else CERTAIN):
        return Finding.TYPE
    if _is_seconded(look, reading, read):
        return Finding.TYPE
    if inside and _is_ring(reading, read.second(look)[0]):
        return Finding.NOTHING
    return Finding.DOUBTFUL if surest or score >= (SURELY_INSIDE if inside else SURELY) else Finding.NOTHING


def _is_plain_to_second(line: Line, look: Look, reading: Reading, view: View, read: CachedReader) -> bool:
    """Whether the second reader is certain of a word in what looks like none, as it does at the image's edge."""
    if line.score < SURE or line.length < LEAST_WORD * line.height:
        return False
    letters, sure = _second(look, reading, read)
    return sure >= CERTAIN and letters >= (LEGIBLE_LETTERS if _is_cut_off(line, view) else PLAINLY)


def _is_ring(reading: Reading, second: str) -> bool:
    """Whether one reader knows no letter in it, and the other nothing but what a wire reads like."""
    return reading.letters < 2 and not _known_letters(reading) and bool(second) and set(second) <= RINGS


def _known_letters(reading: Reading) -> int:
    return sum(character.isalnum() for character in reading.text)


def _is_seconded(look: Look, reading: Reading, read: CachedReader) -> bool:
    """Whether two readers that were never sure have seen the same letters in the same order: chance does not."""
    letters = [one for one in reading.text.upper() if one.isalnum()]
    if len(letters) < SAME_LETTERS:
        return False
    others = [one for one in read.second(look)[0].upper() if one.isascii() and one.isalnum()]
    same = SequenceMatcher(None, letters, others, autojunk=False)
    common = sum(block.size for block in same.get_matching_blocks())
    return common >= SAME_LETTERS and 2 * common >= max(len(letters), len(others))


def _second(look: Look, reading: Reading, read: CachedReader) -> tuple[int, float]:
    """How many letters and digits the second reader makes of it, and how sure it is, in the way it is surest of.

    It is shown what the first could read, or else both ways up.
    """
    others = [replace(look, mirrored=not look.mirrored), replace(look, turns=(look.turns + 2) % 4)]
    best = (0, 0.0)
    for way in (look, *others[: 1 if reading.letters > 1 else 2]):
        text, sure = read.second(way)
        letters = (
            0 if set(text) <= RINGS else sum(one.isalnum() for one in text if one.isascii() or sure >= CERTAIN_OF_SIGNS)
        )
        best = max(best, (letters, sure), key=lambda found: (found[0] > 1) * found[1])
        if best[0] >= INSIDE[0] and best[1] >= CERTAIN:
            break
    return best


def best_readings(lines: list[Line], read: CachedReader, *, mirrored: bool) -> list[tuple[Look, Reading]]:
    """Of each line the look by which most can be read."""
    looks = [[Look(line, turns, mirrored=mirrored) for turns in _ways(line)] for line in lines]
    readings = iter(read([look for several in looks for look in several]))
    return [max(((look, next(readings)) for look in several), key=lambda one: _rank(one[1])) for several in looks]


def _ways(line: Line) -> tuple[int, ...]:
    return (0, 2, 1, 3) if is_square(line) else (0, 2)


def _rank(reading: Reading) -> float:
    return (reading.letters > 1) * reading.confidence + 0.02 * reading.letters


def is_plain(reading: Reading) -> bool:
    return reading.letters >= PLAIN_LETTERS and reading.confidence >= PLAIN


def row_of(line: Line, view: View) -> NDArray[np.float32]:
    """One line's evidence before it is read, in the network's order."""
    row = np.zeros(SIZE, np.float32)
    height, width = STRIP
    strip = line.grown(ASIDE * line.height, ACROSS * line.height).cut_out(view, height)
    skipped = max(0, (strip.shape[1] - width) // 2)
    strip = strip[:, skipped : skipped + width]
    parts = row[: 2 * height * width].reshape(2, height, width)
    parts[0, :, : strip.shape[1]], parts[1, :, : strip.shape[1]] = _stretched(strip), 1
    side = max(line.length, line.height) + WIDER * line.height
    around = Line(line.x, line.y, side, side, line.angle).cut_out(view, AROUND)
    row[2 * height * width : -NUMBERS] = _stretched(around).ravel()
    numbers = _numbers(line, view)
    row[-len(numbers) :] = numbers
    return row


def _stretched(image: View) -> NDArray[np.float32]:
    values = image.astype(np.float32) * np.float32(1 / 255)
    return np.clip((values - values.mean()) / (values.std() + np.float32(FLOOR)), -FARTHEST, FARTHEST)


def share_from_rim(line: Line, view: View) -> float:
    """How far from the border it is, as a share of the shorter side."""
    rows, columns = view.shape
    return max(min(line.x, columns - line.x, line.y, rows - line.y) / min(rows, columns), 0)


def _numbers(line: Line, view: View) -> list[float]:
    return [
        math.log(line.height) / 4,
        min(line.length / line.height, 20) / 20,
        line.score,
        2 * share_from_rim(line, view),
        10 * line.height / min(view.shape),
        abs(math.sin(2 * line.angle)),
    ]


def read_numbers(line: Line, reading: Reading) -> list[float]:
    expected = max(LETTERS_A_HEIGHT * line.length / line.height, 1)
    letters = reading.letters
    return [min(letters, 10) / 10, reading.confidence, reading.certainty, min(letters / expected, 1.5)]


@once
def _network() -> tuple[Compiled, Compiled, Layer, Layer]:
    """What looks at strips, what looks at their surroundings, and the two layers that weigh both with the numbers."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from medveil.defenses.pixels.decide.evidence_network import EvidenceNetwork, SeenAround, SeenInStrip

    network = EvidenceNetwork().eval()
    try:
        network.load_state_dict({name: value.float() for name, value in load_file(bundled("text-evidence")).items()})
    except (OSError, RuntimeError, SafetensorError):
        raise InputError(f"{bundled('text-evidence')} does not weigh text; reinstall medveil") from None
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    first, last = ((weights[f"head.{layer}.weight"], weights[f"head.{layer}.bias"]) for layer in (0, 3))
    in_strip = compiled(SeenInStrip(network), torch.zeros(1, 2, *STRIP), varying=(0, 3), threads=1)
    around = compiled(SeenAround(network), torch.zeros(1, 1, AROUND, AROUND), varying=(0,), threads=1)
    return in_strip, around, first, last

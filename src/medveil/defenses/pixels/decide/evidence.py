"""How much speaks for type: one score for every line that the detector proposes.

A network weighs the line's strokes, what surrounds it, its place and size, and what the reader makes of it, whichever
way up it stands and mirrored, as lead letters often are. The score is the probability that the line holds letters or
digits, as it came out on radiographs of patients kept apart from those the network learned from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.evidence_network import AROUND, NUMBERS, SIZE, STRIP
from medveil.defenses.pixels.decide.markers import holds_marker
from medveil.defenses.pixels.decide.words import LEGIBLE, Look, is_square
from medveil.defenses.pixels.find.views import View
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.read.legibility import are_readable
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
TYPE = 0.5  # the score from which a line is type,
OPEN = 0.3  # from which it may be, and a person must look if no reader can tell,
DOUBTFUL = 0.1  # and from which the second reader is asked
SINGLE = 1.3  # heights; a shorter line in which less than two letters are read is a single mark
LARGEST_UNREAD = 0.005  # of the image that a line may cover without being read


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
    """The evidence for each line of a view."""
    if not lines:
        return []
    plain = _best(lines, read, mirrored=False)
    unread = [line for line, (_, reading) in zip(lines, plain, strict=True) if not _is_plain(reading)]
    mirrored = dict(zip(unread, _best(unread, read, mirrored=True), strict=True))
    rows = np.zeros((len(lines), SIZE), np.float32)
    found = []
    for row, line, (look, reading) in zip(rows, lines, plain, strict=True):
        turned = mirrored.get(line)
        _fill(row, line, view, reading, turned[1] if turned else None)
        if turned and _rank(turned[1]) > _rank(reading):
            look, reading = turned
        found.append((reading, look))
    logits = np.concatenate([_network()(rows[start : start + BATCH]) for start in range(0, len(rows), BATCH)])
    weighed = []
    for line, logit, (reading, look) in zip(lines, logits, found, strict=True):
        score = 1 / (1 + math.exp(-float(logit)))
        weighed.append(Evidence(score, reading, look, _finding(line, score, reading, view)))
    return weighed


def _finding(line: Line, score: float, reading: Reading, view: View) -> Finding:
    """Type, doubtful or nothing; the second reader is asked where the score leaves it open, or much is at stake."""
    if reading.letters < 2 and line.length < SINGLE * line.height:
        read = reading.letters == 1 and reading.confidence >= LEGIBLE
        return Finding.LETTER if read else Finding.NOTHING
    if score < DOUBTFUL:
        return Finding.NOTHING
    large = line.area > LARGEST_UNREAD * view.size and reading.letters < 2
    if score >= TYPE and not large:
        return Finding.TYPE
    if are_readable([line], view, fewest=2 if score >= TYPE else 3)[0]:
        return Finding.TYPE
    return Finding.DOUBTFUL if score >= OPEN else Finding.NOTHING


def _best(lines: list[Line], read: CachedReader, *, mirrored: bool) -> list[tuple[Look, Reading]]:
    """Of each line the look by which most can be read."""
    looks = [[Look(line, turns, mirrored=mirrored) for turns in _ways(line)] for line in lines]
    readings = iter(read([look for several in looks for look in several]))
    return [max(((look, next(readings)) for look in several), key=lambda one: _rank(one[1])) for several in looks]


def _ways(line: Line) -> tuple[int, ...]:
    return (0, 2, 1, 3) if is_square(line) else (0, 2)


def _rank(reading: Reading) -> float:
    return (reading.letters > 1) * reading.confidence + 0.02 * reading.letters


def _is_plain(reading: Reading) -> bool:
    return reading.letters >= PLAIN_LETTERS and reading.confidence >= PLAIN


def _fill(row: NDArray[np.float32], line: Line, view: View, plain: Reading, mirrored: Reading | None) -> None:
    """One line's evidence, in the network's order."""
    height, width = STRIP
    strip = line.grown(ASIDE * line.height, ACROSS * line.height).cut_out(view, height)
    skipped = max(0, (strip.shape[1] - width) // 2)
    strip = strip[:, skipped : skipped + width]
    parts = row[: 2 * height * width].reshape(2, height, width)
    parts[0, :, : strip.shape[1]], parts[1, :, : strip.shape[1]] = _stretched(strip), 1
    side = max(line.length, line.height) + WIDER * line.height
    around = Line(line.x, line.y, side, side, line.angle).cut_out(view, AROUND)
    row[2 * height * width : -NUMBERS] = _stretched(around).ravel()
    row[-NUMBERS:] = _numbers(line, view, plain, mirrored)


def _stretched(image: View) -> NDArray[np.float32]:
    values = image.astype(np.float32) * np.float32(1 / 255)
    return np.clip((values - values.mean()) / (values.std() + np.float32(FLOOR)), -FARTHEST, FARTHEST)


def _numbers(line: Line, view: View, plain: Reading, mirrored: Reading | None) -> list[float]:
    rows, columns = view.shape
    expected = max(LETTERS_A_HEIGHT * line.length / line.height, 1)
    read: list[float] = []
    for one in (plain, mirrored):
        if one is None:
            read += [0.0] * 4
        else:
            read += [min(one.letters, 10) / 10, one.confidence, one.certainty, min(one.letters / expected, 1.5)]
    rim = max(min(line.x, columns - line.x, line.y, rows - line.y) / min(rows, columns), 0)
    return [
        *read,
        math.log(line.height) / 4,
        min(line.length / line.height, 20) / 20,
        line.score,
        2 * rim,
        10 * line.height / min(rows, columns),
        abs(math.sin(2 * line.angle)),
    ]


@once
def _network() -> Compiled:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from medveil.defenses.pixels.decide.evidence_network import EvidenceNetwork

    network = EvidenceNetwork().eval()
    try:
        network.load_state_dict({name: value.float() for name, value in load_file(bundled("text-evidence")).items()})
    except (OSError, RuntimeError, SafetensorError):
        raise InputError(f"{bundled('text-evidence')} does not weigh text; reinstall medveil") from None
    return compiled(network, torch.zeros(1, SIZE), varying=(0,), threads=1)

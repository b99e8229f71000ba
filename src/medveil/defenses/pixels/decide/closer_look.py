"""Doubtful lines looked at once more: closer, and turned a little.

Slanted print is often found askew, and small print with more around it than belongs to it, so that neither reader can
read what anybody else can. Type is type in one of the rows in it; what looks like type only together with what
surrounds it is none.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import TYPE, Evidence, Finding, weigh
from medveil.defenses.pixels.decide.words import View
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.alphabet import OTHER

ROWS = ((0.45, (-0.25, 0.25)), (0.6, (-0.2, 0.0, 0.2)), (0.8, (0.0,)))  # shares of the height, and where in it
CLOSE = 0.7  # of the height: in lower rows there is little but the letters
TURNS = (-10, -5, 0, 5, 10)  # degrees
LETTERS, SURE = 3, 0.7  # different ones that a reader sees in a row, and how sure it is,
ALIKE, SURE_ALIKE = 2, 0.8  # or that both see alike
RINGS = frozenset("0O8QIL1")  # what wires, hooks and bars read like
APART = 0.3  # of a row, in another that was read


def looked_at_closer(found: dict[Line, Evidence], view: View, read: CachedReader) -> dict[Line, Evidence]:
    """The evidence with rows that can be read, and the lines around them as type for it, since what was found may be
    longer than what can be read; and without such as look like nothing from close by.
    """
    settled = {line: one for line, one in found.items() if one.finding is not Finding.DOUBTFUL}
    for line, one in found.items():
        if one.finding is not Finding.DOUBTFUL:
            continue
        rows = rows_of(line)
        seen = dict(zip(rows, weigh(rows, view, read), strict=True))
        legible = _apart({row: one for row, one in seen.items() if one.finding is Finding.TYPE}, read)
        if legible:
            best = next(iter(legible.values()))
            settled |= legible | {line: replace(best, look=replace(best.look, line=line))}
        elif max(one.score for row, one in seen.items() if row.height < CLOSE * line.height) < TYPE:
            settled[line] = replace(one, finding=Finding.NOTHING)
        else:
            settled[line] = one
    return settled


def rows_of(line: Line) -> list[Line]:
    down = np.array([-line.along[1], line.along[0]]) * line.height
    return [
        replace(line.moved(*(down * place)), height=share * line.height, angle=line.angle + math.radians(degrees))
        for (share, places), degrees in product(ROWS, TURNS)
        for place in places
    ]


def _apart(rows: dict[Line, Evidence], read: CachedReader) -> dict[Line, Evidence]:
    """Of the rows that can be read the best, and the next ones that show something else."""
    worth = {row: _legibility(one, read) for row, one in rows.items()}
    chosen: dict[Line, Evidence] = {}
    for row in sorted((row for row in rows if worth[row] > 0), key=lambda row: -worth[row]):
        if all(row.share_inside(other) < APART for other in chosen):
            chosen[row] = rows[row]
    return chosen


def _legibility(evidence: Evidence, read: CachedReader) -> float:
    """How many letters are read, by how sure the surer reader is; 0 where neither reads any."""
    said = (evidence.reading.text, evidence.reading.confidence), read.second(evidence.look)
    letters = [("".join(one for one in text.upper() if one.isascii() and one.isalnum()), sure) for text, sure in said]
    (first, its), (second, others) = letters
    legible = [len(text) * sure for text, sure in letters if len(set(text) - RINGS) >= LETTERS and sure >= SURE]
    if first == second and len(first) >= ALIKE and min(its, others) >= SURE_ALIKE and OTHER not in said[0][0]:
        legible.append(len(first) * its)
    return max(legible, default=0.0)

"""A lead letter of the side in a line that goes: the technologist's initials beside it are smaller, and it stays."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.words import Look, View
from medveil.defenses.pixels.lines import Box, Line

LONGEST = 3.5  # heights of a line that may hold one
LETTERS = frozenset({"L", "R"})
CERTAIN = 0.8  # of the reader
LARGER = 1.3  # times the size of any other mark in the line
LEAST_INITIAL = 0.3  # of the letter's size, of the largest of the others
LEAST = 0.55  # of the line's height
SMALLEST = 10  # pixels
DILATED = 2  # pixels around its strokes that stay too


@dataclass(frozen=True, eq=False)
class LeadLetter:
    """What it says, its line, and in the box of an image the pixels that are its own."""

    text: str
    line: Line
    box: Box
    ink: NDArray[np.bool_]


def find_lead_letter(line: Line, others: list[Line], view: View, read: CachedReader) -> LeadLetter | None:
    """The letter that is larger than all else in the line and reads as a side, in one of the ways lead can lie.

    A letter beside or in which another, longer line of its size runs is one of that line's.
    """
    if line.length > LONGEST * line.height:
        return None
    room = line.height / 2
    left, top, right, bottom = line.grown(room, room).box(view.shape)
    part = np.ascontiguousarray(view[top:bottom, left:right])
    if min(part.shape) < SMALLEST:
        return None
    inside = np.zeros(part.shape, np.uint8)
    line.grown(2, 2).moved(-left, -top).paint(inside, 1)
    level, _ = cv2.threshold(part[inside > 0], 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    light = (part > level).astype(np.uint8)
    for marks in (light, 1 - light):
        _, labels, boxes, _ = cv2.connectedComponentsWithStats(marks)
        sizes = [(max(width, height), number) for number, (_, _, width, height, _) in enumerate(boxes) if number]
        own = [(size, number) for size, number in sizes if inside[labels == number].mean() > 0.5]
        own.sort(reverse=True)
        if not own or not LEAST * line.height <= own[0][0] or own[0][0] < SMALLEST:
            continue
        if len(own) < 2 or not LEAST_INITIAL * own[0][0] <= own[1][0] <= own[0][0] / LARGER:
            continue
        x, y, width, height, _ = (int(value) for value in boxes[own[0][1]])
        at = Line.of_box((left + x, top + y, left + x + width, top + y + height))
        if any(_belongs(at, other) for other in others):
            continue
        text = _side(at, read)
        if text is not None:
            ink = cv2.dilate((labels == own[0][1]).astype(np.uint8), np.ones((2 * DILATED + 1,) * 2, np.uint8))
            return LeadLetter(text, at, (left, top, right, bottom), ink > 0)
    return None


def _belongs(letter: Line, other: Line) -> bool:
    alike = other.height > letter.length / LARGER and other.length > LONGEST * other.height
    return alike and letter.distance(other) < letter.length / 2


def _side(line: Line, read: CachedReader) -> str | None:
    looks = [Look(line, turns, mirrored=mirrored) for mirrored in (False, True) for turns in range(4)]
    found = [
        (reading.confidence, reading.text)
        for reading in read(looks)
        if reading.text in LETTERS and reading.confidence >= CERTAIN
    ]
    return max(found)[1] if found else None

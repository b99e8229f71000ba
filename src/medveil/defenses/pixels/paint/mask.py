"""The mask over lines of text: the strokes of the letters, a little dilated; whole rectangles only as a last resort."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.find.ink import HEIGHT as TONE_HEIGHT
from medveil.defenses.pixels.find.ink import of_tone, tone_of
from medveil.defenses.pixels.lines import Box, Line

ASIDE = 0.85  # heights a line is made longer at each end
SHORT = 0.2  # of its length, if that is less: what is short was seen whole
ACROSS = 0.25  # heights it is made higher on each side
LEAST = 3  # pixels, of either
THICKEST = 0.5  # of a line's height that a stroke may be thick
NEARBY = 0.9  # heights, of the square around a place
STANDS_OUT = ((9, 0.2), (12, 0.08), (24, 0.22))  # by height: of the strongest mark nearby that a stroke reaches,
FAINTEST = 0.1  # of the strongest in the whole line,
NOISE = 3  # and gray levels
INK, INK_BEYOND = 0.4, 0.3  # of the strongest mark nearby, or in all of the line, that ink in it or beyond it reaches;
HANGS_ON = 0.16  # heights from ink within which fainter marks go too: the rim of a stroke, not the bone that it crosses
DIM = 16  # gray levels of room that even white leaves
EITHER = 0.08  # so near to the middle, ink may be light or dark, and both go
AROUND = 0.12  # heights around a line, where its ground is seen,
PLAIN = 0.3  # and how plainly a mark or what it stands on must be like it, to tell ink from the gaps
MIXED = 1.0  # spreads of that ground, which is no ground to tell ink by where it is mixed
NONE = np.float32(1e-4)  # share of the pixels nearby
WHOLE = 0.25  # of a stroke that is of the tone written in, from which all of it is
LETTER = (0.4, 1.4)  # of a line's height that a mark beyond its ends measures, to be a letter of it
DILATED = 1  # pixels around a stroke,
RIM = 1  # and over which the mask fades,
SMALL = 10  # but in lines lower than this at first only what stands out: a pixel there is as much as a stroke
BLUR = 0.15  # of the strongest mark nearby that stands out there

Mask = NDArray[np.uint8]


def stroke_mask(
    lines: Iterable[Line],
    views: list[NDArray[np.uint8]],
    *,
    harder: float = 1.0,
    spared: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """1 over the letters of the lines, soft around them, and 0 over marks that are to stay; `harder` takes more room
    and fainter strokes.
    """
    canvas, small = np.zeros(views[0].shape, np.uint8), np.zeros(views[0].shape, np.uint8)
    stay = np.zeros(canvas.shape, bool) if spared is None else spared
    for line in lines:
        for view in views:
            _draw_strokes(line, view, small if line.height < SMALL else canvas, stay, harder)
    mask = np.maximum(_softened(canvas), small.astype(np.float32))
    mask[stay] = 0
    return mask


def soft_mask(lines: Iterable[Line], shape: tuple[int, ...], *, harder: float = 1.0) -> NDArray[np.float32]:
    """1 over the widened lines, letters and all between, soft around them; whatever is above 0 may change."""
    canvas = np.zeros(shape[:2], np.uint8)
    for line in lines:
        widened(line, harder).paint(canvas, 1)
    return _softened(canvas)


def box_mask(boxes: Iterable[Box], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """1 over boxes that a person drew, to the pixel, soft around them."""
    canvas = np.zeros(shape[:2], np.uint8)
    for left, top, right, bottom in boxes:
        canvas[top:bottom, left:right] = 1
    return _softened(canvas)


def _softened(canvas: Mask) -> NDArray[np.float32]:
    mask = np.zeros(canvas.shape, np.float32)
    x, y, width, height = cv2.boundingRect(canvas)
    if not width:
        return mask
    near = np.s_[max(0, y - RIM - 1) : y + height + RIM + 1, max(0, x - RIM - 1) : x + width + RIM + 1]
    away = cv2.distanceTransform(1 - canvas[near], cv2.DIST_L2, 3)
    mask[near] = np.clip(1 - away / np.float32(RIM + 1), 0, 1)
    return mask


def widened(line: Line, harder: float = 1.0) -> Line:
    aside = max(LEAST, ASIDE * line.height) * harder
    across = max(LEAST, ACROSS * line.height) * harder
    return line.grown(aside, across)


def _draw_strokes(line: Line, view: NDArray[np.uint8], canvas: Mask, stay: NDArray[np.bool_], harder: float) -> None:
    """Light strokes or dark ones, whichever the line is written in, found place by place: ink fills less of it than the
    gaps do, unless it is bold; and what the ink stands on goes on around the line.
    """
    thick, near = _odd(THICKEST * line.height, 5), _odd(NEARBY * line.height, 3)
    aside = min(ASIDE * line.height, SHORT * line.length)
    wide = line.grown(max(LEAST, aside) * harder, max(LEAST, ACROSS * line.height) * harder)
    left, top, right, bottom = wide.grown(near, near).box(view.shape)
    if min(right - left, bottom - top) < 3:
        return
    part = view[top:bottom, left:right]
    core, room = np.zeros(part.shape, np.uint8), np.zeros(part.shape, np.uint8)
    line.grown(1, 1).moved(-left, -top).paint(core, 1)
    wide.moved(-left, -top).paint(room, 1)
    found, blur = np.zeros(part.shape, np.uint8), np.zeros(part.shape, np.uint8)
    around = _disc(math.ceil(DILATED * harder))
    lit = _lit(part, near)
    ring = np.zeros(part.shape, np.uint8)
    line.grown(AROUND * line.height, AROUND * line.height).moved(-left, -top).paint(ring, 1)
    ground, spread = _ground(part, ring & (1 - core), near)
    reach = _disc(max(1, round(HANGS_ON * line.height * harder)))
    for shown, beside, likely in ((part, ground, lit > 0.5 - EITHER), (255 - part, 255 - ground, lit < 0.5 + EITHER)):
        tone = _standing_out(shown, thick)
        away = _beyond(shown, beside, spread, thick)
        is_ink = ((away > PLAIN) & (core > 0)) | (likely & (away > -PLAIN))
        nearby = cv2.dilate(tone * core, np.ones((near, near), np.uint8))
        peak = float(np.percentile(tone[core > 0], 97)) if core.any() else 0.0
        level = np.maximum(_least(line.height) / harder * nearby, FAINTEST * peak)
        # Beyond the line nothing of it is nearby, so there the strongest of the whole line is what ink is held against.
        ink = tone > np.where(core > 0, np.maximum(INK / harder * nearby, FAINTEST * peak), INK_BEYOND / harder * peak)
        on_ink = cv2.dilate(ink.astype(np.uint8), reach) > 0
        strokes = (tone > level) & on_ink & (room > 0) & ~stay[top:bottom, left:right]
        strokes = _reaching(_mostly(strokes.astype(np.uint8), is_ink), core, reach, line.height)
        found |= strokes
        blur |= cv2.dilate(strokes, around) & (tone > BLUR * np.maximum(nearby, peak * (core == 0))).astype(np.uint8)
    gray = tone_of(line.cut_out(view, TONE_HEIGHT))
    if gray is not None:
        strokes = of_tone(part, gray, thick) & core & ~stay[top:bottom, left:right]
        found |= _reaching(strokes | found, found, reach, line.height)
    closed = cv2.morphologyEx(found | blur, cv2.MORPH_CLOSE, around)  # what is left between strokes may be strokes
    canvas[top:bottom, left:right] |= closed if line.height < SMALL and harder == 1 else cv2.dilate(found, around)


def _disc(radius: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)))


def _odd(size: float, least: int) -> int:
    return max(least, round(size)) | 1


def _standing_out(part: NDArray[np.uint8], thick: int) -> NDArray[np.float32]:
    """How far light marks no thicker than this stand out, of the room there is above what they stand on."""
    ground = cv2.morphologyEx(part, cv2.MORPH_OPEN, np.ones((thick, thick), np.uint8)).astype(np.float32)
    above = part - ground
    return np.where(above > NOISE, above / (255 - ground + DIM), np.float32(0))


def _least(height: float) -> float:
    """Small strokes are faint, and there is little room to take too much; around the smallest there is none."""
    heights, shares = zip(*STANDS_OUT, strict=True)
    return float(np.interp(height, heights, shares))


def _lit(part: NDArray[np.uint8], near: int) -> NDArray[np.float32]:
    """Place by place, from 0 for dark letters to 1 for light ones: ink fills less of a line than the gaps do."""
    kernel = np.ones((near, near), np.uint8)
    ink, gaps = (
        cv2.blur(cv2.morphologyEx(part, how, kernel).astype(np.float32), (near, near))
        for how in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)
    )
    return np.asarray(gaps / np.maximum(ink + gaps, np.float32(1e-3)))


def _beyond(
    part: NDArray[np.uint8], ground: NDArray[np.float32], spread: NDArray[np.float32], thick: int
) -> NDArray[np.float32]:
    """From -1 for light marks that are as light as what is around the line, and so are the gaps between dark letters,
    to 1 for those that stand on what is as dark as that; near 0 where that is light here and dark there.
    """
    base = cv2.morphologyEx(part, cv2.MORPH_OPEN, np.ones((thick, thick), np.uint8)).astype(np.float32)
    away = np.abs(part - ground) - np.abs(base - ground)
    return np.asarray(away / np.maximum(part - base + MIXED * spread, np.float32(1)))


def _ground(part: NDArray[np.uint8], around: Mask, near: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and spread of what is around the line nearby; of all of it where none is near."""
    weights, size = around.astype(np.float32), (2 * near + 1, 2 * near + 1)
    share = cv2.blur(weights, size)
    values = part.astype(np.float32)
    far = values[around > 0] if around.any() else values.ravel()
    mean, square = (
        np.where(share > NONE, cv2.blur(power * weights, size) / np.maximum(share, NONE), whole)
        for power, whole in ((values, far.mean()), (values**2, (far**2).mean()))
    )
    return mean, np.sqrt(np.maximum(square - mean**2, 0))


def _mostly(strokes: Mask, is_ink: NDArray[np.bool_]) -> Mask:
    """Strokes of the tone that is written in: those with enough of it whole, of the others what has it."""
    count, marks, _, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
    whole = np.bincount(marks[is_ink], minlength=count) >= WHOLE * np.bincount(marks.ravel(), minlength=count)
    return strokes * (is_ink | whole[marks])


def _reaching(strokes: Mask, core: Mask, reach: Mask, height: float) -> Mask:
    """Strokes in the line; of those in the room around it, what is of a letter's size or a smaller part of one in it,
    and of what is longer, as bones are, only what hangs on letters.
    """
    inside = strokes & core
    beyond = strokes & (1 - core)
    count, marks, boxes, _ = cv2.connectedComponentsWithStats(beyond, connectivity=8)
    size = boxes[:, 2:4].max(axis=1)
    touching = np.zeros(count, bool)
    touching[np.unique(marks[cv2.dilate(inside, np.ones((3, 3), np.uint8)) > 0])] = True
    keep = (touching | (size >= LETTER[0] * height)) & (size <= LETTER[1] * height)
    keep[0] = False
    return inside | (beyond & (keep[marks] | (cv2.dilate(inside, reach) > 0)))


def boxes_around(mask: NDArray[np.bool_]) -> list[Box]:
    """One for each part of the mask that hangs together."""
    outlines, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = sorted(cv2.boundingRect(outline) for outline in outlines)
    return [(x, y, x + width, y + height) for x, y, width, height in found]

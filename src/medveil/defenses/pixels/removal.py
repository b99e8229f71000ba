"""Removing burned-in text: look, decide, paint over, look again; what will not come clean is quarantined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom.stored_pixels import StoredPixels, blank_comments, drop_overlays
from medveil.cohort.dicom.stream_comments import CannotTell
from medveil.defenses.pixels.detection.text_detector import SURE
from medveil.defenses.pixels.keeping import Sorted, sort_out
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.masks import boxes_around, soft_mask
from medveil.defenses.pixels.painting import Frame, paint
from medveil.defenses.pixels.rereading import is_still_text, without
from medveil.defenses.pixels.seeing import see_text
from medveil.defenses.pixels.views import View, colour_views, views_of
from medveil.errors import Quarantined
from medveil.person.search.known import KnownSearch

How = Literal["generator", "classical", "box"]
MOST_COVERED = 0.25  # of the image; beyond it, little is left to release and something is wrong
MARGIN = 128  # pixels around what was painted that are looked at again
ROOM = 0.15  # of a marker's height, around it
MOST_READ = 64  # lines in a window; more are taken for text unread
HARDER = (1.0, 1.7, 2.5, 3.0)  # how much wider the mask is, round by round
GENTLE = 2  # rounds in which that room ends where a marker stands
CANNOT = "text in the image could not be removed"


@dataclass(frozen=True)
class Removal:
    """What was done to one frame: boxes painted over, markers kept, percent of the pixels masked, rounds, filling."""

    boxes: tuple[Box, ...]
    kept: tuple[tuple[str, Box], ...]
    mask_pct: float
    rounds: int
    fill: str


class TextRemover:
    """Removes all text but clinical markers."""

    def __init__(self, *, fill: How = "generator", keep_markers: bool = True) -> None:
        self.fill = fill
        self.keep_markers = keep_markers

    def clean_dataset(self, dataset: FileDataset, known: KnownSearch | None) -> list[Removal]:
        """Every frame, in place; overlays are dropped. A dataset without text keeps its pixel bytes."""
        drop_overlays(dataset)
        stored = StoredPixels.of(dataset)
        if stored is None:
            return []
        done = []
        for number, frame in enumerate(stored.frames):

            def look(changed: Frame, number: int = number) -> list[View]:
                stored.frames[number] = changed
                plane = changed if changed.ndim == 2 and stored.kind != "PALETTE COLOR" else None
                shown = stored.displayed(number)
                return views_of(shown, plane) + colour_views(stored.colours(number), shown)

            cleaned, removal = self._clean(frame, look, stored.kind, dataset, known)
            stored.frames[number] = cleaned
            stored.dirty |= cleaned is not frame
            done.append(removal)
        if not stored.dirty:
            try:
                blank_comments(dataset)
            except CannotTell:
                stored.dirty = True
        if stored.dirty:
            stored.put_back()
        return done

    def clean_image(
        self, image: NDArray[np.unsignedinteger[Any]], known: KnownSearch | None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Removal]:
        """A gray image as displayed, of any unsigned type; the same array where there is nothing to remove."""
        return self._clean(image, views_of, "MONOCHROME2", None, known)

    def clean_colours(
        self, colours: NDArray[np.unsignedinteger[Any]], known: KnownSearch | None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Removal]:
        """Rows x columns x red, green, blue of eight bits; as a dataset in colour is cleaned."""
        dataset = FileDataset("", {}, file_meta=FileMetaDataset())
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = *colours.shape[:2], 3
        dataset.PhotometricInterpretation, dataset.PlanarConfiguration = "RGB", 0
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
        dataset.PixelData = colours.tobytes()
        (removal,) = self.clean_dataset(dataset, known)
        return np.frombuffer(dataset.PixelData, np.uint8, colours.size).reshape(colours.shape), removal

    def _clean(
        self,
        frame: Frame,
        look: Callable[[Frame], list[View]],
        kind: str,
        dataset: FileDataset | None,
        known: KnownSearch | None,
    ) -> tuple[Frame, Removal]:
        found = self._sorted(look(frame), known)
        kept, lines, changed = found.kept, found.going, frame
        total = np.zeros(frame.shape[:2], np.float32)
        removed: list[Line] = []
        rounds = 0
        while lines:
            if rounds == len(HARDER):
                raise Quarantined(CANNOT)
            mask = soft_mask(lines, frame.shape, harder=HARDER[rounds])
            if rounds < GENTLE:
                mask[_spared(kept, lines, mask.shape)] = 0
            total = np.maximum(total, mask)
            if (total > 0).mean() > MOST_COVERED:
                raise Quarantined(CANNOT)
            changed = paint(frame, total, kind, dataset, how=self._how(rounds), seed=rounds)
            removed += lines
            lines = _left_over(look(changed), total, kept, removed)
            rounds += 1
        return changed, Removal(
            boxes=tuple(boxes_around(total > 0)),
            kept=tuple((text, line.box(frame.shape)) for text, line in kept),
            mask_pct=100 * float((total > 0).mean()),
            rounds=rounds,
            fill=self._how(rounds - 1) if rounds else self.fill,
        )

    def _how(self, number: int) -> How:
        """The filling of a round: what a painter makes may look like writing, a plain surface does not."""
        if number < 2 or self.fill == "box":
            return self.fill
        return "classical" if number == 2 else "box"

    def _sorted(self, views: list[View], known: KnownSearch | None) -> Sorted:
        """What goes in any view goes; a marker stays if every view that sees it agrees."""
        result = Sorted()
        for view in views:
            one = sort_out(see_text(view), view, known, keep_markers=self.keep_markers)
            result.going += one.going
            result.kept += [
                (text, line) for text, line in one.kept if not any(_part_of(line, other) for _, other in result.kept)
            ]
        result.kept = [
            (text, line)
            for text, line in result.kept
            if not any(line.share_inside(gone) > 0.5 for gone in result.going)
        ]
        return result


def _spared(kept: list[tuple[str, Line]], going: list[Line], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where markers stand that stay: the room around a line to remove ends there, the line itself does not.

    Of a marker's own place, which was read, only a line takes a part that is text for sure, and no room around it.
    """
    canvas = np.zeros(shape, np.uint8)
    for _, line in kept:
        line.grown(2 + ROOM * line.height, 2 + ROOM * line.height).paint(canvas, 1)
    for line in going:
        line.grown(2, 2).paint(canvas, 0)
    for _, line in kept:
        line.grown(2, 2).paint(canvas, 1)
    for line in going:
        if line.score >= SURE:
            line.paint(canvas, 0)
    return canvas > 0


def _left_over(
    views: list[View], mask: NDArray[np.float32], kept: list[tuple[str, Line]], removed: list[Line]
) -> list[Line]:
    """Text still seen in or near what was painted; elsewhere nothing has changed."""
    left = []
    for view in views:
        rest = without([line for _, line in kept], view)
        for window in _windows(mask > 0):
            seen = [line for line in see_text(view, window) if _touches(line, mask)]
            seen = [line for line in seen if not any(_part_of(line, one) for _, one in kept)]
            many = len(seen) > MOST_READ
            left += [line for line in seen if many or is_still_text(line, rest, removed)]
    return left


def _touches(line: Line, mask: NDArray[np.float32]) -> bool:
    """Whether it lies at or in what was painted; what does not was judged when the whole image was looked at."""
    near = line.grown(line.height, line.height / 2)
    left, top, right, bottom = near.box(mask.shape)
    canvas = np.zeros((bottom - top, right - left), np.uint8)
    near.moved(-left, -top).paint(canvas)
    return bool((mask[top:bottom, left:right] * canvas).any())


def _part_of(line: Line, marker: Line) -> bool:
    return line.share_inside(marker.grown(4, 4)) > 0.5


def _windows(hole: NDArray[np.bool_]) -> list[Box]:
    """Boxes around what was painted, with room; one for all where they would cover most of the image."""
    rows, columns = hole.shape
    canvas = np.zeros(hole.shape, bool)
    for left, top, right, bottom in boxes_around(hole):
        canvas[max(0, top - MARGIN) : bottom + MARGIN, max(0, left - MARGIN) : right + MARGIN] = True
    windows = boxes_around(canvas)
    if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in windows) > 0.6 * rows * columns:
        return [(0, 0, columns, rows)]
    return windows

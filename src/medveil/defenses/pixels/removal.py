"""Removing burned-in text: look, decide, paint over, look again; what will not come clean is quarantined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from medveil.cohort.dicom.stored_pixels import StoredPixels, blank_comments, drop_overlays
from medveil.cohort.dicom.stream_comments import CannotTell
from medveil.defenses.pixels.choices import Choices
from medveil.defenses.pixels.decide.decision import Decision, decide
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.find.views import View, colour_views, views_of
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.objects.clips import paint_in_all, shown_by_all, stretches, where_painted
from medveil.defenses.pixels.objects.kinds import refuse_text
from medveil.defenses.pixels.objects.photographs import refuse_face, refuse_recognisable, refuse_shown
from medveil.defenses.pixels.objects.scan_area import (
    blank_outside_of_scan,
    is_clip,
    is_ultrasound,
    outside_of_shown_scan,
)
from medveil.defenses.pixels.paint.fill import How
from medveil.defenses.pixels.paint.frame import Filling, Frame, Painted, paint
from medveil.defenses.pixels.paint.mask import box_mask, boxes_around, soft_mask, stroke_mask
from medveil.defenses.pixels.residual import is_part_of, residual_text
from medveil.errors import Quarantined
from medveil.person.keys import Keys
from medveil.person.search.known import KnownSearch

Faces = Literal["withhold", "keep"]
MOST_COVERED = 0.25  # of the image; beyond it, little is left to release and something is wrong
ROOM = 0.15  # of a marker's height, around it
HARDER = (1.0, 1.3, 1.0, 2.0)  # how much wider the mask is, round by round
STROKES = 2  # rounds in which only the letters' strokes go, and none of a marker's; after that, all of the line does
TOO_MUCH = "too much of the image looks like text"
STAYS = "what looks like text could not all be removed"
UNTOLD = "an ultrasound image with text, which does not tell where its scan is"
DOUBTFUL = "something in it may be text; a person must look"
NOT_A_RADIOGRAPH = "not a radiograph, and something in it looks like text"
# By (0008,0060); what says nothing of itself may be one.
_RADIOGRAPHS = frozenset({"", "CR", "DR", "DX", "IO", "MG", "OT", "PX", "RF", "RG", "SC", "XA"})


@dataclass(frozen=True)
class Removal:
    """What was done to one frame: boxes painted over, markers kept, percent of the pixels masked, rounds, filling;
    and the boxes of what may be text and was left to a person, who let it stay.
    """

    boxes: tuple[Box, ...]
    kept: tuple[tuple[str, Box], ...]
    mask_pct: float
    rounds: int
    fill: str
    doubtful: tuple[Box, ...] = ()
    plain: int = 0  # holes too large for more than a plain surface
    without_generator: bool = False  # although one was asked for
    blanked_pct: float = 0.0  # outside of the scan


class TextRemover:
    """Removes all text but clinical markers."""

    def __init__(
        self,
        *,
        fill: How = "classical",
        generator: Path | None = None,
        keys: Keys | None = None,
        keep_markers: bool = True,
        faces: Faces = "withhold",
    ) -> None:
        self.fill = fill
        self.filling = Filling.keyed(fill, generator, keys)
        self.keep_markers = keep_markers
        self.faces = faces

    def clean_dataset(
        self, dataset: FileDataset, known: KnownSearch | None, choices: Mapping[int, Choices] | None = None
    ) -> list[Removal]:
        """Every frame, in place; overlays are dropped. A dataset without text keeps its pixel bytes.

        `choices` holds what a person decided, by the frame's number.
        """
        drop_overlays(dataset)
        stored = StoredPixels.of(dataset)
        if stored is None:
            return []
        refuse_text(dataset)
        accepted = {number for number, one in (choices or {}).items() if one.accept}
        if self.faces == "withhold":
            refuse_recognisable(stored, accepted)
        outside = blank_outside_of_scan(stored)
        stored.dirty |= outside is not None
        together = outside is not None and is_clip(stored)
        before, done = list(stored.frames), self._clean_together(stored, known, choices or {}) if together else []
        for number, frame in enumerate(() if together else stored.frames):

            def look(changed: Frame, number: int = number) -> list[View]:
                stored.frames[number] = changed
                plane = changed if changed.ndim == 2 and stored.kind != "PALETTE COLOR" else None
                shown = stored.displayed(number)
                return views_of(shown, plane) + colour_views(stored.colours(number), shown)

            try:
                cleaned, removal = self._clean(frame, look, stored.kind, dataset, known, (choices or {}).get(number))
            except Quarantined as withheld:
                if withheld.reason in (TOO_MUCH, STAYS) and not _may_be_radiograph(dataset):
                    raise Quarantined(NOT_A_RADIOGRAPH) from None
                raise
            stored.frames[number] = cleaned
            stored.dirty |= cleaned is not frame
            done.append(removal)
        if outside is not None:
            done = [replace(one, blanked_pct=100 * float(outside.mean())) for one in done]
        elif is_ultrasound(dataset) and not choices and any(one.boxes for one in done):
            raise Quarantined(UNTOLD)
        for number, whole in ({} if together else paint_in_all(stored, before, self.filling)).items():
            boxes, share = tuple(boxes_around(whole)), 100 * float(whole.mean())
            done[number] = replace(done[number], boxes=boxes, mask_pct=share, rounds=max(1, done[number].rounds))
        if not stored.dirty:
            try:
                blank_comments(dataset)
            except CannotTell:
                stored.dirty = True
        if stored.dirty:
            stored.put_back()
        return done

    def _clean_together(
        self, stored: StoredPixels, known: KnownSearch | None, choices: Mapping[int, Choices]
    ) -> list[Removal]:
        """A clip whose scan is told from the rest: text in it is what stands in frame after frame, for a scan moves."""
        done: dict[int, Removal] = {}
        masks = np.zeros((len(stored.frames), *stored.frames[0].shape[:2]), bool)
        for numbers in stretches(len(stored.frames)):
            accepted = all(number in choices and choices[number].accept for number in numbers)
            shared = shown_by_all(stored, numbers)
            cleaned, removal = self._clean(shared, views_of, "MONOCHROME2", None, known, Choices(accept=accepted))
            for number in numbers:
                masks[number] |= where_painted(shared, cleaned)
                done[number] = removal
        for number, mask in enumerate(masks):
            choices.get(number, Choices()).mark(mask)
            if mask.any():
                filled = paint(
                    stored.frames[number], mask.astype(np.float32), stored.kind, stored.dataset, self.filling
                )
                stored.frames[number], stored.dirty = filled.frame, True
            boxes, share = tuple(boxes_around(mask)), 100 * float(mask.mean())
            done[number] = replace(done[number], boxes=boxes, mask_pct=share)
        return [done[number] for number in range(len(masks))]

    def clean_image(
        self, image: NDArray[np.unsignedinteger[Any]], known: KnownSearch | None, choices: Choices | None = None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Removal]:
        """A gray image as displayed, of any unsigned type; the same array where there is nothing to remove."""
        if self.faces == "withhold" and not (choices and choices.accept):
            refuse_face(image)
        return self._clean(image, views_of, "MONOCHROME2", None, known, choices)

    def clean_displayed(
        self,
        image: NDArray[np.unsignedinteger[Any]],
        known: KnownSearch | None,
        choices: Choices | None,
        header: FileDataset,
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Removal]:
        """The same for one frame of a DICOM file, of which there is the header too."""
        refuse_text(header)
        if self.faces == "withhold" and not (choices and choices.accept):
            refuse_shown(image, header)
        outside = outside_of_shown_scan(header, image.shape)
        if outside is not None:
            image = paint(image, outside.astype(np.float32), "MONOCHROME2", None, Filling("black")).frame
        cleaned, removal = self._clean(image, views_of, "MONOCHROME2", None, known, choices)
        if outside is None and is_ultrasound(header) and not choices and removal.boxes:
            raise Quarantined(UNTOLD)
        return cleaned, removal if outside is None else replace(removal, blanked_pct=100 * float(outside.mean()))

    def clean_colours(
        self, colours: NDArray[np.unsignedinteger[Any]], known: KnownSearch | None, choices: Choices | None = None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Removal]:
        """Rows x columns x red, green, blue of eight bits; as a dataset in colour is cleaned."""
        dataset = FileDataset("", {}, file_meta=FileMetaDataset())
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = *colours.shape[:2], 3
        dataset.PhotometricInterpretation, dataset.PlanarConfiguration = "RGB", 0
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
        dataset.PixelData = colours.tobytes()
        (removal,) = self.clean_dataset(dataset, known, {0: choices} if choices else None)
        return np.frombuffer(dataset.PixelData, np.uint8, colours.size).reshape(colours.shape), removal

    def _clean(
        self,
        frame: Frame,
        look: Callable[[Frame], list[View]],
        kind: str,
        dataset: FileDataset | None,
        known: KnownSearch | None,
        choices: Choices | None,
    ) -> tuple[Frame, Removal]:
        choices = choices or Choices()
        views = look(frame)
        found = self._sorted(views, known)
        if found.doubtful and not choices.accept:
            raise Quarantined(DOUBTFUL)
        kept = found.kept + [(letter.text, letter.line) for letter in found.letters if letter.ink.any()]
        changed = frame
        lines = [line for line in found.removed if not choices.keeps(line)]
        total = np.maximum(box_mask(choices.remove, frame.shape), _initials(found, choices, frame.shape))
        removed = [Line.of_box(box) for box in choices.remove]
        rounds, painted = 0, Painted(frame)
        while lines or (total.any() and not rounds):
            if rounds == len(HARDER):
                raise Quarantined(STAYS)
            if rounds < STROKES:
                spared = _spared(found, lines, total.shape)
                mask = stroke_mask(lines, views, harder=HARDER[rounds], spared=spared)
            else:
                mask = soft_mask(lines, frame.shape, harder=HARDER[rounds])
            total = np.maximum(total, mask)
            if (total > 0).mean() > MOST_COVERED:
                raise Quarantined(TOO_MUCH)
            painted = paint(frame, total, kind, dataset, replace(self.filling, how=self._how(rounds)))
            changed = painted.frame
            removed += lines
            lines = residual_text(look(changed), total, kept, removed)
            lines = [line for line in lines if not choices.keeps(line)]
            rounds += 1
        return changed, Removal(
            boxes=_regions(removed, total),
            kept=tuple((text, line.box(frame.shape)) for text, line in kept),
            mask_pct=100 * float((total > 0).mean()),
            rounds=rounds,
            fill=self._how(rounds - 1) if rounds else self.fill,
            doubtful=tuple(line.box(frame.shape) for line in found.doubtful),
            plain=painted.plain,
            without_generator=painted.without_generator,
        )

    def _how(self, number: int) -> How:
        """The filling of a round: what a painter makes may look like writing, a plain surface does not."""
        return "classical" if number >= STROKES and self.fill == "generator" else self.fill

    def _sorted(self, views: list[View], known: KnownSearch | None) -> Decision:
        """What goes in any view goes; a marker stays if every view that sees it agrees."""
        result = Decision()
        for view in views:
            one = decide(find_lines(view), view, known, keep_markers=self.keep_markers)
            result.removed += one.removed
            result.letters += one.letters
            result.doubtful += one.doubtful
            result.kept += [
                (text, line) for text, line in one.kept if not any(is_part_of(line, other) for _, other in result.kept)
            ]
        result.kept = [
            (text, line)
            for text, line in result.kept
            if not any(line.share_inside(gone) > 0.5 for gone in result.removed)
        ]
        result.doubtful = [
            line for line in result.doubtful if not any(is_part_of(line, gone) for gone in result.removed)
        ]
        return result


def _initials(found: Decision, choices: Choices, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Initials beside lead letters, stroke by stroke."""
    mask = np.zeros(shape[:2], np.float32)
    for letter in found.letters:
        if not choices.keeps(Line.of_box(letter.around)):
            left, top, right, bottom = letter.box
            mask[top:bottom, left:right][letter.initials] = 1
    return mask


def _regions(lines: list[Line], mask: NDArray[np.float32]) -> tuple[Box, ...]:
    """Boxes around the lines that went: one for all the letters of a line, and of lines that touch."""
    canvas = (mask > 0).astype(np.uint8)
    for line in lines:
        line.paint(canvas, 1)
    return tuple(boxes_around(canvas > 0))


def _may_be_radiograph(dataset: FileDataset) -> bool:
    return str(dataset.get("Modality") or "").upper() in _RADIOGRAPHS


def _spared(found: Decision, going: list[Line], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where markers stand that stay, and the strokes of lead letters: of the room around a marker, lines that go take
    what they need, of its own place nothing.
    """
    canvas = np.zeros(shape, np.uint8)
    for _, line in found.kept:
        line.grown(2 + ROOM * line.height, 2 + ROOM * line.height).paint(canvas, 1)
    for line in going:
        line.grown(2, 2).paint(canvas, 0)
    for _, line in found.kept:
        own = min(2, ROOM * line.height)
        line.grown(own, own).paint(canvas, 1)
    for letter in found.letters:
        left, top, right, bottom = letter.box
        canvas[top:bottom, left:right] |= letter.ink
    return canvas > 0

"""The ways of cleaning that are compared: text masked by OCR alone, the same painted over (ClinX), and medveil's.

Each can hide more than it found: the mask grows until so much of the image is hidden, from what was found or, where
nothing was, from a corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

import medveil
from medveil.defenses.pixels.paint.frame import Filling, paint
from medveil.defenses.pixels.paint.mask import box_mask
from medveil.parts import Box, Subject, choose
from medveil.person.keys import Keys
from medveil.release.clean.engine import Engine
from medveil.release.verify.pixel_check import Reader, read_by
from medveil.utility.vqa.experiment.conditions import INPAINTED, MASKED, OURS, Cleaned, Cleaner
from medveil.utility.vqa.question import Image

Mask = NDArray[np.bool_]
AROUND = 5  # pixels that a box of the published method is made larger by, on all sides
FEATHER = 2.0  # pixels of blur along its edges
CORNER = (0.05, 0.25)  # of height and width, where a mask starts to grow if no text was found


class Cleaners:
    """Made once a run; the networks are loaded when they are first needed."""

    def __init__(self, *, seed: int) -> None:
        self._seed = seed
        self._keys = Keys.for_demonstration(seed)  # nothing that comes out of here is released
        self._last: tuple[Image, Mask] | None = None

    def by_method(self) -> dict[str, Cleaner]:
        return {MASKED: self.masked, INPAINTED: self.inpainted, OURS: self.ours}

    def versions(self) -> dict[str, str]:
        return {"medveil": medveil.__version__, "ocr": read_by(), "seed": str(self._seed)}

    @cached_property
    def _reader(self) -> Reader:
        return Reader()

    @cached_property
    def _engine(self) -> Engine:
        return Engine(self._keys, choose("defenses", ["pixels"]))

    def masked(self, image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
        """Black boxes over every text that OCR reads."""
        masks = (grown(self._text(image), severity) for severity in severities)
        return [_blackened(image, mask) for mask in masks]

    def inpainted(self, image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
        """The same boxes, with soft edges, painted over by the bundled generator."""
        found, filling = self._text(image), Filling.keyed("generator", None, self._keys)
        return [_painted(image, grown(found, severity), filling, feather=FEATHER) for severity in severities]

    def ours(self, image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
        """As a release does it: strokes of what is type go, markers stay, and what is doubtful is withheld."""
        subject = self._engine.clean(Subject(self._engine.person(""), picture=image.copy()))
        assert subject.picture is not None
        after = np.asarray(subject.picture, np.uint8)
        hidden, boxes = sum(subject.masked) / 100, box_mask(chain.from_iterable(subject.painted), image.shape) > 0
        filling = Filling.keyed("classical", None, self._keys)
        return [
            Cleaned(after, hidden) if severity <= hidden else _painted(after, grown(boxes, severity), filling)
            for severity in severities
        ]

    def _text(self, image: Image) -> Mask:
        """What OCR reads, in boxes; of the image that was last looked at, it is known."""
        if self._last is None or self._last[0] is not image:
            gray = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
            boxes = [_larger(read.box) for read in self._reader.read(gray)]
            self._last = image, box_mask(boxes, image.shape[:2]) > 0
        return self._last[1]


def grown(mask: Mask, severity: float) -> Mask:
    """The mask, or the nearest pixels around it too, until it covers this share of the image."""
    if mask.mean() >= severity:
        return mask
    seeds = mask if mask.any() else _corner(mask.shape)
    distance = cv2.distanceTransform((~seeds).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(distance <= np.quantile(distance, severity, method="higher"))


def _corner(shape: tuple[int, ...]) -> Mask:
    seeds = np.zeros(shape, bool)
    seeds[: max(1, round(CORNER[0] * shape[0])), : max(1, round(CORNER[1] * shape[1]))] = True
    return seeds


def _larger(box: Box) -> Box:
    left, top, right, bottom = box
    return max(0, left - AROUND), max(0, top - AROUND), right + AROUND, bottom + AROUND


def _blackened(image: Image, mask: Mask) -> Cleaned:
    cleaned = image.copy()
    cleaned[mask] = 0
    return Cleaned(cleaned, float(mask.mean()))


def _painted(image: Image, mask: Mask, filling: Filling, *, feather: float = 0.0) -> Cleaned:
    if not mask.any():
        return Cleaned(image, 0.0)
    soft = mask.astype(np.float32)
    if feather:
        soft = np.maximum(soft, cv2.GaussianBlur(soft, (0, 0), feather))
        soft[soft < 0.02] = 0
    kind = "MONOCHROME2" if image.ndim == 2 else "RGB"
    return Cleaned(np.asarray(paint(image, soft, kind, None, filling).frame, np.uint8), float(mask.mean()))
